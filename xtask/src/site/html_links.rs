//! Follows the links of pages as a browser has them: what mdBook made of a link, and the headings that it leads to. Links to
//! elsewhere are not followed: that needs a network.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

/// A page of a folder, with what it names and where it leads.
struct HtmlPage {
    ids: BTreeSet<String>,
    links: Vec<String>,
}

/// Gives how many links were followed.
pub(super) fn check(folder: &Path) -> Result<usize> {
    let mut pages = BTreeMap::new();
    collect_pages(folder, &mut pages)?;
    let mut findings = Vec::new();
    let mut followed = 0;
    for (path, page) in &pages {
        for link in &page.links {
            if link.contains(':') || link.starts_with("//") {
                continue;
            }
            followed += 1;
            if let Some(problem) = find_problem(folder, path, link, &pages) {
                findings.push(format!("{}: {link}: {problem}", path.display()));
            }
        }
    }
    if !findings.is_empty() {
        bail!("{} links of the site lead nowhere\n  {}", findings.len(), findings.join("\n  "));
    }
    Ok(followed)
}

fn find_problem(folder: &Path, page: &Path, link: &str, pages: &BTreeMap<PathBuf, HtmlPage>) -> Option<String> {
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    // What stands behind a question mark is for scripts.
    let path = path.split('?').next().unwrap_or_default();
    let mut target = if path.is_empty() {
        page.to_owned()
    } else if path.starts_with('/') {
        folder.join(path.trim_start_matches('/'))
    } else {
        page.parent().unwrap_or(folder).join(path)
    };
    if target.is_dir() {
        target.push("index.html");
    }
    let Ok(target) = fs_err::canonicalize(&target) else { return Some("there is no such file".to_owned()) };
    let other = pages.get(&target)?;
    let is_there = anchor.is_empty() || other.ids.contains(anchor);
    (!is_there).then(|| format!("nothing is called `{anchor}` there"))
}

fn collect_pages(folder: &Path, pages: &mut BTreeMap<PathBuf, HtmlPage>) -> Result<()> {
    for entry in fs_err::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect_pages(&path, pages)?;
        } else if path.extension().is_some_and(|extension| extension == "html") {
            let text = fs_err::read_to_string(&path)?;
            pages.insert(fs_err::canonicalize(&path)?, parse(&text));
        }
    }
    Ok(())
}

fn parse(text: &str) -> HtmlPage {
    let links = ["href", "src"].iter().flat_map(|name| attribute_values(text, name)).collect();
    HtmlPage { ids: attribute_values(text, "id").collect(), links }
}

/// The values of an attribute, within tags.
fn attribute_values<'a>(text: &'a str, name: &str) -> impl Iterator<Item = String> + 'a {
    let begin = format!(" {name}=\"");
    text.split('<').skip(1).filter_map(move |tag| {
        let value = tag.split('>').next()?.split_once(&begin)?.1.split_once('"')?.0;
        Some(value.replace("&amp;", "&"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_needs_a_file_and_a_heading() {
        let folder = std::env::temp_dir().join(format!("xtask-links-{}", std::process::id()));
        fs_err::create_dir_all(&folder).expect("a temporary folder");
        let write = |name: &str, text: &str| fs_err::write(folder.join(name), text).expect("our own folder");
        write(
            "a.html",
            "<h1 id=\"top\">A</h1><a href=\"b.html#one\">b</a> <a class=\"x\" href=\"#top\">t</a> <a href=\"https://example.com\">e</a>",
        );
        write("b.html", "<h1 id=\"one\">B</h1>");
        assert_eq!(check(&folder).expect("all lead somewhere"), 2);
        write("b.html", "<h1 id=\"two\">B</h1><img src=\"gone.png\">");
        let error = check(&folder).expect_err("two lead nowhere").to_string();
        fs_err::remove_dir_all(&folder).expect("the temporary folder goes away");
        assert!(error.starts_with("2 links of the site lead nowhere"), "{error}");
        assert!(error.contains("nothing is called `one` there") && error.contains("no such file"), "{error}");
    }
}
