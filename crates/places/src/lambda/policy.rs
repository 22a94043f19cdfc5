//! The permissions that are needed.

use serde_json::{Value, json};

/// The smallest policy, as JSON, that is sufficient for `deploy`, `teardown` and comparisons. Comparisons
/// only need the statements whose name begins with `Compare`.
pub fn policy() -> String {
    let function = "arn:aws:lambda:*:*:function:benchwright-*";
    let bucket = "arn:aws:s3:::benchwright-*";
    let objects = "arn:aws:s3:::benchwright-*/*";
    let role = "arn:aws:iam::*:role/benchwright-*";
    let statements = [
        statement("CompareInvoke", &["lambda:GetFunctionConfiguration", "lambda:InvokeFunction"], function),
        statement("ComparePackages", &["s3:DeleteObject", "s3:GetObject", "s3:PutObject"], objects),
        statement("CompareFindPackages", &["s3:ListBucket"], bucket),
        statement(
            "DeployFunction",
            &[
                "lambda:CreateFunction",
                "lambda:DeleteFunction",
                "lambda:GetFunction",
                "lambda:ListTags",
                "lambda:TagResource",
            ],
            function,
        ),
        statement(
            "DeployBucket",
            &[
                "s3:CreateBucket",
                "s3:DeleteBucket",
                "s3:GetBucketTagging",
                "s3:PutBucketPublicAccessBlock",
                "s3:PutBucketTagging",
                "s3:PutLifecycleConfiguration",
            ],
            bucket,
        ),
        statement(
            "DeployRole",
            &["iam:CreateRole", "iam:DeleteRole", "iam:GetRole", "iam:PassRole", "iam:TagRole"],
            role,
        ),
        // This permission cannot be limited to names.
        statement("DeployList", &["lambda:ListFunctions"], "*"),
    ];
    let policy = json!({ "Version": "2012-10-17", "Statement": statements });
    serde_json::to_string_pretty(&policy).unwrap_or_default()
}

fn statement(name: &str, actions: &[&str], resource: &str) -> Value {
    json!({ "Sid": name, "Effect": "Allow", "Action": actions, "Resource": resource })
}

/// The trust policy of the role of functions: only the platform may assume it.
pub(crate) fn trust() -> String {
    let statement = json!({
        "Effect": "Allow",
        "Principal": { "Service": "lambda.amazonaws.com" },
        "Action": "sts:AssumeRole",
    });
    json!({ "Version": "2012-10-17", "Statement": [statement] }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_listing_may_touch_what_is_not_ours() {
        let policy: Value = serde_json::from_str(&policy()).unwrap();
        let statements = policy["Statement"].as_array().unwrap();
        assert_eq!(statements.len(), 7);
        for statement in statements {
            let resource = statement["Resource"].as_str().unwrap();
            let actions = statement["Action"].as_array().unwrap();
            assert!(resource.contains("benchwright-") || *actions == ["lambda:ListFunctions"], "{statement}");
            assert!(actions.iter().all(|action| !action.as_str().unwrap().contains('*')), "{statement}");
        }
    }
}
