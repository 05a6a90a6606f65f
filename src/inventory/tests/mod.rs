//! Small clusters written by hand, and what is to be read out of them.

mod apiservers;
mod assumptions;
mod binding;
mod build;
mod conservation;
mod emulation;
mod gaps;
mod openshift;
mod platform;
mod pods;
mod refused;
