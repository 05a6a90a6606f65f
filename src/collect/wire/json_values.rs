//! How the values of [`objects`](super::objects) stand in JSON: texts as bytes, maps as lists of entries, moments as
//! texts. Null is an empty value everywhere, and a null among a list's elements is passed over.

use std::fmt;

use bytes::Bytes;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::Serializer;

use super::objects::{Entry, Time};

/// More elements than any list that is read has. An element of two characters becomes a struct of a hundred bytes.
const MAX_ELEMENTS: usize = 50_000;

/// A value, or the empty one where it is null.
pub(super) fn or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// A list without its null elements.
pub(super) fn list<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    or_default::<D, List<T>>(deserializer).map(|list| list.0)
}

struct List<T>(Vec<T>);

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Elements<T>(Vec<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Elements<T> {
            type Value = List<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }
            fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<Self::Value, A::Error> {
                while let Some(element) = list.next_element::<Option<T>>()? {
                    self.0.extend(element);
                    check(self.0.len())?;
                }
                Ok(List(self.0))
            }
        }
        deserializer.deserialize_seq(Elements(Vec::new()))
    }
}

fn check<E: Error>(elements: usize) -> Result<(), E> {
    if elements > MAX_ELEMENTS {
        return Err(E::custom(format_args!("more than {MAX_ELEMENTS} elements")));
    }
    Ok(())
}

/// A text as bytes.
#[derive(Default)]
struct Text(Bytes);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Texts;
        impl Visitor<'_> for Texts {
            type Value = Text;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_str<E>(self, text: &str) -> Result<Text, E> {
                Ok(Text(Bytes::copy_from_slice(text.as_bytes())))
            }
        }
        deserializer.deserialize_str(Texts)
    }
}

fn lossy<S: Serializer>(bytes: &Bytes, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&String::from_utf8_lossy(bytes))
}

pub(super) mod text {
    use super::{Bytes, Deserializer, Serializer, Text, lossy, or_default};

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Bytes, D::Error> {
        or_default(from).map(|text: Text| text.0)
    }

    pub(in super::super) fn serialize<S: Serializer>(text: &Bytes, into: S) -> Result<S::Ok, S::Error> {
        lossy(text, into)
    }
}

pub(super) mod texts {
    use super::{Bytes, Deserializer, Serializer, Text, list};

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Bytes>, D::Error> {
        Ok(list::<D, Text>(from)?.into_iter().map(|text| text.0).collect())
    }

    pub(in super::super) fn serialize<S: Serializer>(texts: &[Bytes], into: S) -> Result<S::Ok, S::Error> {
        into.collect_seq(texts.iter().map(|text| String::from_utf8_lossy(text)))
    }
}

/// A map of texts as its entries, in their order.
#[derive(Default)]
struct Entries(Vec<Entry>);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Maps(Vec<Entry>);
        impl<'de> Visitor<'de> for Maps {
            type Value = Entries;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map of strings")
            }
            fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Entries, A::Error> {
                while let Some((Text(key), value)) = map.next_entry::<Text, Option<Text>>()? {
                    let Text(value) = value.unwrap_or_default();
                    self.0.push(Entry { key, value });
                    check(self.0.len())?;
                }
                Ok(Entries(self.0))
            }
        }
        deserializer.deserialize_map(Maps(Vec::new()))
    }
}

pub(super) mod map {
    use super::{Deserializer, Entries, Entry, Serializer, or_default};

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Entry>, D::Error> {
        or_default(from).map(|entries: Entries| entries.0)
    }

    pub(in super::super) fn serialize<S: Serializer>(entries: &[Entry], into: S) -> Result<S::Ok, S::Error> {
        let text = String::from_utf8_lossy;
        into.collect_map(entries.iter().map(|entry| (text(&entry.key), text(&entry.value))))
    }
}

pub(super) mod time {
    use super::{Deserializer, Serializer, Text, Time, or_default};

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Time>, D::Error> {
        let Text(text) = or_default(from)?;
        Ok((!text.is_empty()).then(|| Time::parse(&text)))
    }

    #[expect(clippy::ref_option, reason = "serde passes a reference")]
    pub(in super::super) fn serialize<S: Serializer>(
        time: &Option<Time>,
        into: S,
    ) -> Result<S::Ok, S::Error> {
        match time.and_then(Time::timestamp) {
            // A Lease keeps microseconds, and kubectl reads no other form of them.
            Some(timestamp) => into.collect_str(&format_args!("{timestamp:.6}")),
            None => into.serialize_none(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::objects::{ContainerStatus, NodeStatus, ObjectMeta};
    use super::*;

    #[test]
    fn nulls_stand_for_what_is_not_there() {
        let text = r#"{"name":null,"labels":null,"annotations":{"a":null},"deletionTimestamp":null,
            "ownerReferences":[null,{"kind":"Node","name":null,"controller":null}]}"#;
        let metadata: ObjectMeta = serde_json::from_str(text).unwrap();
        assert!(metadata.name.is_empty() && metadata.labels.is_empty());
        assert_eq!(metadata.annotations[0].key, "a");
        assert!(metadata.annotations[0].value.is_empty());
        assert_eq!(metadata.deletion_timestamp, None);
        assert_eq!(metadata.owner_references.len(), 1);
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
            assert!(serde_json::from_str::<ObjectMeta>(text).is_err(), "{text}");
        }
        assert!(serde_json::from_str::<ContainerStatus>(r#"{"restartCount":"2"}"#).is_err());
        assert!(serde_json::from_str::<NodeStatus>(r#"{"nodeInfo":"v1.30.0"}"#).is_err());
    }

    #[test]
    fn an_empty_last_state_holds_nothing_and_an_empty_waiting_state_waits() {
        let text = r#"{"lastState":{},"state":{"waiting":{},"running":null}}"#;
        let status: ContainerStatus = serde_json::from_str(text).unwrap();
        assert_eq!(
            status.last_state,
            super::super::objects::ContainerState::default()
        );
        assert!(status.state.waiting.is_some() && status.state.running.is_none());
    }

    #[test]
    fn a_list_without_end_is_refused() {
        let text = format!("[{}{{}}]", "{},".repeat(MAX_ELEMENTS));
        let error = serde_json::from_str::<List<ContainerStatus>>(&text)
            .err()
            .unwrap();
        assert!(
            error.to_string().starts_with("more than 50000 elements"),
            "{error}"
        );
    }
}
