//! The pages of the site: which documents they are, in which order, and how their links are written in the book.

use std::path::{Component, Path, PathBuf};

use anyhow::{Context as _, Result, ensure};

/// The order of the sidebar. A folder stands for its documents that are not named before, by title.
const CHAPTERS: [(&str, &[&str]); 4] = [
    ("", &["README.md"]),
    (
        "Guides",
        &[
            "docs/guides/code.md",
            "docs/guides/conversations.md",
            "docs/guides/agents.md",
            "docs/guides/mcp.md",
            "docs/guides/dashboard.md",
            "docs/guides/editor.md",
            "docs/guides/value.md",
            "docs/guides/comparison.md",
            "docs/guides/",
            "clients/python/README.md",
            "clients/node/README.md",
        ],
    ),
    ("Reference", &["docs/reference/", "docs/"]),
    ("Project", &["SECURITY.md", "CHANGELOG.md"]),
];

/// What pages show beside their text.
const PICTURES: &str = "docs/pictures";

pub(super) struct SitePages {
    pub(super) repository: String,
    pages: Vec<SitePage>,
}

struct SitePage {
    chapter: &'static str,
    title: String,
    /// In the repository.
    path: String,
    text: String,
}

impl SitePages {
    pub(super) fn collect(root: &Path) -> Result<SitePages> {
        let mut pages: Vec<SitePage> = Vec::new();
        for (chapter, paths) in CHAPTERS {
            for path in paths {
                let mut found = Vec::new();
                for path in list_documents(root, path)? {
                    if pages.iter().any(|page| page.path == path) {
                        continue;
                    }
                    let text = fs_err::read_to_string(root.join(&path))?;
                    let title = text.lines().next().and_then(|line| line.strip_prefix("# "));
                    let title = title.with_context(|| format!("{path} does not begin with a title"))?.to_owned();
                    found.push(SitePage { chapter, title, path, text });
                }
                found.sort_by(|one, other| one.title.cmp(&other.title));
                pages.extend(found);
            }
        }
        let manifest: toml::Table = fs_err::read_to_string(root.join("Cargo.toml"))?.parse()?;
        let repository = manifest["workspace"]["package"]["repository"].as_str().context("no repository is named")?;
        Ok(SitePages { repository: repository.to_owned(), pages })
    }

    pub(super) fn count(&self) -> usize {
        self.pages.len()
    }

    /// Writes the source of the book.
    pub(super) fn write(&self, root: &Path, source: &Path) -> Result<()> {
        fs_err::create_dir_all(source)?;
        let mut summary = "# Summary\n".to_owned();
        let mut chapter = "";
        for page in &self.pages {
            if page.chapter != chapter {
                chapter = page.chapter;
                summary.push_str(&format!("\n# {chapter}\n\n"));
            }
            let place = place_in_book(&page.path);
            let bullet = if page.chapter.is_empty() { "\n" } else { "- " };
            summary.push_str(&format!("{bullet}[{}]({place})\n", page.title));
            let file = source.join(&place);
            fs_err::create_dir_all(file.parent().expect("a page is in a folder"))?;
            fs_err::write(file, self.relink(root, page)?)?;
        }
        fs_err::write(source.join("SUMMARY.md"), summary)?;
        let pictures = source.join(place_in_book(PICTURES));
        fs_err::create_dir_all(&pictures)?;
        for entry in fs_err::read_dir(root.join(PICTURES))? {
            let entry = entry?;
            fs_err::copy(entry.path(), pictures.join(entry.file_name()))?;
        }
        Ok(())
    }

    /// The text with links as the book has them.
    fn relink(&self, root: &Path, page: &SitePage) -> Result<String> {
        let mut text = String::new();
        let mut fence: Option<usize> = None;
        for line in page.text.split_inclusive('\n') {
            let ticks = line.trim_start().chars().take_while(|char| *char == '`').count();
            if ticks >= 3 {
                fence = match fence {
                    // A longer fence shows a shorter one.
                    Some(open) if ticks >= open => None,
                    Some(open) => Some(open),
                    None => Some(ticks),
                };
            }
            if fence.is_some() || ticks >= 3 {
                text.push_str(line);
            } else {
                text.push_str(&self.relink_line(root, page, line)?);
            }
        }
        Ok(text)
    }

    fn relink_line(&self, root: &Path, page: &SitePage, line: &str) -> Result<String> {
        let mut text = String::new();
        let mut rest = line;
        while let Some((before, behind)) = rest.split_once("](") {
            let Some((target, after)) = behind.split_once(')') else { break };
            // Code shows brackets, and links nowhere.
            let is_code = (text.matches('`').count() + before.matches('`').count()) % 2 == 1;
            let target =
                if is_code || target.contains(' ') { target.to_owned() } else { self.resolve(root, page, target)? };
            text.push_str(&format!("{before}]({target})"));
            rest = after;
        }
        text.push_str(rest);
        Ok(text)
    }

    fn resolve(&self, root: &Path, page: &SitePage, target: &str) -> Result<String> {
        if target.starts_with('#') || target.contains("://") || target.starts_with("mailto:") {
            return Ok(target.to_owned());
        }
        let (path, anchor) =
            target.split_once('#').map_or((target, String::new()), |(path, anchor)| (path, format!("#{anchor}")));
        let folder = Path::new(&page.path).parent().unwrap_or(Path::new(""));
        let path = flatten(&folder.join(path)).with_context(|| format!("{}: {target} leads out", page.path))?;
        ensure!(root.join(&path).exists(), "{}: the link to {target} leads nowhere", page.path);
        if self.pages.iter().any(|other| other.path == path) || path.starts_with(PICTURES) {
            let ups = place_in_book(&page.path).matches('/').count();
            return Ok(format!("{}{}{anchor}", "../".repeat(ups), place_in_book(&path)));
        }
        let kind = if root.join(&path).is_dir() { "tree" } else { "blob" };
        Ok(format!("{}/{kind}/main/{path}{anchor}", self.repository))
    }
}

/// A document, or those in a folder and not below it.
fn list_documents(root: &Path, path: &str) -> Result<Vec<String>> {
    if !path.ends_with('/') {
        return Ok(vec![path.to_owned()]);
    }
    let mut documents = Vec::new();
    for entry in fs_err::read_dir(root.join(path))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if Path::new(&name).extension().is_some_and(|extension| extension == "md") {
            documents.push(format!("{path}{name}"));
        }
    }
    Ok(documents)
}

/// `docs/guides/code.md` is `guides/code.md` in the book, and what a folder is read by is its index.
fn place_in_book(path: &str) -> String {
    path.strip_prefix("docs/").unwrap_or(path).replace("README.md", "index.md")
}

/// Without `..`; none where it leads out of the repository.
fn flatten(path: &Path) -> Option<String> {
    let mut flat = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => flat.pop().then_some(())?,
            Component::Normal(name) => flat.push(name),
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(flat.to_string_lossy().replace('\\', "/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository;

    fn relinked(path: &str, text: &str) -> String {
        let root = repository::root();
        let mut pages = SitePages::collect(root).expect("the documents");
        let page = SitePage { chapter: "", title: String::new(), path: path.to_owned(), text: text.to_owned() };
        pages.repository = "https://example.com/r".to_owned();
        pages.relink(root, &page).unwrap_or_else(|error| error.to_string())
    }

    #[test]
    fn a_link_leads_to_a_page_or_to_the_repository() {
        assert_eq!(relinked("README.md", "[a](docs/guides/code.md#x)"), "[a](guides/code.md#x)");
        assert_eq!(relinked("docs/guides/code.md", "[a](../../README.md)"), "[a](../index.md)");
        assert_eq!(
            relinked("docs/guides/code.md", "[a](../../deny.toml)"),
            "[a](https://example.com/r/blob/main/deny.toml)"
        );
        assert_eq!(relinked("README.md", "[a](xtask)"), "[a](https://example.com/r/tree/main/xtask)");
        assert_eq!(relinked("README.md", "[a](gone.md)"), "README.md: the link to gone.md leads nowhere");
    }

    #[test]
    fn code_is_left_alone() {
        for text in ["```\n[a](gone.md)\n```\n", "````\n```\n[a](gone.md)\n```\n````\n", "`x[1](gone.md)`"] {
            assert_eq!(relinked("README.md", text), text);
        }
    }
}
