//! Running programs and measuring them: wall time, and the most memory that they held.

use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// One run.
#[derive(Clone, Copy)]
pub(crate) struct Sample {
    /// From start to end.
    pub(crate) wall: Duration,
    /// The most resident memory, in bytes.
    pub(crate) peak: u64,
}

impl Sample {
    /// One after the other: the times add up, the greater memory stands.
    pub(crate) fn then(self, next: Self) -> Self {
        Self {
            wall: self.wall + next.wall,
            peak: self.peak.max(next.peak),
        }
    }
}

/// All runs of one contestant, in order.
pub(crate) struct Figures(Vec<Sample>);

impl Figures {
    /// The least, the median and the greatest wall time.
    pub(crate) fn walls(&self) -> [Duration; 3] {
        let mut walls: Vec<_> = self.0.iter().map(|sample| sample.wall).collect();
        walls.sort();
        [walls[0], walls[walls.len() / 2], walls[walls.len() - 1]]
    }

    /// The greatest memory of any run.
    pub(crate) fn peak(&self) -> u64 {
        self.0.iter().map(|sample| sample.peak).max().unwrap_or_default()
    }
}

/// Runs contestants in turn, once to warm up and then as often as asked.
pub(crate) fn contest<const N: usize>(
    runs: usize,
    mut contestants: [&mut dyn FnMut() -> Sample; N],
) -> [Figures; N] {
    let mut figures = [(); N].map(|()| Figures(Vec::new()));
    for contestant in &mut contestants {
        contestant();
    }
    for _ in 0..runs {
        for (contestant, figures) in contestants.iter_mut().zip(&mut figures) {
            figures.0.push(contestant());
        }
    }
    figures
}

/// The median of the ratios of wall times, run by run.
pub(crate) fn ratio(one: &Figures, other: &Figures) -> f64 {
    let pairs = one.0.iter().zip(&other.0);
    let mut ratios: Vec<_> = pairs
        .map(|(one, other)| one.wall.as_secs_f64() / other.wall.as_secs_f64())
        .collect();
    ratios.sort_by(f64::total_cmp);
    ratios[ratios.len() / 2]
}

/// Runs a program to its end, its output thrown away. A gate that fails is a run all the same; an error is not.
pub(crate) fn run(command: &mut Command) -> Sample {
    let started = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let watcher = thread::spawn(move || {
        let mut peak = 0;
        // The mark only ever rises, and is gone with the process: what is missed is the last half millisecond's.
        while let Some(now) = fs::read_to_string(&status)
            .ok()
            .and_then(|text| high_water(&text))
        {
            peak = now.max(peak);
            thread::sleep(Duration::from_micros(500));
        }
        peak
    });
    let code = child.wait().unwrap().code();
    let wall = started.elapsed();
    assert!(matches!(code, Some(0 | 2)), "{command:?} ended with {code:?}");
    Sample {
        wall,
        peak: watcher.join().unwrap(),
    }
}

fn high_water(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kilobytes * 1024)
}
