//! The fields that are read, as serde sees them. Everything may be absent or null; what is there must be of
//! its type, else the object that holds it is said to be unreadable. Nothing here is kept: [`super`] turns
//! these borrowed values into observed ones.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A string, borrowed where the text allows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Text<'a>(Cow<'a, str>);

impl<'a> Text<'a> {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn into_inner(self) -> Cow<'a, str> {
        self.0
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Strings;
        impl<'de> Visitor<'de> for Strings {
            type Value = Text<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(Strings)
    }
}

/// A map of strings in the order of the text; null is an empty one, and a null value an empty string.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pairs<'a>(pub(crate) Vec<(Text<'a>, Text<'a>)>);

impl<'de: 'a, 'a> Deserialize<'de> for Pairs<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Maps;
        impl<'de> Visitor<'de> for Maps {
            type Value = Pairs<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map of strings")
            }
            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(Pairs::default())
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut pairs = Vec::new();
                while let Some((key, value)) = map.next_entry::<Text<'de>, Option<Text<'de>>>()? {
                    pairs.push((key, value.unwrap_or_default()));
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_any(Maps)
    }
}

/// A list; null is an empty one, and null entries are passed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entries<T>(pub(crate) Vec<T>);

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Entries<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Lists<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Lists<T> {
            type Value = Entries<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }
            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(Entries::default())
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = list.next_element::<Option<T>>()? {
                    entries.extend(entry);
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_any(Lists(std::marker::PhantomData))
    }
}

/// Whether something stands there: a value other than null, an empty object, an empty list and an empty text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Filled(pub(crate) bool);

impl<'de> Deserialize<'de> for Filled {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Anything;
        impl<'de> Visitor<'de> for Anything {
            type Value = Filled;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_unit<E>(self) -> Result<Filled, E> {
                Ok(Filled(false))
            }
            fn visit_bool<E>(self, _: bool) -> Result<Filled, E> {
                Ok(Filled(true))
            }
            fn visit_i64<E>(self, _: i64) -> Result<Filled, E> {
                Ok(Filled(true))
            }
            fn visit_u64<E>(self, _: u64) -> Result<Filled, E> {
                Ok(Filled(true))
            }
            fn visit_f64<E>(self, _: f64) -> Result<Filled, E> {
                Ok(Filled(true))
            }
            fn visit_str<E>(self, text: &str) -> Result<Filled, E> {
                Ok(Filled(!text.is_empty()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Filled, A::Error> {
                let mut filled = false;
                while list.next_element::<IgnoredAny>()?.is_some() {
                    filled = true;
                }
                Ok(Filled(filled))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Filled, A::Error> {
                let mut filled = false;
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {
                    filled = true;
                }
                Ok(Filled(filled))
            }
        }
        deserializer.deserialize_any(Anything)
    }
}

/// Whether a value other than null stands there: `{"waiting": {}}` waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Present(pub(crate) bool);

impl<'de> Deserialize<'de> for Present {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::<IgnoredAny>::deserialize(deserializer).map(|value| Self(value.is_some()))
    }
}

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Metadata<'a> {
    #[serde(borrow)]
    pub(crate) name: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) namespace: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) uid: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) resource_version: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) labels: Pairs<'a>,
    #[serde(borrow)]
    pub(crate) annotations: Pairs<'a>,
    pub(crate) deletion_timestamp: Filled,
    #[serde(borrow)]
    pub(crate) owner_references: Entries<OwnerReference<'a>>,
}

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(crate) struct OwnerReference<'a> {
    #[serde(borrow)]
    pub(crate) kind: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) name: Option<Text<'a>>,
    pub(crate) controller: Option<bool>,
}

/// Metadata of a list.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ListMetadata<'a> {
    #[serde(borrow, rename = "continue")]
    pub(crate) next: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) resource_version: Option<Text<'a>>,
    pub(crate) remaining_item_count: Option<u64>,
}

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(crate) struct NodeSpec<'a> {
    pub(crate) unschedulable: Option<bool>,
    #[serde(borrow)]
    pub(crate) taints: Entries<Taint<'a>>,
}

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(crate) struct Taint<'a> {
    #[serde(borrow)]
    pub(crate) key: Option<Text<'a>>,
}

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct NodeStatus<'a> {
    #[serde(borrow)]
    pub(crate) conditions: Entries<Condition<'a>>,
    #[serde(borrow)]
    pub(crate) node_info: Option<NodeInfo<'a>>,
    #[serde(borrow)]
    pub(crate) addresses: Entries<Address<'a>>,
    #[serde(borrow)]
    pub(crate) images: Entries<Image<'a>>,
}

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Condition<'a> {
    #[serde(borrow, rename = "type")]
    pub(crate) kind: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) status: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) last_heartbeat_time: Option<Text<'a>>,
}

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct NodeInfo<'a> {
    #[serde(borrow)]
    pub(crate) kubelet_version: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) container_runtime_version: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) operating_system: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) os_image: Option<Text<'a>>,
}

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(crate) struct Address<'a> {
    #[serde(borrow, rename = "type")]
    pub(crate) kind: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) address: Option<Text<'a>>,
}

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(crate) struct Image<'a> {
    #[serde(borrow)]
    pub(crate) names: Entries<Text<'a>>,
}

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct PodSpec<'a> {
    #[serde(borrow)]
    pub(crate) node_name: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) containers: Entries<Container<'a>>,
}

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(crate) struct Container<'a> {
    #[serde(borrow)]
    pub(crate) name: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) image: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) command: Entries<Text<'a>>,
    #[serde(borrow)]
    pub(crate) args: Entries<Text<'a>>,
}

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct PodStatus<'a> {
    #[serde(borrow)]
    pub(crate) phase: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) container_statuses: Option<Entries<Status<'a>>>,
}

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Status<'a> {
    #[serde(borrow)]
    pub(crate) name: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) image: Option<Text<'a>>,
    #[serde(borrow, rename = "imageID")]
    pub(crate) image_id: Option<Text<'a>>,
    pub(crate) restart_count: Option<i64>,
    pub(crate) state: Option<State>,
    pub(crate) last_state: Filled,
}

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(crate) struct State {
    pub(crate) waiting: Present,
    pub(crate) running: Present,
    pub(crate) terminated: Present,
}

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct LeaseSpec<'a> {
    #[serde(borrow)]
    pub(crate) renew_time: Option<Text<'a>>,
}

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(crate) struct OperatorStatus<'a> {
    #[serde(borrow)]
    pub(crate) versions: Entries<OperandVersion<'a>>,
    #[serde(borrow)]
    pub(crate) conditions: Entries<Condition<'a>>,
}

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(crate) struct OperandVersion<'a> {
    #[serde(borrow)]
    pub(crate) name: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) version: Option<Text<'a>>,
}

/// What `/version` answers.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct VersionInfo<'a> {
    #[serde(borrow)]
    pub(crate) major: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) minor: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) git_version: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) emulation_major: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) emulation_minor: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) min_compatibility_major: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) min_compatibility_minor: Option<Text<'a>>,
}

/// What an API server answers instead of what was asked.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(crate) struct StatusAnswer<'a> {
    #[serde(borrow)]
    pub(crate) message: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) reason: Option<Text<'a>>,
    pub(crate) code: Option<u16>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nulls_stand_for_what_is_not_there() {
        let text = r#"{"name":null,"labels":null,"annotations":{"a":null},"deletionTimestamp":null,
            "ownerReferences":[null,{"kind":"Node","name":null,"controller":null}]}"#;
        let metadata: Metadata<'_> = serde_json::from_str(text).unwrap();
        assert_eq!(metadata.name, None);
        assert!(metadata.labels.0.is_empty());
        assert_eq!(
            metadata.annotations.0,
            [(Text(Cow::Borrowed("a")), Text::default())]
        );
        assert_eq!(metadata.deletion_timestamp, Filled(false));
        assert_eq!(metadata.owner_references.0.len(), 1);
    }

    #[test]
    fn an_odd_type_in_a_field_that_is_read_is_an_error() {
        for text in [
            r#"{"name":7}"#,
            r#"{"labels":[]}"#,
            r#"{"labels":{"a":1}}"#,
            r#"{"ownerReferences":{}}"#,
            r#"{"name":"a","name":"b"}"#,
        ] {
            assert!(serde_json::from_str::<Metadata<'_>>(text).is_err(), "{text}");
        }
        assert!(serde_json::from_str::<Status<'_>>(r#"{"restartCount":"2"}"#).is_err());
        assert!(serde_json::from_str::<NodeStatus<'_>>(r#"{"nodeInfo":"v1.30.0"}"#).is_err());
    }

    #[test]
    fn an_empty_last_state_holds_nothing_and_an_empty_waiting_state_waits() {
        let text = r#"{"lastState":{},"state":{"waiting":{},"running":null}}"#;
        let status: Status<'_> = serde_json::from_str(text).unwrap();
        assert_eq!(status.last_state, Filled(false));
        let state = status.state.unwrap();
        assert_eq!((state.waiting, state.running), (Present(true), Present(false)));
    }
}
