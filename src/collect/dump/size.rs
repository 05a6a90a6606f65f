//! How much memory an object takes beside its struct, about: what is kept of a dump is bounded by it.

use crate::inventory::observed::{
    ContainerStatus, Meta, ObservedContainer, ObservedLease, ObservedNode, ObservedOperator, ObservedPod,
    Owner,
};

/// Something that holds memory.
pub(super) trait HeapSize {
    /// The bytes that it holds beside its own.
    fn heap_size(&self) -> usize;
}

impl HeapSize for String {
    fn heap_size(&self) -> usize {
        self.len()
    }
}

impl<T: HeapSize> HeapSize for Option<T> {
    fn heap_size(&self) -> usize {
        self.as_ref().map_or(0, T::heap_size)
    }
}

impl<T: HeapSize> HeapSize for Vec<T> {
    fn heap_size(&self) -> usize {
        self.iter().map(|entry| size_of::<T>() + entry.heap_size()).sum()
    }
}

impl<A: HeapSize, B: HeapSize> HeapSize for (A, B) {
    fn heap_size(&self) -> usize {
        self.0.heap_size() + self.1.heap_size()
    }
}

/// The sum over the fields that hold memory.
macro_rules! heap_size {
    ($($kind:ty: $first:ident $(, $field:ident)*;)*) => {$(
        impl HeapSize for $kind {
            fn heap_size(&self) -> usize {
                self.$first.heap_size() $(+ self.$field.heap_size())*
            }
        }
    )*};
}

heap_size! {
    Owner: kind, name;
    Meta: name, namespace, uid, resource_version, labels, annotations, owner;
    ObservedNode: meta, taints, ready, kubelet_version, runtime_version, os, os_image, hostname, images;
    ObservedPod: meta, node, phase, containers, statuses;
    ObservedContainer: name, image, arguments;
    ContainerStatus: name, image, image_id;
    ObservedLease: meta;
    ObservedOperator: meta, versions;
}
