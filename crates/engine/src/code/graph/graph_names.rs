//! Where the symbols of a graph's image are by their names, so that a question about a name decodes the files that have
//! it and no others.

use super::worktree_graph::{GraphFile, NodeId};
use crate::base::image::{KeyTable, SharedList};
use std::sync::Arc;

/// The names of the symbols in an image, and which of its files are still as they are there.
#[derive(Clone)]
pub(super) struct GraphNames {
    /// Symbols, numbered through all files, by name.
    table: KeyTable,
    /// The first symbol of each file of the image.
    starts: SharedList<u32>,
    /// The number that each file of the image has now; [`NO_FILE`] where it changed or is gone.
    current: Arc<Vec<u32>>,
}

const NO_FILE: u32 = u32::MAX;

impl GraphNames {
    /// The names of an image in which no file has changed.
    pub(super) fn new(table: KeyTable, starts: SharedList<u32>) -> Self {
        let current = (0..starts.len() as u32).collect();
        Self { table, starts, current: Arc::new(current) }
    }

    /// The same for files of which some changed.
    pub(super) fn follow_files(&self, files: &[GraphFile]) -> Self {
        let mut current = vec![NO_FILE; self.current.len()];
        for (file, number) in files.iter().zip(0..) {
            if let Some(place) = file.image_number.and_then(|image_number| current.get_mut(image_number as usize)) {
                *place = number;
            }
        }
        Self { current: Arc::new(current), ..self.clone() }
    }

    /// The symbols with a name, in files that are as they are in the image.
    pub(super) fn nodes_named(&self, name: &str) -> Vec<NodeId> {
        self.table.numbers_of(name).iter().filter_map(|number| self.find_node(*number)).collect()
    }

    /// The symbols whose names fit, in the same files.
    pub(super) fn nodes_with_name(&self, fits: impl Fn(&str) -> bool) -> Vec<NodeId> {
        let numbers = self.table.entries().filter(|(name, _)| fits(name)).flat_map(|(_, numbers)| numbers);
        numbers.filter_map(|number| self.find_node(*number)).collect()
    }

    fn find_node(&self, number: u32) -> Option<NodeId> {
        let starts = self.starts.all_rows();
        let file = starts.partition_point(|start| *start <= number).checked_sub(1)?;
        let current = *self.current.get(file)?;
        (current != NO_FILE).then(|| NodeId::Symbol(current, number - starts[file]))
    }
}
