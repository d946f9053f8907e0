//! The engine from the outside, on the embedded store.

mod critique;
mod documents;
mod embedding;
mod encoding;
mod finding;
mod following;
mod graph;
mod house;
mod index;
mod names;
mod neighbours;
mod packing;
mod reading;
mod recall;
mod recall_forms;
mod requirements;
mod sharing;
mod spending;
mod value;
mod walks;
mod watch;
mod wording;
