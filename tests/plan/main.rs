//! The planner against the least work found by trying everything, against hand-written stories, and against its
//! own checker.

mod exhaustive;
mod found;
mod platforms;
mod random;
mod stories;
mod world;
