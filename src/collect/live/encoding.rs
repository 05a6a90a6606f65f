//! How answers are written, and how each kind of answer is asked for.

/// What lists are asked for in: protobuf, and JSON where a server has none.
pub(super) const PROTOBUF: &str = "application/vnd.kubernetes.protobuf, application/json";

/// How a table is asked for: the columns that kubectl prints, in JSON.
pub(super) const TABLE: &str = "application/json;as=Table;g=meta.k8s.io;v=v1";

/// What everything else is asked for in.
pub(super) const JSON: &str = "application/json";

/// How an answer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Protobuf,
    Json,
}

impl Encoding {
    /// The encoding that a `Content-Type` names; `None` for what no Kubernetes API answers in.
    pub(super) fn of(content_type: &str) -> Option<Self> {
        let essence = content_type.split(';').next().unwrap_or_default().trim();
        if essence.eq_ignore_ascii_case("application/vnd.kubernetes.protobuf") {
            Some(Self::Protobuf)
        } else if essence.eq_ignore_ascii_case(JSON) {
            Some(Self::Json)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_types_are_read_with_their_parameters() {
        for (content_type, encoding) in [
            ("application/JSON; charset=utf-8", Some(Encoding::Json)),
            ("application/vnd.kubernetes.protobuf", Some(Encoding::Protobuf)),
            (
                "application/vnd.kubernetes.protobuf;stream=watch",
                Some(Encoding::Protobuf),
            ),
            (
                "application/json;as=Table;g=meta.k8s.io;v=v1",
                Some(Encoding::Json),
            ),
            ("text/html", None),
            ("", None),
        ] {
            assert_eq!(Encoding::of(content_type), encoding, "{content_type}");
        }
    }
}
