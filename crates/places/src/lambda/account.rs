//! The way to the platform.

use std::time::Duration;

use aws_config::retry::RetryConfig;
use aws_config::stalled_stream_protection::StalledStreamProtectionConfig;
use aws_config::timeout::TimeoutConfig;
use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_sdk_s3::config::RequestChecksumCalculation;
use aws_smithy_http_client::Builder;
use aws_smithy_http_client::tls::Provider;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use tokio::runtime::Runtime;

use super::error::Explained;
use crate::lambda::{LambdaError, LambdaSettings};

/// How long it may take to reach the platform at all.
const CONNECT: Duration = Duration::from_secs(5);

/// How long a request that is no call may take.
const REQUEST: Duration = Duration::from_secs(60);

/// An account's region, as the SDK's chain finds it. Credentials stay inside the SDK.
pub struct Account {
    pub(crate) runtime: Runtime,
    pub(crate) lambda: aws_sdk_lambda::Client,
    /// Waits as long as a call may take, and asks once: who sends calls asks again in its own way.
    pub(crate) calls: aws_sdk_lambda::Client,
    pub(crate) s3: aws_sdk_s3::Client,
    pub(crate) iam: aws_sdk_iam::Client,
    sts: aws_sdk_sts::Client,
    region: String,
}

impl Account {
    /// Finds the way; reads files of the SDK, reaches nothing yet.
    pub fn open(settings: &LambdaSettings) -> Result<Self, LambdaError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(LambdaError::Runtime)?;
        let shared = runtime.block_on(load(settings));
        let region = shared.region().ok_or(LambdaError::NoRegion)?.to_string();
        let s3 = aws_sdk_s3::config::Builder::from(&shared)
            .force_path_style(settings.endpoint.is_some())
            // Other stores that speak its language do not know its newer checksums.
            .request_checksum_calculation(RequestChecksumCalculation::WhenRequired)
            .build();
        let calls = aws_sdk_lambda::config::Builder::from(&shared)
            .retry_config(RetryConfig::disabled())
            .timeout_config(timeouts(settings.patience()))
            // A call answers nothing until it has measured.
            .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
            .build();
        Ok(Account {
            lambda: aws_sdk_lambda::Client::new(&shared),
            calls: aws_sdk_lambda::Client::from_conf(calls),
            s3: aws_sdk_s3::Client::from_conf(s3),
            iam: aws_sdk_iam::Client::new(&shared),
            sts: aws_sdk_sts::Client::new(&shared),
            region,
            runtime,
        })
    }

    /// The region's name.
    pub fn region(&self) -> &str {
        &self.region
    }

    /// The account's number.
    pub(crate) async fn number(&self) -> Result<String, LambdaError> {
        let identity = self
            .sts
            .get_caller_identity()
            .send()
            .await
            .explained("ask AWS for the identity of these credentials")?;
        Ok(identity.account().unwrap_or_default().to_owned())
    }
}

async fn load(settings: &LambdaSettings) -> SdkConfig {
    let http = Builder::new().tls_provider(Provider::Rustls(CryptoMode::Ring)).build_https();
    let mut loader =
        aws_config::defaults(BehaviorVersion::latest()).http_client(http).timeout_config(timeouts(REQUEST));
    if let Some(region) = &settings.region {
        loader = loader.region(Region::new(region.clone()));
    }
    if let Some(profile) = &settings.profile {
        loader = loader.profile_name(profile);
    }
    if let Some(endpoint) = &settings.endpoint {
        loader = loader.endpoint_url(endpoint);
    }
    loader.load().await
}

fn timeouts(attempt: Duration) -> TimeoutConfig {
    TimeoutConfig::builder().connect_timeout(CONNECT).operation_attempt_timeout(attempt).build()
}
