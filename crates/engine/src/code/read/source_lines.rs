//! Reads the bytes or some lines of one file of the project, unchanged, for search previews, packed answers and the
//! texts that models embed.

use super::{LOSSY_TEXT_NOTE, content};
use crate::base::{Project, Result};
use model::LineRange;
use std::borrow::Cow;

/// All bytes of a file of the project; empty for one that is gone, outside of the project or no text.
pub(crate) fn text_bytes(project: &Project, path: &str) -> Vec<u8> {
    match content::read_content(project, path) {
        Ok(content::FileContent::Whole(bytes)) => bytes,
        Ok(content::FileContent::Large { .. }) | Err(_) => Vec::new(),
    }
}

/// Reads some lines of a file.
pub(crate) fn shown_lines(project: &Project, path: &str, lines: LineRange) -> Result<String> {
    let content = content::read_content(project, path)?;
    let bytes = content.read_lines(lines)?;
    let text = String::from_utf8_lossy(&bytes);
    let mark = if matches!(text, Cow::Owned(_)) { LOSSY_TEXT_NOTE } else { "" };
    Ok(format!("{text}{mark}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What models are shown of a file is what the project holds, also where a link took its place since it was indexed.
    #[test]
    fn nothing_is_read_of_what_is_gone_or_leads_out_of_the_project() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let root = directory.path().join("project");
        fs_err::create_dir_all(&root).expect("a directory");
        fs_err::write(directory.path().join("outside.py"), "not yours").expect("a file");
        fs_err::write(root.join("inside.py"), "ours").expect("a file");
        let project = Project::from_directory(&root).expect("a project");
        assert_eq!(text_bytes(&project, "inside.py"), b"ours");
        assert_eq!(text_bytes(&project, "gone.py"), b"");
        assert_eq!(text_bytes(&project, "../outside.py"), b"");
        #[cfg(unix)]
        {
            fs_err::os::unix::fs::symlink(directory.path().join("outside.py"), root.join("link.py")).expect("a link");
            assert_eq!(text_bytes(&project, "link.py"), b"");
        }
    }
}
