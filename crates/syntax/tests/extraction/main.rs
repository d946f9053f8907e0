//! Extraction held against every language's own data, against arbitrary bytes and against hostile files.

mod documents;
mod fixtures;
mod folders;
mod gaps;
mod hostile;
mod lost;
mod properties;
mod samples;
mod units;
mod views;
