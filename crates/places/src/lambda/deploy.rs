//! Creates the missing resources.

use std::time::Duration;

use aws_sdk_lambda::primitives::Blob;
use aws_sdk_lambda::types::{EphemeralStorage, FunctionCode, Runtime, State};
use aws_sdk_s3::types::{
    BucketLifecycleConfiguration, BucketLocationConstraint, CreateBucketConfiguration, ExpirationStatus,
    LifecycleExpiration, LifecycleRule, LifecycleRuleFilter, PublicAccessBlockConfiguration, Tag, Tagging,
};

use super::error::{Explained, ReasonKind, reason};
use super::names::{self, TAG, TAG_VALUE};
use super::policy::trust;
use super::settings::NO_BUCKET;
use crate::lambda::{Account, FunctionImage, LambdaError, LambdaSettings, Resource};
use crate::package::Architecture;

/// Unused packages are removed after this many days. They can be made again from builds.
const KEPT_DAYS: i32 = 7;

/// Time limit until functions can use a new role, and until a new function can be called.
const SETTLING: Duration = Duration::from_secs(60);

/// The interval between two checks.
const LOOK: Duration = Duration::from_millis(500);

/// The resources of a region after `deploy`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deployment {
    /// The function to call.
    pub function: String,
    /// The bucket. `None` if the settings say so.
    pub bucket: Option<String>,
    /// The resources that were created.
    pub made: Vec<Resource>,
}

/// Creates the role, the bucket and the function if they are missing. Existing ones are not changed. Each is
/// found by its name, so after a crash the same call continues. `on_step` is called for each created
/// resource.
pub fn deploy(
    account: &Account,
    settings: &LambdaSettings,
    image: &FunctionImage,
    on_step: &mut dyn FnMut(&Resource),
) -> Result<Deployment, LambdaError> {
    account.runtime.block_on(async {
        let mut made = Vec::new();
        let mut note = |resource: Resource| {
            on_step(&resource);
            made.push(resource);
        };
        let role = names::role(account.region());
        let (arn, is_new) = ensure_role(account, &role).await?;
        if is_new {
            note(Resource::Role(role));
        }
        let bucket = bucket_name(account, settings).await?;
        if let Some(bucket) = &bucket
            && settings.bucket.is_none()
            && ensure_bucket(account, bucket).await?
        {
            note(Resource::Bucket(bucket.clone()));
        }
        let function = names::function(settings, settings.memory, image.architecture, &image.zip);
        if ensure_function(account, settings, image, &function, &arn).await? {
            note(Resource::Function(function.clone()));
        }
        Ok(Deployment { function, bucket, made })
    })
}

/// The bucket to use: as configured, or that of the account.
pub(crate) async fn bucket_name(
    account: &Account,
    settings: &LambdaSettings,
) -> Result<Option<String>, LambdaError> {
    match settings.bucket.as_deref() {
        Some(NO_BUCKET) => Ok(None),
        Some(name) => Ok(Some(name.to_owned())),
        None => Ok(Some(names::bucket(&account.number().await?, account.region()))),
    }
}

async fn ensure_role(account: &Account, name: &str) -> Result<(String, bool), LambdaError> {
    let what = format!("make the role `{name}`");
    let there = account.iam.get_role().role_name(name).send().await.if_there(&what)?;
    if let Some(role) = there.and_then(|output| output.role) {
        return Ok((role.arn, false));
    }
    let tag = aws_sdk_iam::types::Tag::builder().key(TAG).value(TAG_VALUE).build();
    let tag = tag.map_err(|error| LambdaError::Service { what: what.clone(), why: error.to_string() })?;
    let created = account
        .iam
        .create_role()
        .role_name(name)
        .assume_role_policy_document(trust())
        .description("What functions of benchwright may do: nothing.")
        .tags(tag)
        .send()
        .await
        .explained(&what)?;
    Ok((created.role.map(|role| role.arn).unwrap_or_default(), true))
}

async fn ensure_bucket(account: &Account, name: &str) -> Result<bool, LambdaError> {
    let what = format!("make the bucket `{name}`");
    let s3 = &account.s3;
    let is_new = s3.head_bucket().bucket(name).send().await.if_there(&what)?.is_none();
    if is_new {
        let mut request = s3.create_bucket().bucket(name);
        // The oldest region must not be named.
        if account.region() != "us-east-1" {
            let place = BucketLocationConstraint::from(account.region());
            request = request.create_bucket_configuration(
                CreateBucketConfiguration::builder().location_constraint(place).build(),
            );
        }
        request.send().await.explained(&what)?;
    }
    // After a crash the bucket may exist without these settings, so they are always set.
    let invalid = |error: aws_sdk_s3::error::BuildError| LambdaError::Service {
        what: what.clone(),
        why: error.to_string(),
    };
    let block = PublicAccessBlockConfiguration::builder()
        .block_public_acls(true)
        .ignore_public_acls(true)
        .block_public_policy(true)
        .restrict_public_buckets(true)
        .build();
    s3.put_public_access_block()
        .bucket(name)
        .public_access_block_configuration(block)
        .send()
        .await
        .explained(&what)?;
    let tag = Tag::builder().key(TAG).value(TAG_VALUE).build().map_err(invalid)?;
    let tags = Tagging::builder().tag_set(tag).build().map_err(invalid)?;
    s3.put_bucket_tagging().bucket(name).tagging(tags).send().await.explained(&what)?;
    let rule = LifecycleRule::builder()
        .id("benchwright")
        .status(ExpirationStatus::Enabled)
        .filter(LifecycleRuleFilter::builder().prefix("").build())
        .expiration(LifecycleExpiration::builder().days(KEPT_DAYS).build())
        .build()
        .map_err(invalid)?;
    let lifecycle = BucketLifecycleConfiguration::builder().rules(rule).build().map_err(invalid)?;
    s3.put_bucket_lifecycle_configuration()
        .bucket(name)
        .lifecycle_configuration(lifecycle)
        .send()
        .await
        .explained(&what)?;
    Ok(is_new)
}

async fn ensure_function(
    account: &Account,
    settings: &LambdaSettings,
    image: &FunctionImage,
    name: &str,
    role: &str,
) -> Result<bool, LambdaError> {
    let what = format!("make the function `{name}`");
    let is_there = is_active(account, name).await?;
    if is_there.is_none() {
        create_function(account, settings, image, name, role, &what).await?;
    }
    let started = tokio::time::Instant::now();
    while is_active(account, name).await? != Some(true) {
        if started.elapsed() > SETTLING {
            return Err(LambdaError::Service { what, why: "it does not become active".into() });
        }
        tokio::time::sleep(LOOK).await;
    }
    Ok(is_there.is_none())
}

async fn create_function(
    account: &Account,
    settings: &LambdaSettings,
    image: &FunctionImage,
    name: &str,
    role: &str,
    what: &str,
) -> Result<(), LambdaError> {
    let architecture = match image.architecture {
        Architecture::X86 => aws_sdk_lambda::types::Architecture::X8664,
        Architecture::Arm => aws_sdk_lambda::types::Architecture::Arm64,
    };
    let number = |value: u64| i32::try_from(value).unwrap_or(i32::MAX);
    let storage = EphemeralStorage::builder().size(number(settings.tmp_size.into())).build();
    let storage =
        storage.map_err(|error| LambdaError::Service { what: what.into(), why: error.to_string() })?;
    let request = account
        .lambda
        .create_function()
        .function_name(name)
        .description("Runs benchmarks that benchwright sends.")
        .runtime(Runtime::Providedal2023)
        .handler("bootstrap")
        .architectures(architecture)
        .memory_size(number(settings.memory.into()))
        .timeout(number(settings.time_limit.as_secs()))
        .ephemeral_storage(storage)
        .role(role)
        .tags(TAG, TAG_VALUE)
        .code(FunctionCode::builder().zip_file(Blob::new(image.zip.clone())).build());
    let started = tokio::time::Instant::now();
    loop {
        let Err(error) = request.clone().send().await else { return Ok(()) };
        let reason = reason(&error);
        // It takes some seconds until a new role is known everywhere.
        let is_early = reason.kind == ReasonKind::Other && reason.message.contains("role");
        if !is_early || started.elapsed() > SETTLING {
            return Err(reason.error(what));
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Whether the function is ready to be called. `None` if there is no function.
pub(crate) async fn is_active(account: &Account, name: &str) -> Result<Option<bool>, LambdaError> {
    let what = format!("look at the function `{name}`");
    let found =
        account.lambda.get_function_configuration().function_name(name).send().await.if_there(&what)?;
    // Emulators do not report the state.
    Ok(found.map(|function| function.state.is_none_or(|state| state == State::Active)))
}
