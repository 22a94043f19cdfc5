//! AWS Lambda: turns settings into the place.

mod place;

use benchwright_config::{FunctionArchitecture, LambdaSettings as Configured, Settings};
use benchwright_places::lambda::{LambdaError, LambdaSettings, Prices};
use benchwright_places::package::Architecture;

pub use place::AwsLambda;

use crate::problem::Problem;

/// The settings of the place, from those of the user.
pub fn settings(settings: &Settings) -> LambdaSettings {
    let Configured { repeats, parallel, execution_limit, time_limit, memory, tmp_size, .. } = settings.lambda;
    let configured = settings.lambda.clone();
    LambdaSettings {
        repeats,
        parallel,
        execution_limit,
        time_limit,
        memory,
        tmp_size,
        architecture: configured.architecture.map(|architecture| match architecture {
            FunctionArchitecture::X86 => Architecture::X86,
            FunctionArchitecture::Arm => Architecture::Arm,
        }),
        region: configured.region,
        profile: configured.profile,
        endpoint: configured.endpoint,
        function: configured.function,
        bucket: configured.bucket,
        include: configured.include,
        prices: Prices {
            x86_gb_second: configured.price_x86,
            arm_gb_second: configured.price_arm,
            tmp_gb_second: configured.price_tmp,
            request: configured.price_request,
        },
        ..LambdaSettings::default()
    }
}

/// The architecture of functions: as configured, otherwise that of this machine, which makes the builds.
pub fn architecture(settings: &LambdaSettings) -> Result<Architecture, Problem> {
    settings.architecture.or_else(Architecture::here).ok_or_else(|| {
        let error = format!("find a function for this machine's architecture {}", std::env::consts::ARCH);
        Problem::misuse(error, "builds for x86_64 and arm64 run on AWS Lambda")
    })
}

impl From<LambdaError> for Problem {
    fn from(error: LambdaError) -> Self {
        let hint = error.hint();
        if error.is_misuse() { Problem::misuse(error, hint) } else { Problem::failed(error, hint) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The configuration and the place define the same defaults, each in its own code.
    #[test]
    fn what_nobody_configured_is_the_places_own_default() {
        assert_eq!(settings(&Settings::defaults()), LambdaSettings::default());
    }
}
