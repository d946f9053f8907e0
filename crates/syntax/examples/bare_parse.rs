//! The baseline of the index benches: reads and parses every file below a directory whose language is known, with as
//! many threads as the index has, and throws the trees away.

use ignore::WalkBuilder;
use rayon::prelude::*;
use std::path::Path;
use std::time::Instant;
use syntax::{Language, language_of};

/// Larger files are not parsed by the index either.
const MAX_FILE_BYTES: u64 = 1 << 20;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let root = arguments.next().expect("a directory");
    let into = arguments.next().expect("a file to write");
    let entries = WalkBuilder::new(&root).hidden(false).require_git(false).build();
    let files: Vec<_> =
        entries.flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file())).collect();
    let all: u64 = files.iter().filter_map(|entry| entry.metadata().ok()).map(|metadata| metadata.len()).sum();
    let known: Vec<(&Path, &Language)> = files
        .iter()
        .filter(|entry| entry.metadata().is_ok_and(|metadata| metadata.len() <= MAX_FILE_BYTES))
        .filter_map(|entry| Some((entry.path(), language_of(entry.path().to_str()?, b"")?)))
        .collect();
    let started = Instant::now();
    let parsed = |(path, language): &(&Path, &Language)| {
        let bytes = fs_err::read(path).ok()?;
        Some(u64::from(language.can_parse(&bytes)) * bytes.len() as u64)
    };
    let sizes: Vec<u64> = known.par_iter().filter_map(parsed).collect();
    let seconds = started.elapsed().as_secs_f64();
    let bytes = sizes.iter().sum::<u64>();
    let told = format!("{{\"files\":{},\"bytes\":{bytes},\"all_bytes\":{all},\"seconds\":{seconds}}}\n", sizes.len());
    fs_err::write(into, told).expect("the second argument is a file to write");
}
