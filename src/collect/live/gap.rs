//! A read that failed, as the evidence of a gap: what the server answered in fields of its own, or what kept it from
//! answering.

use super::list::Collected;
use crate::collect::connect::request_error::RequestError;
use crate::inventory::observed::{Cut, Listing};
use crate::inventory::read_gap::{ReadFault, bounded};

impl From<&RequestError> for ReadFault {
    fn from(fault: &RequestError) -> Self {
        match fault {
            RequestError::Status(status) => Self::Status {
                code: status.code,
                reason: status.reason.as_deref().and_then(bounded).or_else(|| {
                    let known = http::StatusCode::from_u16(status.code).ok()?;
                    known.canonical_reason().map(str::to_owned)
                }),
                message: status.message.as_deref().and_then(bounded),
                user: status.user(),
            },
            RequestError::NotKubernetes {
                code,
                content_type,
                title,
            } => Self::NotKubernetes {
                code: *code,
                content_type: bounded(content_type),
                title: title.as_deref().and_then(bounded),
            },
            RequestError::Elsewhere { code, to } => Self::OtherServer {
                code: *code,
                to: bounded(to),
            },
            RequestError::Garbled(detail) => Self::Garbled {
                detail: bounded(detail),
            },
            RequestError::Cut => Self::Cut,
            RequestError::TimedOut(within) => Self::TimedOut(*within),
            RequestError::RunTimedOut(within) => Self::RunTimedOut(*within),
            RequestError::Expired(times) => Self::Expired(*times),
            RequestError::Connect(fault) => Self::NoConnection {
                detail: bounded(&fault.to_string()),
            },
        }
    }
}

/// The listing that a collected list is; its objects stand in that namespace.
pub(super) fn listing<T>(collected: Collected<T>, namespace: Option<&str>) -> Listing<T> {
    let Collected {
        items,
        listed,
        mut broken,
        fault,
    } = collected;
    for object in broken.first_mut() {
        object.namespace = namespace.map(str::to_owned);
    }
    match fault {
        Some(fault) if listed == 0 => Listing::Failed(ReadFault::from(&fault)),
        fault => Listing::Read {
            items,
            listed,
            cut: fault.map(|fault| Cut::Fault(ReadFault::from(&fault))),
            broken,
        },
    }
}
