//! `fixture_tree`, which creates a temporary directory with the files that a test lists.

use fs_err as fs;
use tempfile::TempDir;

/// A temporary directory with these files; directories between are made, and all of it goes when the value does.
pub fn fixture_tree(files: &[(&str, &str)]) -> TempDir {
    let root = TempDir::with_prefix("epitome-test-").expect("the temporary directory is writable");
    for (path, text) in files {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().expect("a joined path has a parent")).expect("the tree is ours");
        fs::write(path, text).expect("the tree is ours");
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_holds_its_files_and_is_gone_afterwards() {
        let tree = fixture_tree(&[("src/deep/lib.rs", "fn a() {}\n"), ("empty", "")]);
        let root = tree.path().to_owned();
        assert_eq!(fs::read_to_string(root.join("src/deep/lib.rs")).expect("it was written"), "fn a() {}\n");
        assert_eq!(fs::read_to_string(root.join("empty")).expect("it was written"), "");
        drop(tree);
        assert!(!root.exists());
    }
}
