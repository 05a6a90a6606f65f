//! The Leases by which kube-apiservers show that they run.

use crate::inventory::observed::ObservedLease;

/// How long a Lease lives: apiservers renew theirs every ten seconds and leave it behind for an hour.
const LEASE_LIFE_SECONDS: i64 = 60;

/// How many Leases live: those renewed within a minute of the newest renewal among them. The clock of whoever
/// asks plays no part. `None` where no Lease has a time of renewal.
pub(super) fn live_leases(leases: &[ObservedLease]) -> Option<usize> {
    let renewals = || leases.iter().filter_map(|lease| lease.renewed);
    let newest = renewals().max()?;
    let live = renewals()
        .filter(|renewed| newest.duration_since(*renewed).as_secs() <= LEASE_LIFE_SECONDS)
        .count();
    Some(live)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inventory::observed::Meta;

    fn lease(renewed: &str) -> ObservedLease {
        ObservedLease {
            meta: Meta::default(),
            renewed: Some(renewed.parse().unwrap()),
        }
    }

    #[test]
    fn a_lease_lives_a_minute_beyond_the_newest_renewal_whatever_the_clock_here() {
        let leases = [
            lease("2001-01-01T00:01:00Z"),
            lease("2001-01-01T00:00:00Z"),
            lease("2000-12-31T23:59:59Z"),
            ObservedLease {
                meta: Meta::default(),
                renewed: None,
            },
        ];
        assert_eq!(live_leases(&leases), Some(2));
        assert_eq!(live_leases(&leases[3..]), None);
        assert_eq!(live_leases(&[]), None);
    }
}
