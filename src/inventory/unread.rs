//! Component pods whose version is unread, kept one by one: the gaps that name them follow from these, and follow anew
//! when an assumption or an exclusion takes some of them away.

use super::component::Component;

/// A component pod whose version is unread.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnreadPod {
    /// Which component.
    pub component: Component,
    /// The pod's namespace, where the object names it.
    pub namespace: Option<String>,
    /// The pod's name.
    pub pod: String,
    /// The node it names.
    pub node: Option<String>,
    /// The container that runs the component.
    pub container: Option<String>,
    /// Its image.
    pub image: Option<String>,
    /// Why it is unread.
    pub why: WhyUnread,
    /// Whether the verdict is unknown because of it.
    pub required: bool,
}

impl UnreadPod {
    /// `NAMESPACE/NAME`.
    pub fn full_name(&self) -> String {
        match &self.namespace {
            Some(namespace) => format!("{namespace}/{}", self.pod),
            None => self.pod.clone(),
        }
    }
}

/// Why a version is unread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WhyUnread {
    /// The pod shows no image.
    NoImage,
    /// The image has neither tag nor digest.
    NoTag,
    /// The image's tag is no Kubernetes version.
    NotAVersion,
    /// The image is named by digest, and no node ties the digest to a tag.
    ByDigest,
    /// The image is not named after the component, so that its tag may count anything.
    OtherName,
    /// The container has never run: its image tells what is wanted.
    NeverRan,
    /// The pod has ended, and its node has no other.
    Ended,
    /// The binary is known, and which minor it was asked to emulate is not.
    Emulation,
}

impl WhyUnread {
    /// What pods of one gap have in common.
    pub const fn kind(self) -> UnreadKind {
        match self {
            Self::NeverRan => UnreadKind::NeverRan,
            Self::Ended => UnreadKind::Ended,
            Self::Emulation => UnreadKind::Emulation,
            Self::NoImage | Self::NoTag | Self::NotAVersion | Self::ByDigest | Self::OtherName => {
                UnreadKind::Image
            }
        }
    }
}

/// What pods of one gap have in common beside their component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnreadKind {
    /// Their images show no version.
    Image,
    /// They have never run.
    NeverRan,
    /// They have ended, and nothing else runs on their nodes.
    Ended,
    /// The minor that they emulate is unread.
    Emulation,
}
