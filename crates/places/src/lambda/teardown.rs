//! Shows and removes the resources that `deploy` created.

use aws_sdk_s3::types::{Delete, ObjectIdentifier};

use super::error::Explained;
use super::names::{self, PREFIX, TAG, TAG_VALUE};
use crate::lambda::{Account, LambdaError, Resource};

/// An existing resource of benchwright.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The resource.
    pub resource: Resource,
    /// Details: memory and architecture of a function, the contents of a bucket.
    pub details: String,
}

/// All resources of benchwright in the region, whatever version created them and whether it finished.
pub fn list(account: &Account) -> Result<Vec<Found>, LambdaError> {
    account.runtime.block_on(found(account))
}

/// Removes all resources of benchwright in the region and returns them. A resource that disappears in the
/// meantime counts as removed.
pub fn teardown(account: &Account, on_step: &mut dyn FnMut(&Resource)) -> Result<Vec<Resource>, LambdaError> {
    account.runtime.block_on(async {
        let mut removed = Vec::new();
        for Found { resource, .. } in found(account).await? {
            remove(account, &resource).await?;
            on_step(&resource);
            removed.push(resource);
        }
        Ok(removed)
    })
}

/// Functions come first, because they use the others.
async fn found(account: &Account) -> Result<Vec<Found>, LambdaError> {
    let mut all = functions(account).await?;
    let bucket = names::bucket(&account.number().await?, account.region());
    all.extend(find_bucket(account, bucket).await?);
    all.extend(find_role(account, names::role(account.region())).await?);
    Ok(all)
}

async fn functions(account: &Account) -> Result<Vec<Found>, LambdaError> {
    let mut found = Vec::new();
    let mut pages = account.lambda.list_functions().into_paginator().send();
    while let Some(page) = pages.next().await {
        for function in page.explained("list functions")?.functions() {
            let (Some(name), Some(arn)) = (function.function_name(), function.function_arn()) else {
                continue;
            };
            if !name.starts_with(PREFIX) || !is_ours(account, arn).await? {
                continue;
            }
            let architecture = function.architectures().first().map_or("", |known| known.as_str());
            let details = format!(
                "{architecture}, {} MB, at most {} s, program {} bytes",
                function.memory_size().unwrap_or_default(),
                function.timeout().unwrap_or_default(),
                function.code_size()
            );
            found.push(Found { resource: Resource::Function(name.to_owned()), details });
        }
    }
    found.sort_by(|left, right| left.resource.cmp(&right.resource));
    Ok(found)
}

/// Whether it has benchwright's tag. Functions of another program may have the same prefix in their names.
async fn is_ours(account: &Account, arn: &str) -> Result<bool, LambdaError> {
    let tags = account.lambda.list_tags().resource(arn).send().await.if_there("read a function's tags")?;
    Ok(tags.is_some_and(|output| {
        output.tags.is_some_and(|tags| tags.get(TAG).is_some_and(|value| value == TAG_VALUE))
    }))
}

/// The bucket's name is unique, so it belongs to benchwright even without the tag, which may be missing after
/// a crash.
async fn find_bucket(account: &Account, name: String) -> Result<Option<Found>, LambdaError> {
    let what = format!("look into the bucket `{name}`");
    let listing = account.s3.list_objects_v2().bucket(&name).send().await.if_there(&what)?;
    Ok(listing.map(|listing| {
        let more = if listing.is_truncated().unwrap_or(false) { "more than " } else { "" };
        let bytes: i64 = listing.contents().iter().filter_map(|object| object.size()).sum();
        let details = format!("{more}{} objects, {bytes} bytes", listing.contents().len());
        Found { resource: Resource::Bucket(name), details }
    }))
}

async fn find_role(account: &Account, name: String) -> Result<Option<Found>, LambdaError> {
    let what = format!("look at the role `{name}`");
    let role = account.iam.get_role().role_name(&name).send().await.if_there(&what)?;
    Ok(role.map(|_| Found { resource: Resource::Role(name), details: "no rights".into() }))
}

async fn remove(account: &Account, resource: &Resource) -> Result<(), LambdaError> {
    let what = format!("remove the {resource}");
    match resource {
        Resource::Function(name) => {
            account.lambda.delete_function().function_name(name).send().await.if_there(&what)?;
        }
        Resource::Bucket(name) => {
            empty(account, name, &what).await?;
            account.s3.delete_bucket().bucket(name).send().await.if_there(&what)?;
        }
        Resource::Role(name) => {
            account.iam.delete_role().role_name(name).send().await.if_there(&what)?;
        }
    }
    Ok(())
}

async fn empty(account: &Account, bucket: &str, what: &str) -> Result<(), LambdaError> {
    let s3 = &account.s3;
    loop {
        let listing = s3.list_objects_v2().bucket(bucket).send().await.if_there(what)?;
        let keys: Vec<ObjectIdentifier> = listing
            .iter()
            .flat_map(|listing| listing.contents())
            .filter_map(|object| ObjectIdentifier::builder().key(object.key()?).build().ok())
            .collect();
        if keys.is_empty() {
            return Ok(());
        }
        let delete = Delete::builder().set_objects(Some(keys)).quiet(true).build();
        let delete =
            delete.map_err(|error| LambdaError::Service { what: what.into(), why: error.to_string() })?;
        let output = s3.delete_objects().bucket(bucket).delete(delete).send().await.explained(what)?;
        if let Some(error) = output.errors().first() {
            let why = error.message().unwrap_or("an object cannot be removed").to_owned();
            return Err(LambdaError::Service { what: what.into(), why });
        }
    }
}
