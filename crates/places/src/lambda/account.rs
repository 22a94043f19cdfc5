//! Access to the platform.

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

/// Time limit for connecting to the platform.
const CONNECT: Duration = Duration::from_secs(5);

/// Time limit of a request that is not a call.
const REQUEST: Duration = Duration::from_secs(60);

/// An account's region, as determined by the SDK's chain. Credentials stay inside the SDK.
pub struct Account {
    pub(crate) runtime: Runtime,
    pub(crate) lambda: aws_sdk_lambda::Client,
    /// Has the time limit of calls, and sends each only once, because the senders of calls repeat them in
    /// their own way.
    pub(crate) calls: aws_sdk_lambda::Client,
    pub(crate) s3: aws_sdk_s3::Client,
    pub(crate) iam: aws_sdk_iam::Client,
    sts: aws_sdk_sts::Client,
    region: String,
}

impl Account {
    /// Prepares access. It reads files of the SDK but sends nothing yet.
    pub fn open(settings: &LambdaSettings) -> Result<Self, LambdaError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(LambdaError::Runtime)?;
        let shared = runtime.block_on(load(settings));
        let region = shared.region().ok_or(LambdaError::NoRegion)?.to_string();
        let s3 = aws_sdk_s3::config::Builder::from(&shared)
            .force_path_style(settings.endpoint.is_some())
            // Other stores with the same protocol do not support its newer checksums.
            .request_checksum_calculation(RequestChecksumCalculation::WhenRequired)
            .build();
        let calls = aws_sdk_lambda::config::Builder::from(&shared)
            .retry_config(RetryConfig::disabled())
            .timeout_config(timeouts(settings.patience()))
            // A call sends no data until it has measured.
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
