//! The small snapshot that people attach to a ticket: what a judgement needs and nothing else.
