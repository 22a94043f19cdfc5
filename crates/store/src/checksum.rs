//! Tells whether a trial is read as it was written: SQLite does not notice a flipped bit inside a value.

use benchwright_model::wire::nanoseconds;
use benchwright_model::{Outcome, Position, Trial};

use crate::exact::{floats_bytes, integers_bytes};
use crate::text::to_text;

/// CRC-32 as in IEEE 802.3: reflected, polynomial 0xEDB88320.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Checksum(u32);

impl Checksum {
    pub(crate) fn new() -> Checksum {
        Checksum(!0)
    }

    pub(crate) fn bytes(self, bytes: &[u8]) -> Checksum {
        const TABLE: [u32; 256] = table();
        let next = |crc: u32, byte: &u8| TABLE[((crc ^ u32::from(*byte)) & 0xff) as usize] ^ (crc >> 8);
        Checksum(bytes.iter().fold(self.0, next))
    }

    pub(crate) fn value(self) -> u32 {
        !self.0
    }

    /// Text or a list with its length, so that what follows cannot be taken for a part of it.
    fn part(self, bytes: &[u8]) -> Checksum {
        self.number(bytes.len() as u64).bytes(bytes)
    }

    fn number(self, number: u64) -> Checksum {
        self.bytes(&number.to_le_bytes())
    }

    /// `None` differs from `Some(0)`.
    fn maybe(self, number: Option<u64>) -> Checksum {
        match number {
            Some(number) => self.bytes(&[1]).number(number),
            None => self.bytes(&[0]),
        }
    }
}

/// The checksum of everything a trial says.
pub(crate) fn of_trial(trial: &Trial) -> u32 {
    let id = &trial.benchmark;
    let mut sum =
        Checksum::new().part(id.harness.as_bytes()).part(id.package.as_bytes()).part(id.name.as_bytes());
    sum = sum.part(to_text(&trial.side).as_bytes()).part(to_text(&trial.phase).as_bytes());
    let (kind, numbers) = match trial.position {
        Position::Duet { index, attempt, first } => (0, [index, attempt, u32::from(first)]),
        Position::Levels { instance, suite_run, iteration } => (1, [instance, suite_run, iteration]),
    };
    sum = numbers.iter().fold(sum.number(kind), |sum, number| sum.number(u64::from(*number)));
    sum = sum.maybe(trial.layout.map(u64::from)).number(trial.started_at.0.cast_unsigned());
    let usage = &trial.usage;
    for time in [usage.wall, usage.user, usage.system] {
        sum = sum.number(nanoseconds::from_duration(&time).cast_unsigned());
    }
    sum = sum.number(usage.max_rss_bytes).number(u64::from(usage.processes));
    sum = sum.part(trial.stopped.as_ref().map(to_text).unwrap_or_default().as_bytes());
    if let Some(instance) = &trial.instance {
        sum = sum.part(instance.id.0.as_bytes()).number(u64::from(instance.is_cold));
    }
    match &trial.outcome {
        Outcome::Failed(failure) => {
            sum = sum.part(to_text(&failure.kind).as_bytes()).part(failure.detail.as_bytes());
        }
        Outcome::Measured(measurement) => {
            sum = sum.number(u64::from(measurement.warmup)).part(&integers_bytes(&measurement.operations));
            for series in &measurement.series {
                let metric = &series.metric;
                let words = [to_text(&metric.unit), to_text(&metric.direction), to_text(&metric.nature)];
                sum = words
                    .iter()
                    .fold(sum.part(metric.name.as_bytes()), |sum, word| sum.part(word.as_bytes()));
                sum = sum.number(series.resolution.to_bits()).part(&floats_bytes(&series.values));
            }
            // Trials from before it was kept have none, and their checksum is what it was.
            if let Some(kind) = measurement.sample_kind {
                sum = sum.part(to_text(&kind).as_bytes());
            }
        }
    }
    sum.value()
}

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        let mut value = index as u32;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 1 == 1 { (value >> 1) ^ 0xEDB8_8320 } else { value >> 1 };
            bit += 1;
        }
        table[index] = value;
        index += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_usual_one() {
        assert_eq!(Checksum::new().bytes(b"").value(), 0);
        assert_eq!(Checksum::new().bytes(b"1234").bytes(b"56789").value(), 0xCBF4_3926);
    }
}
