//! Asks several projects one question: each with an engine of its own settings, within one limit or budget for all. What is
//! said of a project comes back with its name; of the project alone that the question was asked in, without one.

use crate::base::budget::{LEAST_BUDGET, check_budget};
use crate::base::{Error, Project, Result};
use crate::code::packages::{PackageItem, PackageUse, PublishedPackage, find_package_uses, load_packages};
use crate::retrieve::measure_fit;
use crate::{
    AffectedSymbol, AnswerFormat, AnswerQuery, Engine, ErrorKind, GraphNeighbour, ImpactReport, ImpactRequest,
    NamedNode, PackedAnswer, RelationDirection, RelationKind, RelationsRequest, SearchReport, SearchRequest,
    SeenFinder, SeenReport, SymbolRelations, SymbolReport, SymbolRequest,
};
use futures::future::join_all;
use model::{TokenCount, count_tokens, show_name};

/// A project that is asked.
#[derive(Clone, Copy)]
pub struct AskedProject<'a> {
    /// What it is called, where several are asked.
    pub name: Option<&'a str>,
    /// Where it is.
    pub project: &'a Project,
    /// The engine with its settings.
    pub engine: &'a Engine,
}

/// Something that was found, with the name of its project where several were asked.
#[derive(Clone, Debug)]
pub struct OfProject<T> {
    /// The project.
    pub project: Option<String>,
    /// What was found.
    pub found: T,
}

impl AskedProject<'_> {
    fn own<T>(&self, found: T) -> OfProject<T> {
        OfProject { project: self.name.map(str::to_owned), found }
    }

    fn describe(&self, what: &dyn std::fmt::Display) -> String {
        format!("{}: {what}", show_name(self.name.unwrap_or_default()))
    }
}

/// The best places of all projects, with the project of each. Scores say how well a place fits the question and not how it
/// stands among others, so those of several projects can be compared.
pub async fn search_in(
    asked: &[AskedProject<'_>],
    request: SearchRequest,
) -> Result<(SearchReport, Vec<Option<String>>)> {
    let limit = request.limit as usize;
    let replies = join_all(asked.iter().map(|it| it.engine.search(it.project, request.clone()))).await;
    let mut merged: Option<SearchReport> = None;
    let mut hits = Vec::new();
    for OfProject { project, found: mut report } in answered(asked, replies)? {
        hits.extend(std::mem::take(&mut report.hits).into_iter().map(|hit| (hit, project.clone())));
        match &mut merged {
            None => merged = Some(report),
            Some(all) => {
                for correction in report.corrected {
                    if !all.corrected.contains(&correction) {
                        all.corrected.push(correction);
                    }
                }
                all.consulted.extend(report.consulted);
                all.entities.extend(report.entities);
                for reason in report.degraded {
                    if !all.degraded.contains(&reason) {
                        all.degraded.push(reason);
                    }
                }
            }
        }
    }
    let mut merged = merged.ok_or_else(nobody_asked)?;
    if asked.len() > 1 {
        hits.sort_by(|a, b| b.0.score.total_cmp(&a.0.score));
        hits.truncate(limit);
    }
    let (hits, projects) = hits.into_iter().unzip();
    merged.hits = hits;
    Ok((merged, projects))
}

/// Where a name is defined in all projects, with the project of each definition.
pub async fn find_symbols_in(
    asked: &[AskedProject<'_>],
    request: SymbolRequest,
) -> Result<(SymbolReport, Vec<Option<String>>)> {
    let limit = request.limit;
    let replies = join_all(asked.iter().map(|it| it.engine.find_symbols(it.project, request.clone()))).await;
    let mut merged = SymbolReport { hits: Vec::new(), omitted: 0, unparsed: Vec::new() };
    let mut hits = Vec::new();
    for OfProject { project, found } in answered(asked, replies)? {
        merged.omitted += found.omitted;
        merged.unparsed.extend(found.unparsed);
        hits.extend(found.hits.into_iter().map(|hit| (hit, project.clone())));
    }
    if asked.len() > 1 {
        // A near spelling in one project says nothing where another one has the name itself.
        let rank = |fit: &str| ["exact", "prefix", "part", "near"].iter().position(|known| *known == fit);
        hits.sort_by_key(|(hit, _)| rank(hit.fit));
        let best = hits.first().map(|(hit, _)| hit.fit);
        if best.is_some_and(|best| best != "near") {
            hits.retain(|(hit, _)| hit.fit != "near");
            merged.unparsed.clear();
        }
        merged.omitted += hits.len().saturating_sub(limit);
        hits.truncate(limit);
    }
    let (hits, projects) = hits.into_iter().unzip();
    merged.hits = hits;
    Ok((merged, projects))
}

/// What a symbol is related to in one of several projects.
#[derive(Clone, Debug)]
pub struct RelationsInProject {
    /// The project, where several were asked.
    pub project: Option<String>,
    /// What it is related to there.
    pub found: SymbolRelations,
    /// Who uses it in other projects that were asked, through the package that its project publishes.
    pub elsewhere: Vec<OfProject<GraphNeighbour>>,
}

/// What a symbol is related to in every project that has it, and who uses it in the others.
pub async fn find_relations_in(
    asked: &[AskedProject<'_>],
    request: RelationsRequest,
) -> Result<Vec<RelationsInProject>> {
    let mut left = request.limit;
    let replies = join_all(asked.iter().map(|it| it.engine.find_relations(it.project, request.clone()))).await;
    let mut found = answered(asked, replies)?;
    for OfProject { found, .. } in &mut found {
        for relations in
            std::iter::once(&mut found.neighbours).chain(found.others.iter_mut().map(|it| &mut it.neighbours))
        {
            // Each symbol has the limit to itself where one project is asked.
            if asked.len() > 1 {
                let cut = relations.len().saturating_sub(left);
                relations.truncate(left);
                left -= relations.len();
                found.omitted += cut;
            }
        }
    }
    let is_wanted = |neighbour: &GraphNeighbour| {
        request.direction != RelationDirection::Out
            && (request.only.is_empty() || request.only.contains(&neighbour.relation))
            && neighbour.confidence.get() >= request.min_confidence
    };
    let mut related = Vec::new();
    for OfProject { project, found } in found {
        let used = uses_elsewhere(asked, project.as_deref(), std::slice::from_ref(&found.symbol)).await?;
        let mut elsewhere: Vec<_> = used.into_iter().map(|(_, user)| user).filter(|it| is_wanted(&it.found)).collect();
        elsewhere.truncate(left);
        left -= elsewhere.len();
        related.push(RelationsInProject { project, found, elsewhere });
    }
    Ok(related)
}

/// Who uses symbols or files of one of the asked projects in the others, each with the number of what is used.
async fn uses_elsewhere(
    asked: &[AskedProject<'_>],
    project: Option<&str>,
    symbols: &[NamedNode],
) -> Result<Vec<(usize, OfProject<GraphNeighbour>)>> {
    let Some(own) = asked.iter().find(|it| it.name == project).filter(|_| asked.len() > 1) else {
        return Ok(Vec::new());
    };
    let name = |symbol: &NamedNode| symbol.id.split_once('#').map(|(_, name)| name.to_owned());
    // What is inside of another symbol is reached through that, which no import says.
    let is_importable = |symbol: &NamedNode| symbol.item.is_none() && name(symbol).is_none_or(|it| !it.contains('.'));
    let (places, names): (Vec<usize>, Vec<Option<String>>) = symbols
        .iter()
        .enumerate()
        .filter(|(_, symbol)| is_importable(symbol))
        .map(|(place, symbol)| (place, name(symbol)))
        .unzip();
    let items: Vec<PackageItem<'_>> = places
        .iter()
        .zip(&names)
        .map(|(place, name)| PackageItem { path: &symbols[*place].path, name: name.as_deref() })
        .collect();
    let published = load_packages(&own.engine.code, own.project).await?.published;
    let mut found = Vec::new();
    for other in asked.iter().filter(|other| other.project.id != own.project.id && !published.is_empty()) {
        let needs = load_packages(&other.engine.code, other.project).await?;
        let needed: Vec<PublishedPackage> =
            published.iter().filter(|package| needs.manifest_that_needs(package).is_some()).cloned().collect();
        if needed.is_empty() {
            continue;
        }
        let uses = find_package_uses(&other.engine.code, other.project, &needed, &items).await?;
        found.extend(uses.into_iter().map(|(at, it)| (places[at], other.own(neighbour_of(it)))));
    }
    Ok(found)
}

fn neighbour_of(it: PackageUse) -> GraphNeighbour {
    GraphNeighbour {
        relation: it.relation,
        named: it.named,
        line: it.line,
        lines: it.lines,
        edge: None,
        confidence: it.confidence,
        distance: 1,
        through: None,
    }
}

/// What a change touches in every project that has what changes.
pub async fn analyze_impact_in(
    asked: &[AskedProject<'_>],
    request: ImpactRequest,
) -> Result<Vec<OfProject<ImpactReport>>> {
    let (mut symbols, mut tests) = (request.limit, request.tests);
    let replies = join_all(asked.iter().map(|it| it.engine.analyze_impact(it.project, request.clone()))).await;
    let mut found = answered(asked, replies)?;
    let mut elsewhere = Vec::new();
    for OfProject { project, found } in &found {
        let uses = uses_elsewhere(asked, project.as_deref(), &found.changed).await?;
        elsewhere.extend(uses.into_iter().map(|(at, it)| (it, found.changed[at].id.clone())));
    }
    for (OfProject { project, found: user }, through) in elsewhere {
        let at = found.iter().position(|it| it.project == project).unwrap_or_else(|| {
            found.push(OfProject { project, found: ImpactReport::default() });
            found.len() - 1
        });
        let GraphNeighbour { relation, named, lines, confidence, distance, .. } = user;
        let how = how_of(relation);
        found[at].found.affected.push(AffectedSymbol { named, confidence, distance, how, through, lines });
    }
    for OfProject { found, .. } in found.iter_mut().filter(|_| asked.len() > 1) {
        found.omitted += found.affected.len().saturating_sub(symbols);
        found.affected.truncate(symbols);
        symbols -= found.affected.len();
        found.omitted_tests += found.tests.len().saturating_sub(tests);
        found.tests.truncate(tests);
        tests -= found.tests.len();
    }
    Ok(found)
}

/// How something that uses another depends on it.
fn how_of(relation: RelationKind) -> &'static str {
    let words =
        [(RelationKind::Caller, "calls"), (RelationKind::Importer, "imports"), (RelationKind::Subtype, "extends")];
    words.iter().find(|(known, _)| *known == relation).map_or("uses", |(_, word)| word)
}

/// A project whose best place fits less than this share of the best one of all gets no part of the budget.
const LEAST_SHARE: f32 = 0.35;

/// Room for the line that names a project.
const HEADING_SLACK: TokenCount = TokenCount(4);

/// The answer of all projects in one budget, with the project of each item. A project gets a share by how well its best place
/// fits; what it does not need goes to the next ones.
pub async fn build_answer_in(
    asked: &[AskedProject<'_>],
    request: AnswerQuery,
) -> Result<(PackedAnswer, Vec<Option<String>>)> {
    if let [AskedProject { name: None, project, engine }] = asked {
        let answer = engine.build_answer(project, request).await?;
        let projects = vec![None; answer.items.len()];
        return Ok((answer, projects));
    }
    check_budget(Some(request.budget))?;
    let ranked = rank_projects(asked, &request).await;
    let mut merged: Option<PackedAnswer> = None;
    let mut projects = Vec::new();
    let mut failed = None;
    let mut left = request.budget;
    // What a reader has seen is known by paths, which mean something else in another project.
    let request = AnswerQuery { seen: SeenFinder::default(), ..request };
    for (place, it) in ranked.iter().enumerate() {
        let AskedProject { engine, project, name } = it.asked;
        let rest: f32 = ranked[place..].iter().map(|it| it.fit).sum();
        let share = if rest > 0.0 { it.fit / rest } else { 1.0 / (ranked.len() - place) as f32 };
        let mut heading = heading_of(name.unwrap_or_default(), request.format);
        let beside = count_tokens(&heading) + HEADING_SLACK;
        let wanted = ((f64::from(left.0) * f64::from(share)) as u32).saturating_sub(beside.0).max(LEAST_BUDGET.0);
        let room = if wanted + beside.0 <= left.0 {
            wanted
        } else if merged.is_none() {
            // Too little for a heading: the items say of which project they are.
            heading.clear();
            left.0
        } else {
            continue;
        };
        // The project that fits best says what is wrong with the question; of the others only what they found is wanted.
        let answer = engine.build_answer(project, AnswerQuery { budget: TokenCount(room), ..request.clone() }).await;
        let mut answer = match answer {
            Ok(answer) => answer,
            Err(error) => {
                failed.get_or_insert(error);
                continue;
            }
        };
        if answer.items.is_empty() && merged.is_some() {
            continue;
        }
        if !answer.items.is_empty() {
            answer.text = format!("{heading}{}", answer.text);
            answer.tokens = count_tokens(&answer.text);
        }
        left = TokenCount(left.0.saturating_sub(answer.tokens.0));
        projects.extend(vec![name.map(str::to_owned); answer.items.len()]);
        let omitted = std::mem::take(&mut answer.omitted);
        answer.omitted = omitted.iter().map(|place| it.asked.describe(place)).collect();
        merged = Some(match merged {
            None => answer,
            Some(all) if all.items.is_empty() => answer,
            Some(all) => join_answers(all, answer),
        });
    }
    let mut merged = merged.ok_or_else(|| failed.unwrap_or_else(nobody_asked))?;
    merged.seen = SeenReport::default();
    Ok((merged, projects))
}

/// A project with how well its best place fits the question.
struct RankedProject<'a> {
    asked: AskedProject<'a>,
    fit: f32,
}

/// The projects that get a part of the budget, the one that fits best first.
async fn rank_projects<'a>(asked: &[AskedProject<'a>], request: &AnswerQuery) -> Vec<RankedProject<'a>> {
    let fits = join_all(asked.iter().map(|it| measure_fit(it.engine, it.project, request))).await;
    // A project that cannot be searched says so in its answer, where no other one fits.
    let ranked =
        asked.iter().zip(fits).map(|(asked, fit)| RankedProject { asked: *asked, fit: fit.unwrap_or_default() });
    let mut ranked: Vec<RankedProject<'a>> = ranked.collect();
    ranked.sort_by(|a, b| b.fit.total_cmp(&a.fit));
    let best = ranked.first().map_or(0.0, |first| first.fit);
    ranked.retain(|it| it.fit >= best * LEAST_SHARE);
    ranked
}

fn join_answers(mut all: PackedAnswer, more: PackedAnswer) -> PackedAnswer {
    if !all.text.ends_with('\n') {
        all.text.push('\n');
    }
    all.text += &more.text;
    all.tokens = count_tokens(&all.text);
    all.items.extend(more.items);
    all.omitted.extend(more.omitted);
    all.omitted_more += more.omitted_more;
    all.consulted.extend(more.consulted);
    all.corrected.extend(more.corrected);
    all.entities.extend(more.entities);
    for reason in more.degraded {
        if !all.degraded.contains(&reason) {
            all.degraded.push(reason);
        }
    }
    all
}

/// The line above what a project says.
fn heading_of(name: &str, format: AnswerFormat) -> String {
    let name = show_name(name);
    match format {
        AnswerFormat::Markdown => format!("# Project {name}\n\n"),
        AnswerFormat::Xml => format!("<!-- project {} -->\n", name.replace("--", "- -")),
        AnswerFormat::Plain => format!("project {name}\n"),
    }
}

/// The replies of those that had one. A project that does not have what was asked for is no failure while another one has
/// it; where none has, the first says so.
fn answered<T>(asked: &[AskedProject<'_>], replies: Vec<Result<T>>) -> Result<Vec<OfProject<T>>> {
    let mut found = Vec::new();
    let mut refused = None;
    for (it, reply) in asked.iter().zip(replies) {
        match reply {
            Ok(reply) => found.push(it.own(reply)),
            Err(error) if asked.len() > 1 && matches!(error.kind(), ErrorKind::NotFound | ErrorKind::Invalid) => {
                refused.get_or_insert(error);
            }
            Err(error) => return Err(error),
        }
    }
    if found.is_empty() { Err(refused.unwrap_or_else(nobody_asked)) } else { Ok(found) }
}

fn nobody_asked() -> Error {
    Error::Parameter { field: "projects", reason: "names no project".to_owned() }
}
