//! The frame of every page of the dashboard: head, navigation, heading and footer.

use super::assets;
use crate::ops;
use maud::{DOCTYPE, Markup, html};

/// A page that the navigation leads to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NavItem {
    Overview,
    Value,
    Modes,
    Sessions,
    Memory,
    Tiers,
    Checkpoints,
    Suggestions,
    Search,
    Graph,
    Documents,
    Projects,
    Health,
}

/// A line of the navigation: the page, its name, its address, and the paths of its icon in a square of 16.
struct NavLine(NavItem, &'static str, &'static str, &'static str);

const NAV_LINES: [NavLine; 13] = [
    NavLine(NavItem::Overview, "Overview", "/", "M2 7.5 8 2.5l6 5M3.8 6.5v7h8.4v-7"),
    NavLine(NavItem::Value, "Value", "/ui/value", "M2 13.5h12M4 11V8M8 11V3.5M12 11V6"),
    NavLine(NavItem::Modes, "Modes", "/ui/modes", "M2 4.5h7M13 4.5h1M2 11.5h1M7 11.5h7M11 2.7v3.6M5 9.7v3.6"),
    NavLine(NavItem::Sessions, "Sessions", "/ui/sessions", "M2.5 3h11v7.5H7L4 13.3v-2.8H2.5zM5 5.7h6M5 7.9h4"),
    NavLine(NavItem::Memory, "Memory", "/ui/memory", "M4 2.5h8v11L8 10.6 4 13.5z"),
    NavLine(NavItem::Tiers, "Memory tiers", "/ui/tiers", "M3 3.5h10M4.5 8h7M6 12.5h4"),
    NavLine(NavItem::Checkpoints, "Checkpoints", "/ui/checkpoints", "M4 14V2.5h8l-2 2.8 2 2.8H4"),
    NavLine(
        NavItem::Suggestions,
        "Suggestions",
        "/ui/suggestions",
        "M8 2.5a4 4 0 0 1 2.4 7.2v1.5H5.6V9.7A4 4 0 0 1 8 2.5M6 13.5h4",
    ),
    NavLine(NavItem::Search, "Search", "/ui/search", "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.4 10.4l3.3 3.3"),
    NavLine(
        NavItem::Graph,
        "Graph",
        "/ui/graph",
        "M5.3 7.1l5.2-2.9M5.3 8.9l5.2 2.9M1.8 8a1.8 1.8 0 1 0 3.6 0 1.8 1.8 0 0 0-3.6 0M10.4 3.4a1.8 1.8 0 1 0 3.6 0 1.8 1.8 0 0 0-3.6 0M10.4 12.6a1.8 1.8 0 1 0 3.6 0 1.8 1.8 0 0 0-3.6 0",
    ),
    NavLine(
        NavItem::Documents,
        "Coverage",
        "/ui/documents",
        "M4 2h5.5L12.5 5v9h-8.5zM9.5 2v3h3M6 8.5l1.3 1.3L10 7M6 12h4.5",
    ),
    NavLine(NavItem::Projects, "Projects", "/ui/projects", "M2 4.2V13h12V5.5H8L6.5 3.5H2z"),
    NavLine(NavItem::Health, "Health", "/ui/health", "M1.5 8.5h3l1.8-5 3 9 1.8-4h3.4"),
];

/// The operation that the page of modes shows; without it there is no such page.
pub(super) const MODES_OPERATION: &str = "modes";

impl NavLine {
    fn is_there(&self) -> bool {
        self.0 != NavItem::Modes || ops::find_operation(MODES_OPERATION).is_some()
    }
}

/// What a page says of itself above its body.
pub(super) struct PageHead<'a> {
    pub(super) item: NavItem,
    pub(super) title: &'a str,
    /// One sentence: what the page shows.
    pub(super) lede: &'a str,
}

pub(super) fn render_page(head: &PageHead<'_>, project: &str, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            (render_head(head.title))
            body {
                a.skip href="#content" { "Skip to the content" }
                div.shell {
                    header.side {
                        div.who {
                            a.brand href="/" { img src=(assets::ICON_PATH) alt=""; "Epitome" }
                            @if !project.is_empty() { span.project title="The project of this server" { (model::show_name(project)) } }
                        }
                        nav aria-label="Pages" {
                            @for line in NAV_LINES.iter().filter(|line| line.is_there()) {
                                @let NavLine(item, name, path, icon) = line;
                                a href=(path) aria-current=[(*item == head.item).then_some("page")] {
                                    svg viewBox="0 0 16 16" aria-hidden="true" { path d=(icon) {} }
                                    (name)
                                }
                            }
                        }
                    }
                    div.content {
                        main #content {
                            h1 { (model::show_name(head.title)) }
                            @if !head.lede.is_empty() { p.lede { (model::show_name(head.lede)) } }
                            (body)
                        }
                        footer { "Epitome " (env!("CARGO_PKG_VERSION")) " · everything on this page comes from this machine" }
                    }
                }
            }
        }
    }
}

/// A page without navigation, for a browser that has no session.
pub(super) fn render_bare_page(title: &str, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            (render_head(title))
            body.bare { main #content { h1 { (title) } (body) } }
        }
    }
}

fn render_head(title: &str) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            title { (model::show_name(title)) " · Epitome" }
            link rel="stylesheet" href=(assets::STYLE_PATH);
            link rel="icon" type="image/svg+xml" href=(assets::ICON_PATH);
            @for script in assets::SCRIPT_PATHS { script type="module" src=(script) {} }
        }
    }
}
