//! The frame of every page of the dashboard: head, navigation, heading and footer.

use super::assets;
use maud::{DOCTYPE, Markup, html};

/// A page that the navigation leads to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NavItem {
    Overview,
    Value,
    Sessions,
    Memory,
    Search,
    Graph,
    Health,
}

impl NavItem {
    const ALL: [(Self, &'static str, &'static str); 7] = [
        (Self::Overview, "Overview", "/"),
        (Self::Value, "Value", "/ui/value"),
        (Self::Sessions, "Sessions", "/ui/sessions"),
        (Self::Memory, "Memory", "/ui/memory"),
        (Self::Search, "Search", "/ui/search"),
        (Self::Graph, "Graph", "/ui/graph"),
        (Self::Health, "Health", "/ui/health"),
    ];
}

pub(super) fn render_page(current: NavItem, title: &str, project: &str, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            (render_head(title))
            body {
                a.skip href="#content" { "Skip to the content" }
                header.top {
                    a.brand href="/" { span.mark aria-hidden="true" { "ε" } " Epitome" }
                    @if !project.is_empty() { span.project title="The project of this server" { (model::show_name(project)) } }
                    nav aria-label="Pages" {
                        @for (item, name, path) in NavItem::ALL {
                            @if item == current {
                                a href=(path) aria-current="page" { (name) }
                            } @else {
                                a href=(path) { (name) }
                            }
                        }
                    }
                }
                main #content {
                    h1 { (model::show_name(title)) }
                    (body)
                }
                footer { "Epitome " (env!("CARGO_PKG_VERSION")) " · everything on this page comes from this machine" }
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
            script src=(assets::SCRIPT_PATH) defer {}
        }
    }
}
