//! `/version`, and asking for it over fresh connections where several apiservers stand behind one address.

use jiff::Timestamp;
use tokio::task::JoinSet;

use super::request::Requests;
use crate::collect::connect::request_error::RequestError;
use crate::collect::wire::json;
use crate::inventory::observed::{ObservedLease, VersionAnswer};

/// No more connections than this are made for the sake of versions.
const MOST: usize = 8;

/// A Lease that was not renewed for so long, by the newest renewal among them, is a dead apiserver's.
const ALIVE_SECONDS: i64 = 60;

/// What fresh connections answered.
pub(super) struct Afresh {
    pub(super) answers: Vec<VersionAnswer>,
    pub(super) tried: usize,
}

/// Asks for `/version`.
pub(super) async fn ask(requests: &Requests) -> Result<VersionAnswer, RequestError> {
    let bytes = requests.text("/version").await?;
    let garbled = |why: String| RequestError::Garbled(why);
    let text = std::str::from_utf8(&bytes).map_err(|_| garbled("it is no UTF-8".to_owned()))?;
    json::version(text)
        .map_err(|error| garbled(super::shown(&error)))?
        .ok_or_else(|| garbled("it tells no version".to_owned()))
}

/// Asks for `/version` over as many fresh connections as apiservers live. The connection of the first answer is none
/// of them: a balancer that hands connections out in turn has given others to the lists since, and may come
/// back to the same apiserver with the next.
pub(super) async fn ask_afresh(
    requests: &Requests,
    clients: &crate::collect::connect::Clients,
    live: usize,
) -> Afresh {
    let tried = live.min(MOST);
    let mut asked = JoinSet::new();
    for _ in 0..tried {
        if let Ok(client) = clients.client() {
            let requests = requests.over(client);
            asked.spawn(async move { ask(&requests).await });
        }
    }
    let answers = asked.join_all().await.into_iter().flatten().collect();
    Afresh { answers, tried }
}

/// How many apiservers live, by their Leases.
pub(super) fn live(leases: &[ObservedLease]) -> usize {
    let renewals = || {
        leases
            .iter()
            .filter_map(|lease| lease.renewed)
            .map(Timestamp::as_second)
    };
    let Some(newest) = renewals().max() else { return 0 };
    renewals()
        .filter(|renewed| newest - renewed <= ALIVE_SECONDS)
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inventory::observed::Meta;

    fn lease(renewed: Option<&str>) -> ObservedLease {
        ObservedLease {
            meta: Meta::default(),
            renewed: renewed.map(|time| time.parse().unwrap()),
        }
    }

    #[test]
    fn leases_live_by_the_newest_renewal_and_not_by_our_clock() {
        let leases = [
            lease(Some("2001-01-01T00:00:00Z")),
            lease(Some("2001-01-01T00:59:00.5Z")),
            lease(Some("2001-01-01T01:00:00Z")),
            lease(None),
        ];
        assert_eq!(live(&leases), 2);
        assert_eq!(live(&leases[3..]), 0);
        assert_eq!(live(&[]), 0);
    }
}
