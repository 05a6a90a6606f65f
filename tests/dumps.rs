//! Dumps of every form that clusters are saved in, and of every form that they break in: read to the same
//! objects, or refused with the place and the way out.

mod dumps {
    pub mod broken;
    pub mod forms;
    pub mod inputs;
    pub mod properties;
    pub mod snapshot;
    pub mod support;
}
