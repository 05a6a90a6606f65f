//! Objects in protobuf, which comes from live clusters alone. [`list`] takes a list apart while it arrives, this file
//! an object into its members.

pub mod list;

use bytes::{Buf, Bytes};
use prost::Message;
use prost::encoding::{WireType, decode_key, decode_varint};
use serde::de::DeserializeOwned;

use super::objects;
use super::read::{Encoded, Members, SeenPod, text, undecodable};
use crate::inventory::labels::Wanted;
use crate::inventory::observed::{ObservedLease, ObservedNode};
use crate::inventory::read_gap::UnreadableObject;

/// The fields of an object of several megabytes. A field of two bytes may become a struct of a hundred.
const MAX_FIELDS: usize = 50_000;

/// An object no larger than this has no more fields than those.
const SMALL: usize = MAX_FIELDS;

impl Encoded for Bytes {
    fn decode<M: Message + Default + DeserializeOwned>(self) -> Result<M, String> {
        M::decode(self).map_err(|error| error.to_string())
    }

    fn is_empty(&self) -> bool {
        Bytes::is_empty(self)
    }
}

/// Decodes a Node.
pub fn node(bytes: Bytes, wanted: &Wanted) -> Result<ObservedNode, Box<UnreadableObject>> {
    members(bytes)?.node(wanted).map(|seen| seen.node)
}

/// Decodes a Pod; `hosted` is the namespace of `-n`.
pub fn pod(bytes: Bytes, wanted: &Wanted, hosted: Option<&str>) -> Result<SeenPod, Box<UnreadableObject>> {
    members(bytes)?.pod(wanted, hosted)
}

/// Decodes a Lease.
pub fn lease(bytes: Bytes) -> Result<Option<ObservedLease>, Box<UnreadableObject>> {
    members(bytes)?.lease().map(|seen| seen.identity)
}

/// The token of the page behind this one, from the metadata of a list; empty on the last page.
pub fn next_page(list_meta: Bytes) -> Result<String, prost::DecodeError> {
    let meta = objects::ListMeta::decode(list_meta)?;
    Ok(text(&meta.r#continue).unwrap_or_default())
}

/// Reason and message of the refusal in this body.
pub fn refusal(body: &[u8]) -> Option<(Option<String>, Option<String>)> {
    #[derive(Clone, PartialEq, Message)]
    struct Unknown {
        #[prost(bytes = "bytes", tag = "2")]
        raw: Bytes,
    }
    let envelope = Unknown::decode(body.strip_prefix(list::MAGIC)?).ok()?;
    let status = objects::Status::decode(envelope.raw).ok()?;
    Some((text(&status.reason), text(&status.message)))
}

/// Takes an object apart: all kinds number their members alike.
fn members(bytes: Bytes) -> Result<Members<Bytes>, Box<UnreadableObject>> {
    #[derive(Clone, PartialEq, Message)]
    struct Object {
        #[prost(bytes = "bytes", tag = "1")]
        metadata: Bytes,
        #[prost(bytes = "bytes", tag = "2")]
        spec: Bytes,
        #[prost(bytes = "bytes", tag = "3")]
        status: Bytes,
    }
    if bytes.len() > SMALL && count_fields(&bytes, 3) > MAX_FIELDS {
        return Err(undecodable(&format_args!("more than {MAX_FIELDS} fields")));
    }
    let mut object = Object::default();
    if let Err(error) = object.merge(bytes) {
        let mut broken = undecodable(&error);
        // What stands before the fault may name the object.
        if let Ok(metadata) = objects::ObjectMeta::decode(object.metadata) {
            broken.name = text(&metadata.name);
            broken.namespace = text(&metadata.namespace);
        }
        return Err(broken);
    }
    Ok(Members {
        metadata: Some(object.metadata),
        spec: Some(object.spec),
        status: Some(object.status),
    })
}

/// How many fields a message has down to that depth, and at least those of its messages.
fn count_fields(mut bytes: &[u8], depth: u32) -> usize {
    let mut fields = 0;
    while let Ok((_, wire_type)) = decode_key(&mut bytes) {
        fields += 1;
        let length = match wire_type {
            WireType::LengthDelimited => decode_varint(&mut bytes).unwrap_or(u64::MAX),
            WireType::Varint => decode_varint(&mut bytes).map_or(u64::MAX, |_| 0),
            WireType::SixtyFourBit => 8,
            WireType::ThirtyTwoBit => 4,
            WireType::StartGroup | WireType::EndGroup => u64::MAX,
        };
        let Some(content) = usize::try_from(length)
            .ok()
            .and_then(|length| bytes.get(..length))
        else {
            break;
        };
        if depth > 0 && wire_type == WireType::LengthDelimited {
            fields += count_fields(content, depth - 1);
        }
        bytes.advance(content.len());
    }
    fields
}

#[cfg(test)]
mod tests;
