//! Links between projects that nobody had to make: the manifest of one needs a package that another one publishes.

use super::{ProjectLink, ProjectList, ProjectListing, ProjectPresence};
use crate::Engine;
use crate::base::{Project, Result};
use crate::code::packages::{PackageTable, load_packages};
use model::{EdgeKind, ProjectId};

/// Of so many projects the manifests are read.
const MOST_READ: usize = 64;

/// The links of a project through packages, with the name of the project on either side. Those that somebody made are in
/// `list` already.
pub(crate) async fn find_package_links(
    engine: &Engine,
    list: &ProjectList,
    id: &ProjectId,
) -> Result<Vec<ProjectLink>> {
    let Some(own) = list.projects.iter().find(|listing| listing.id == *id) else { return Ok(Vec::new()) };
    let Some(own_table) = read_packages(engine, own).await? else { return Ok(Vec::new()) };
    let mut links = Vec::new();
    for other in list.projects.iter().filter(|other| other.id != *id).take(MOST_READ) {
        let Some(table) = read_packages(engine, other).await? else { continue };
        links.extend(links_from((own, &own_table), (other, &table)));
        links.extend(links_from((other, &table), (own, &own_table)));
    }
    Ok(links)
}

async fn read_packages(engine: &Engine, listing: &ProjectListing) -> Result<Option<PackageTable>> {
    let Some(path) = listing.path.as_ref().filter(|_| listing.presence == ProjectPresence::Here) else {
        return Ok(None);
    };
    // Only what is indexed: listing projects makes no index.
    if listing.indexed_at().is_none() {
        return Ok(None);
    }
    let project = Project { id: listing.id.clone(), root: path.into() };
    load_packages(&engine.code, &project).await.map(Some)
}

fn links_from<'a>(
    (source, needs): (&'a ProjectListing, &'a PackageTable),
    (target, publishes): (&'a ProjectListing, &'a PackageTable),
) -> impl Iterator<Item = ProjectLink> + 'a {
    publishes.published.iter().filter_map(move |package| {
        Some(ProjectLink {
            source: source.name.clone(),
            target: target.name.clone(),
            source_entity: needs.manifest_that_needs(package)?.to_owned(),
            target_entity: package.name.clone(),
            relationship: EdgeKind::DependsOn.as_str(),
            // A registry may have another package of that name.
            weight: 0.9,
        })
    })
}
