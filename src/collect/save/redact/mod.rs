//! A snapshot that is safe to share: rebuilt from an allow-list of what a judgement reads. Components, minors and
//! patches, known platform suffixes and label keys stay; every name becomes a stand-in, the same one everywhere and in
//! the order of the names it stands for; nothing else survives. The report of it is the report of the cluster.
//!
//! [`stand_ins`] numbers names, [`versions`] and [`images`] rebuild what tells a version, [`objects`] walks all that
//! was seen. It walks first to learn which names there are, so that none can be forgotten.

mod images;
mod objects;
mod stand_ins;
mod versions;

pub(super) use objects::redact;
