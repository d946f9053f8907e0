"""Operations of Epitome 0.2.0 and the types of their replies.

Written by `cargo xtask clients`; change the program, not this file.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, Optional, Protocol, TypedDict


class IndexReplySkippedItem(TypedDict):
    path: str
    reason: str


class IndexReplyReportTotal(TypedDict):
    name: str
    files: int
    raw_tokens: int
    skeleton_tokens: int
    saved: float
    """The share of tokens saved; below 0 where skeletons cost more"""


class IndexReplyReportLanguagesItem(TypedDict):
    name: str
    files: int
    raw_tokens: int
    skeleton_tokens: int
    saved: float
    """The share of tokens saved; below 0 where skeletons cost more"""


class IndexReplyReportDirectoriesItem(TypedDict):
    name: str
    files: int
    raw_tokens: int
    skeleton_tokens: int
    saved: float
    """The share of tokens saved; below 0 where skeletons cost more"""


class IndexReplyReport(TypedDict):
    total: IndexReplyReportTotal
    languages: list[IndexReplyReportLanguagesItem]
    """Most tokens first"""
    directories: list[IndexReplyReportDirectoriesItem]
    """Most tokens first"""


class IndexReplyEncoded(TypedDict):
    read: int
    """Regions it has read"""
    left: int
    """Regions it reads when a question finds them"""


class IndexReplySummariesDegradedItem(TypedDict):
    reason: str
    fix: NotRequired[Optional[str]]
    """What to do about it"""


class IndexReplySummaries(TypedDict):
    written: int
    """Written in this run"""
    known: int
    """Written before"""
    failed: int
    """Nothing usable came; the next run tries again"""
    left: int
    """Not tried; the next run goes on with them"""
    degraded: list[IndexReplySummariesDegradedItem]
    """What stood in the way, and what to do about it"""


class IndexReplyEmbeddingDegradedItem(TypedDict):
    reason: str
    fix: NotRequired[Optional[str]]
    """What to do about it"""


class IndexReplyEmbedding(TypedDict):
    model: NotRequired[Optional[str]]
    """Who embeds; absent where it cannot be used"""
    embedded: int
    """Texts embedded in this run: units, paths and messages"""
    known: int
    """Embedded before"""
    left: int
    """Not embedded; the next run goes on with them"""
    degraded: list[IndexReplyEmbeddingDegradedItem]
    """What stood in the way, and what to do about it"""


class IndexReply(TypedDict):
    files: int
    """Files in the index"""
    symbols: int
    """Symbols in the index"""
    edges: int
    """Relations between symbols"""
    indexed: int
    """Files parsed in this run"""
    unchanged: int
    """Files that had not changed"""
    removed: int
    """Files that are gone"""
    skipped: list[IndexReplySkippedItem]
    """Files left out or only partly understood"""
    report: NotRequired[Optional[IndexReplyReport]]
    """What reading skeletons saves, with `report`"""
    encoded: NotRequired[Optional[IndexReplyEncoded]]
    """What the encoder has read, with `encode`"""
    summaries: NotRequired[Optional[IndexReplySummaries]]
    """What became of descriptions, with `summarize`"""
    embedding: NotRequired[Optional[IndexReplyEmbedding]]
    """What became of vectors, where `providers.embedder` is set"""


class SearchReplyResultsItemSignature(TypedDict):
    line: int
    text: str
    """Without indentation; shortened where it is very long"""


class SearchReplyResultsItemMatch(TypedDict):
    line: int
    text: str
    """Without indentation; shortened where it is very long"""


class SearchReplyResultsItemPartsItem(TypedDict):
    name: str
    value: float
    """How much of it there is"""
    worth: float
    """What that adds to the score"""


class SearchReplyResultsItemRelatedItem(TypedDict):
    relation: str
    """`container`, `supertype`, `overridden`, `import` or `type`"""
    project: NotRequired[Optional[str]]
    """Its project, where several are asked"""
    id: str
    """Symbol id, or the path of a file"""
    handle: NotRequired[Optional[str]]
    """Short name to read it by"""
    kind: str
    """`function`, `class`, …, `requirement`, or `file`"""
    path: str
    start_line: int
    end_line: int


class SearchReplyResultsItem(TypedDict):
    project: NotRequired[Optional[str]]
    """Its project, where several are asked"""
    path: str
    """Relative to the project"""
    start_line: int
    end_line: int
    score: float
    """Comparable within one reply only"""
    symbol: NotRequired[Optional[str]]
    """Id to read it by"""
    kind: str
    """`function`, `class`, …, or `chunk`"""
    signature: NotRequired[Optional[SearchReplyResultsItemSignature]]
    """Its signature at the line of its name, where a preview was asked for"""
    match: NotRequired[Optional[SearchReplyResultsItemMatch]]
    """The line that holds most of what the signature does not, where a preview was asked for"""
    why: str
    summary: NotRequired[Optional[str]]
    """What a model said about it (`index --summarize`)"""
    parts: NotRequired[list[SearchReplyResultsItemPartsItem]]
    """What the score is made of, where that was asked for"""
    related: NotRequired[list[SearchReplyResultsItemRelatedItem]]
    """What it hangs together with, where that was asked for"""
    related_omitted: NotRequired[int]
    """How many more of those there are"""


class SearchReplyCorrectedItem(TypedDict):
    given: str
    meant: str


class SearchReplyConsultedItemCost(TypedDict):
    tokens: int
    dollars: float
    ms: int
    """How long it took"""


SearchReplyConsultedItem = TypedDict("SearchReplyConsultedItem", {
    "for": "str",
    "skipped": "NotRequired[Optional[str]]",
    "text": "NotRequired[Optional[str]]",
    "model": "NotRequired[Optional[str]]",
    "cached": "NotRequired[bool]",
    "cost": "NotRequired[Optional[SearchReplyConsultedItemCost]]",
})


class SearchReplyEntitiesItem(TypedDict):
    id: str
    type: str
    name: str
    content: NotRequired[Optional[str]]


class SearchReply(TypedDict):
    results: list[SearchReplyResultsItem]
    """Best first; of several questions theirs in turn"""
    questions: NotRequired[list[str]]
    """The questions that the question is, where it is several"""
    corrected: NotRequired[list[SearchReplyCorrectedItem]]
    """Names that nothing is called, and what they were read as"""
    consulted: NotRequired[list[SearchReplyConsultedItem]]
    """Models that were asked"""
    degraded: NotRequired[list[str]]
    """What did not run, and how to have it"""
    entities: NotRequired[list[SearchReplyEntitiesItem]]
    """What somebody named (`entity`) and the question is about"""


ContextReplyItemsItem = TypedDict("ContextReplyItemsItem", {
    "project": "NotRequired[Optional[str]]",
    "source": "str",
    "from": "str",
    "text": "str",
    "tokens": "int",
    "why": "str",
    "at": "NotRequired[Optional[str]]",
    "summary": "NotRequired[bool]",
})


class ContextReplyGate(TypedDict):
    retrieve: bool
    """Whether anything was looked up"""
    reason: str
    confidence: float
    """How sure that is, 1 at most"""
    suggested_strategy: NotRequired[Optional[str]]
    """The strategy that suits the question, where its wording says so: `keyword` where it spells a name"""


class ContextReplyCorrectedItem(TypedDict):
    given: str
    meant: str


class ContextReplyConsultedItemCost(TypedDict):
    tokens: int
    dollars: float
    ms: int
    """How long it took"""


ContextReplyConsultedItem = TypedDict("ContextReplyConsultedItem", {
    "for": "str",
    "skipped": "NotRequired[Optional[str]]",
    "text": "NotRequired[Optional[str]]",
    "model": "NotRequired[Optional[str]]",
    "cached": "NotRequired[bool]",
    "cost": "NotRequired[Optional[ContextReplyConsultedItemCost]]",
})


class ContextReply(TypedDict):
    items: list[ContextReplyItemsItem]
    """Code and documents best first, then conversations; the other way round for questions about what was said"""
    tokens: int
    """Tokens of the reply's text: all items as they are written, and what is told below them"""
    omitted: list[str]
    """Places that would come next"""
    omitted_more: NotRequired[int]
    """How many more places were considered and left out"""
    degraded: list[str]
    """What did not run, and how to have it"""
    gate: ContextReplyGate
    """Whether anything was looked up, and why"""
    intent: str
    """What was asked for: `find`, `explain`, `list`, `compare`, `how`, `why` or `debug`"""
    questions: NotRequired[list[str]]
    """The questions that the question is, where it is several"""
    corrected: NotRequired[list[ContextReplyCorrectedItem]]
    """Names that nothing is called, and what they were read as"""
    consulted: NotRequired[list[ContextReplyConsultedItem]]
    """Models that were asked"""


class ReadReplyItemsItem(TypedDict):
    id: str
    """The target it answers"""
    path: str
    start_line: int
    """0 for an empty file and for bytes"""
    end_line: int
    text: str
    """A line `…:12-40` stands for lines left out: read `path:12-40`"""
    mode: str
    freshness: str
    """`fresh`: as indexed; `edited`: not as indexed, read from disk; `stale`: from the index, not on disk; `unindexed`: not in the index"""
    lossy: bool
    """Whether some bytes are not UTF-8 and stand as a replacement character in the text"""
    original_bytes: int
    compressed_bytes: int
    ratio: float
    """Compressed to original, 1 for raw"""
    tokens: int
    relation: NotRequired[Optional[str]]
    """For what was not asked for: how it relates (`type`, `callee`, `supertype`)…"""
    of: NotRequired[Optional[str]]
    """…and to what"""
    moved_from: NotRequired[Optional[str]]
    """The id it was asked for by, where it was renamed or moved since"""
    one_of: NotRequired[Optional[int]]
    """How many symbols have the name it was asked for by, where there are several"""


class ReadReplyOmittedItem(TypedDict):
    id: str
    """What to ask for again"""
    reason: str
    failed: bool
    """Whether it could not be read, rather than not fit"""


class ReadReply(TypedDict):
    items: list[ReadReplyItemsItem]
    omitted: list[ReadReplyOmittedItem]
    """Targets that are not among the items"""
    tokens: int
    """Tokens of all texts"""


class SymbolReplySymbolsItem(TypedDict):
    project: NotRequired[Optional[str]]
    """Its project, where several are asked"""
    id: str
    """Symbol id, or the path of a file"""
    handle: NotRequired[Optional[str]]
    """Short name to read it by"""
    kind: str
    """`function`, `class`, …, `requirement`, or `file`"""
    path: str
    start_line: int
    end_line: int
    name: str
    fit: str
    """`exact`, `prefix`, `part` or `near`"""
    signature: str
    modifiers: NotRequired[list[str]]
    parameters: NotRequired[list[str]]
    returns: NotRequired[Optional[str]]
    doc: NotRequired[Optional[str]]
    summary: NotRequired[Optional[str]]
    """What a model says it does (`index --summarize`)"""
    container: NotRequired[Optional[str]]


class SymbolReply(TypedDict):
    symbols: list[SymbolReplySymbolsItem]
    """Best first"""
    omitted: int
    """How many more fit"""
    unparsed: NotRequired[list[str]]
    """Where nothing is called so: files that could not be parsed in places, which may define it"""


class RelationsReplySymbol(TypedDict):
    project: NotRequired[Optional[str]]
    """Its project, where several are asked"""
    id: str
    """Symbol id, or the path of a file"""
    handle: NotRequired[Optional[str]]
    """Short name to read it by"""
    kind: str
    """`function`, `class`, …, `requirement`, or `file`"""
    path: str
    start_line: int
    end_line: int


class RelationsReplyRelationsItem(TypedDict):
    relation: str
    """`caller`, `callee`, `type`, `type_user`, `import`, `importer`, `supertype`, `subtype`, `override`, `overridden`, `definition`, `declaration`, `member`, `container`, `requirement`, `document`, `code` or `test`"""
    project: NotRequired[Optional[str]]
    """Its project, where several are asked"""
    id: str
    """Symbol id, or the path of a file"""
    handle: NotRequired[Optional[str]]
    """Short name to read it by"""
    kind: str
    """`function`, `class`, …, `requirement`, or `file`"""
    path: str
    start_line: int
    end_line: int
    line: int
    """The line that says so, in the file of the one that uses"""
    lines: NotRequired[list[int]]
    """All such lines, where there are several"""
    confidence: float
    """1 is certain, 0.5 to 0.9 inferred"""
    distance: int
    through: NotRequired[Optional[str]]
    """What is before it on the way, where it is farther than one step"""


class RelationsReplyUnlinkedMentionsItem(TypedDict):
    name: str
    path: str
    line: int
    kind: str
    """`call`, `code` or `text`"""
    text: str


class RelationsReplyUnlinked(TypedDict):
    total: int
    """How many lines"""
    calls: int
    """How many of them look like calls"""
    text: int
    """How many stand in comments, strings or documents"""
    files: int
    """In how many files"""
    mentions: list[RelationsReplyUnlinkedMentionsItem]
    """The likeliest uses, likeliest first"""
    omitted: int
    """How many are not listed; `mentions` asks for more"""
    unread_files: NotRequired[int]
    """How many files with the words of the name were not read"""


class RelationsReplyUnresolvedItem(TypedDict):
    name: str
    line: int
    candidates: list[str]


class RelationsReplyOthersItemSymbol(TypedDict):
    project: NotRequired[Optional[str]]
    """Its project, where several are asked"""
    id: str
    """Symbol id, or the path of a file"""
    handle: NotRequired[Optional[str]]
    """Short name to read it by"""
    kind: str
    """`function`, `class`, …, `requirement`, or `file`"""
    path: str
    start_line: int
    end_line: int


class RelationsReplyOthersItemRelationsItem(TypedDict):
    relation: str
    """`caller`, `callee`, `type`, `type_user`, `import`, `importer`, `supertype`, `subtype`, `override`, `overridden`, `definition`, `declaration`, `member`, `container`, `requirement`, `document`, `code` or `test`"""
    project: NotRequired[Optional[str]]
    """Its project, where several are asked"""
    id: str
    """Symbol id, or the path of a file"""
    handle: NotRequired[Optional[str]]
    """Short name to read it by"""
    kind: str
    """`function`, `class`, …, `requirement`, or `file`"""
    path: str
    start_line: int
    end_line: int
    line: int
    """The line that says so, in the file of the one that uses"""
    lines: NotRequired[list[int]]
    """All such lines, where there are several"""
    confidence: float
    """1 is certain, 0.5 to 0.9 inferred"""
    distance: int
    through: NotRequired[Optional[str]]
    """What is before it on the way, where it is farther than one step"""


class RelationsReplyOthersItemUnresolvedItem(TypedDict):
    name: str
    line: int
    candidates: list[str]


class RelationsReplyOthersItemLinkedItem(TypedDict):
    link_id: str
    relationship: str
    direction: str
    """`out` where it starts at the symbol"""
    weight: float
    entity_id: str
    type: str
    name: str


class RelationsReplyOthersItem(TypedDict):
    symbol: RelationsReplyOthersItemSymbol
    """A symbol or file."""
    relations: list[RelationsReplyOthersItemRelationsItem]
    omitted: int
    less_sure: NotRequired[int]
    unresolved: list[RelationsReplyOthersItemUnresolvedItem]
    linked: NotRequired[list[RelationsReplyOthersItemLinkedItem]]


class RelationsReplyLinkedItem(TypedDict):
    link_id: str
    relationship: str
    direction: str
    """`out` where it starts at the symbol"""
    weight: float
    entity_id: str
    type: str
    name: str


class RelationsReply(TypedDict):
    symbol: RelationsReplySymbol
    """A symbol or file."""
    relations: list[RelationsReplyRelationsItem]
    """Nearest first; with `to` the way, step by step"""
    omitted: int
    """How many more there are; `limit` asks for more"""
    less_sure: NotRequired[int]
    """How many are left out as less sure than `min_confidence`"""
    unlinked: NotRequired[Optional[RelationsReplyUnlinked]]
    """Lines that mention the name and are linked to nothing; not there where only what the symbol uses was asked for"""
    unresolved: list[RelationsReplyUnresolvedItem]
    """Uses inside of it that may lead to several symbols"""
    others: NotRequired[list[RelationsReplyOthersItem]]
    """The same for each other symbol of the name, where nothing says which is meant"""
    more: NotRequired[int]
    """How many more symbols have the name; `matches` asks for more"""
    linked: NotRequired[list[RelationsReplyLinkedItem]]
    """What somebody linked to it (`entity`)"""


class ImpactReplyChangedItem(TypedDict):
    project: NotRequired[Optional[str]]
    """Its project, where several are asked"""
    id: str
    """Symbol id, or the path of a file"""
    handle: NotRequired[Optional[str]]
    """Short name to read it by"""
    kind: str
    """`function`, `class`, …, `requirement`, or `file`"""
    path: str
    start_line: int
    end_line: int


class ImpactReplyAffectedItem(TypedDict):
    project: NotRequired[Optional[str]]
    """Its project, where several are asked"""
    id: str
    """Symbol id, or the path of a file"""
    handle: NotRequired[Optional[str]]
    """Short name to read it by"""
    kind: str
    """`function`, `class`, …, `requirement`, or `file`"""
    path: str
    start_line: int
    end_line: int
    confidence: float
    """As in `relations`: 1 is certain; over several steps the product"""
    distance: int
    """How many steps away"""
    how: str
    """`calls`, `uses`, `extends`, `implements` or `imports`"""
    through: str
    """What it leans on"""
    lines: list[int]
    """The lines of its file that say so"""


class ImpactReplyTestsItemSymbolsItem(TypedDict):
    project: NotRequired[Optional[str]]
    """Its project, where several are asked"""
    id: str
    """Symbol id, or the path of a file"""
    handle: NotRequired[Optional[str]]
    """Short name to read it by"""
    kind: str
    """`function`, `class`, …, `requirement`, or `file`"""
    path: str
    start_line: int
    end_line: int
    confidence: float
    """As in `relations`: 1 is certain; over several steps the product"""
    distance: int
    """How many steps away"""
    how: str
    """`calls`, `uses`, `extends`, `implements` or `imports`"""
    through: str
    """What it leans on"""
    lines: list[int]
    """The lines of its file that say so"""


class ImpactReplyTestsItem(TypedDict):
    project: NotRequired[Optional[str]]
    """Its project, where several are asked"""
    path: str
    reasons: list[Any]
    """Why, the surest reason first"""
    symbols: NotRequired[list[ImpactReplyTestsItemSymbolsItem]]
    """Its tests that reach the change by relations"""
    omitted: NotRequired[int]
    """How many more do"""


class ImpactReplyFilesItem(TypedDict):
    project: NotRequired[Optional[str]]
    """Its project, where several are asked"""
    path: str
    confidence: float


class ImpactReplyUnlinkedMentionsItem(TypedDict):
    name: str
    path: str
    line: int
    kind: str
    """`call`, `code` or `text`"""
    text: str


class ImpactReplyUnlinked(TypedDict):
    total: int
    """How many lines"""
    calls: int
    """How many of them look like calls"""
    text: int
    """How many stand in comments, strings or documents"""
    files: int
    """In how many files"""
    mentions: list[ImpactReplyUnlinkedMentionsItem]
    """The likeliest uses, likeliest first"""
    omitted: int
    """How many are not listed; `mentions` asks for more"""
    unread_files: NotRequired[int]
    """How many files with the words of the name were not read"""


class ImpactReply(TypedDict):
    changed: list[ImpactReplyChangedItem]
    more: NotRequired[int]
    """How many more symbols have a name that was asked for: name one by its id"""
    affected: list[ImpactReplyAffectedItem]
    """Nearest and surest first"""
    omitted: int
    """How many affected symbols are left out; `limit` asks for more"""
    tests: list[ImpactReplyTestsItem]
    """Test files to run, sure ones first"""
    omitted_tests: int
    """How many test files with weaker reasons are left out; `tests` asks for more"""
    files: list[ImpactReplyFilesItem]
    """Files of what is changed and affected"""
    unlinked: ImpactReplyUnlinked
    """Lines that mention a changed name and are linked to nothing"""
    unknown: list[str]
    """Changed files that the index does not know"""
    not_compared: NotRequired[list[str]]
    """Files that may have changed, but whose content before is not in the repository (Git LFS, a partial clone)"""


class CritiqueReplyIssuesItemSpan(TypedDict):
    start: int
    end: int


class CritiqueReplyIssuesItem(TypedDict):
    type: str
    """`hallucination`, `unsupported`, `outdated`, `incomplete`"""
    severity: str
    """`high`, `medium`, `low`"""
    claim: str
    span: NotRequired[Optional[CritiqueReplyIssuesItemSpan]]
    """Its bytes"""
    evidence: NotRequired[Optional[str]]
    suggestion: NotRequired[Optional[str]]


class CritiqueReplyClaimsItem(TypedDict):
    claim: str
    type: str
    """`symbol`, `signature`, `location`, `behaviour`, `relation`, `version`"""
    supported: str
    """`yes`, `no`, `unknown`"""
    source: NotRequired[Optional[str]]


class CritiqueReply(TypedDict):
    passed: bool
    """Nothing is contradicted"""
    issues: list[CritiqueReplyIssuesItem]
    """Gravest first"""
    claims: list[CritiqueReplyClaimsItem]
    omitted: NotRequired[int]
    """Claims beyond the limit"""
    iterations: int
    revised: NotRequired[Optional[str]]
    """The text a model made of it"""
    model: NotRequired[Optional[str]]
    degraded: NotRequired[list[str]]
    """What did not run"""


class TreeReply(TypedDict):
    tree: str
    files: int
    directories: int
    _truncated_paths: NotRequired[list[str]]
    """Directories not shown whole: ask for one of them by `path`"""
    truncated_more: NotRequired[int]
    """How many more there are"""


class BriefingReplyLanguagesItem(TypedDict):
    name: str
    files: int
    lines: int


class BriefingReplyEntryPointsItem(TypedDict):
    id: str
    why: str


class BriefingReplyCentralItem(TypedDict):
    path: str
    defines: list[str]


class BriefingReplyCommandsItem(TypedDict):
    command: str
    source: str


class BriefingReply(TypedDict):
    about: NotRequired[Optional[str]]
    """The first words of the README"""
    languages: list[BriefingReplyLanguagesItem]
    """Most lines first"""
    entry_points: list[BriefingReplyEntryPointsItem]
    """Where it starts to run"""
    central: list[BriefingReplyCentralItem]
    """What most of it leans on"""
    commands: list[BriefingReplyCommandsItem]
    """How it is built, tested and run, as its files say"""
    tests: int
    """Files that are tests"""
    tokens: int


class DocumentReplyDocumentsItem(TypedDict):
    path: str
    title: NotRequired[Optional[str]]
    words: int
    sections: int
    requirements: int
    stories: int
    questions: int
    links: int
    """To code and tests"""


class DocumentReplyDocument(TypedDict):
    path: str
    title: NotRequired[Optional[str]]
    words: int
    sections: int
    requirements: int
    stories: int
    questions: int
    links: int
    """To code and tests"""


class DocumentReplySectionsItem(TypedDict):
    name: str
    depth: int
    """1 for the highest"""
    line: int


class DocumentReplyRequirementsItem(TypedDict):
    id: str
    """`path#KEY`, or `path:line` of a sentence without a key"""
    key: NotRequired[Optional[str]]
    text: str
    priority: NotRequired[Optional[str]]
    """`must`, `should`, `may`, or as the document says"""
    status: NotRequired[Optional[str]]
    start_line: int
    end_line: int


class DocumentReplyStoriesItem(TypedDict):
    key: NotRequired[Optional[str]]
    role: str
    goal: str
    benefit: NotRequired[Optional[str]]
    criteria: list[str]
    """When it counts as done"""
    line: int


class DocumentReplyQuestionsItem(TypedDict):
    text: str
    line: int


DocumentReplyLinksItem = TypedDict("DocumentReplyLinksItem", {
    "from": "str",
    "project": "NotRequired[Optional[str]]",
    "id": "str",
    "handle": "NotRequired[Optional[str]]",
    "kind": "str",
    "path": "str",
    "start_line": "int",
    "end_line": "int",
    "line": "int",
    "weight": "float",
    "is_test": "bool",
})


class DocumentReply(TypedDict):
    documents: NotRequired[list[DocumentReplyDocumentsItem]]
    """Of `list`"""
    document: NotRequired[Optional[DocumentReplyDocument]]
    """Of `show` and `index`"""
    metadata: NotRequired[dict[str, str]]
    """What stands at its head"""
    sections: NotRequired[Optional[list[DocumentReplySectionsItem]]]
    requirements: NotRequired[Optional[list[DocumentReplyRequirementsItem]]]
    stories: NotRequired[Optional[list[DocumentReplyStoriesItem]]]
    questions: NotRequired[Optional[list[DocumentReplyQuestionsItem]]]
    """Questions that it leaves open"""
    links: NotRequired[Optional[list[DocumentReplyLinksItem]]]
    """Code and tests that it names"""
    omitted: int
    """How many entries of all lists are not shown; `limit` asks for more"""
    cursor: NotRequired[Optional[str]]
    """Continues the list"""


class CoverageReplyRequirementsItemCodeItem(TypedDict):
    project: NotRequired[Optional[str]]
    """Its project, where several are asked"""
    id: str
    """Symbol id, or the path of a file"""
    handle: NotRequired[Optional[str]]
    """Short name to read it by"""
    kind: str
    """`function`, `class`, …, `requirement`, or `file`"""
    path: str
    start_line: int
    end_line: int
    line: int
    """The line that names the other one"""
    weight: float
    """1 for an exact id or key, 0.7 for a name that is unique, 0.5 for a test that calls the code"""
    is_test: bool


class CoverageReplyRequirementsItemTestsItem(TypedDict):
    project: NotRequired[Optional[str]]
    """Its project, where several are asked"""
    id: str
    """Symbol id, or the path of a file"""
    handle: NotRequired[Optional[str]]
    """Short name to read it by"""
    kind: str
    """`function`, `class`, …, `requirement`, or `file`"""
    path: str
    start_line: int
    end_line: int
    line: int
    """The line that names the other one"""
    weight: float
    """1 for an exact id or key, 0.7 for a name that is unique, 0.5 for a test that calls the code"""
    is_test: bool


class CoverageReplyRequirementsItem(TypedDict):
    id: str
    """`path#KEY`, or `path:line` of a sentence without a key"""
    key: NotRequired[Optional[str]]
    text: str
    priority: NotRequired[Optional[str]]
    """`must`, `should`, `may`, or as the document says"""
    status: NotRequired[Optional[str]]
    start_line: int
    end_line: int
    path: str
    code: list[CoverageReplyRequirementsItemCodeItem]
    tests: list[CoverageReplyRequirementsItemTestsItem]


class CoverageReplyUnboundItem(TypedDict):
    id: str
    line: int


class CoverageReply(TypedDict):
    total: int
    """How many requirements were looked at"""
    with_code: int
    with_tests: int
    requirements: list[CoverageReplyRequirementsItem]
    omitted: int
    """How many more there are; `cursor` continues"""
    cursor: NotRequired[Optional[str]]
    tests: int
    """How many tests there are"""
    unbound_tests: int
    """How many of them belong to no requirement"""
    unbound: list[CoverageReplyUnboundItem]
    """The first of those"""


class ImportReplyConversationsItemQuarantineItem(TypedDict):
    line: int
    """Counted from 1"""
    offset: int
    """Byte at which it starts"""
    bytes: int
    reason: str


class ImportReplyConversationsItemUnknownItem(TypedDict):
    kind: str
    lines: int


class ImportReplyConversationsItem(TypedDict):
    id: str
    """Conversation id"""
    name: str
    title: NotRequired[Optional[str]]
    agent: str
    source: str
    """Path of the transcript"""
    standing: str
    """`same`, `grown`, or why it was read from its beginning: `first`, `truncated`, `rewritten`, `replaced`, `moved`"""
    lines: int
    """Lines in the archive"""
    messages: int
    """Messages made from them"""
    new_lines: int
    new_messages: int
    revised: int
    """New messages whose id was taken by other words; stored beside those"""
    scrubbed: int
    """New lines in which secrets were replaced"""
    quarantined: int
    """Lines that could not be read; their bytes are kept"""
    quarantine: list[ImportReplyConversationsItemQuarantineItem]
    unknown: list[ImportReplyConversationsItemUnknownItem]
    """Kinds of lines we do not know, with their number; kept like all others"""
    unfinished: int
    """Bytes behind the last whole line; kept, and read when the line is whole"""
    directory: NotRequired[Optional[str]]
    """The directory that it is about, as its agent writes it"""
    elsewhere: NotRequired[bool]
    """Whether it was named here and belongs to another project or to none: only `--within all` looks through it"""
    warning: NotRequired[Optional[str]]
    """That no message was made of its lines, and what they are"""


class ImportReplySkippedItem(TypedDict):
    path: str
    reason: str


class ImportReplyOthers(TypedDict):
    files: int
    first: list[str]
    """Paths of the first of them"""


class ImportReply(TypedDict):
    conversations: list[ImportReplyConversationsItem]
    skipped: list[ImportReplySkippedItem]
    """What was not read, and why"""
    others: ImportReplyOthers
    """Files that lie among transcripts and are none; left alone"""


class IngestParamsMessagesItem(TypedDict):
    role: Literal['system', 'user', 'assistant', 'tool']
    speaker: NotRequired[Optional[str]]
    """The speaker's name, where there are several"""
    session: NotRequired[Optional[str]]
    """The sitting it belongs to"""
    content: NotRequired[Optional[str]]
    """Plain text"""
    parts: NotRequired[list[Any]]
    """Typed parts, where it is more than plain text"""
    at: NotRequired[Optional[str]]
    """When it happened; RFC 3339 is understood, other forms are kept as they are"""
    metadata: NotRequired[Optional[Any]]
    """What else is known of it: model, tokenCount, responseTimeMs, toolCalls"""
    id: NotRequired[Optional[str]]
    """Your own id; sending the same message again is then harmless"""


class IngestReply(TypedDict):
    acknowledged: list[Any]
    """One entry per message, in order"""


class HistoryReplyMessagesItem(TypedDict):
    message_id: str
    seq: int
    role: str
    speaker: NotRequired[Optional[str]]
    session: NotRequired[Optional[str]]
    content: str
    at: str
    """When it happened, in its source's words; when it was received, where the source said nothing"""
    received: NotRequired[bool]
    """Whether `at` is when it was received"""
    tokens: int
    repeated: NotRequired[Optional[str]]
    """The message that it repeats, of the conversation which this one goes on from"""
    metadata: NotRequired[Any]
    """What its source says about it besides"""


class HistoryReplyConversationsItem(TypedDict):
    conversation_id: str
    number: int
    """Its number in this store; `#12` names it wherever a conversation is named"""
    name: str
    title: NotRequired[Optional[str]]
    """What its source calls it, or the first sentence of a person in it"""
    state: str
    """`active`, `summarized` or `archived`"""
    messages: int
    tokens: int
    summaries: int
    """Summaries that stand for stretches of it"""
    first_at: str
    """When its first message happened"""
    at: str
    """When its newest message happened"""
    opening: NotRequired[Optional[str]]
    """The first words of a person in it"""


class HistoryReply(TypedDict):
    messages: NotRequired[Optional[list[HistoryReplyMessagesItem]]]
    """Oldest first"""
    conversations: NotRequired[Optional[list[HistoryReplyConversationsItem]]]
    """Newest first, where no conversation was named"""
    omitted: NotRequired[Optional[int]]
    """How many more conversations there are"""
    elsewhere: NotRequired[Optional[int]]
    """Conversations of other projects or of none, not listed"""


class RecallReplyResultsItemFact(TypedDict):
    id: str
    kind: str
    holds: bool
    """Whether nothing took it back and nothing came in its place"""


class RecallReplyResultsItemNeighboursItem(TypedDict):
    message_id: str
    role: str
    speaker: NotRequired[Optional[str]]
    text: str
    source: str


class RecallReplyResultsItemParts(TypedDict):
    words: float
    length: float
    speaker: float
    reply: float
    lexical: float
    meaning: float
    time: float
    moment: float
    rule: float
    session: float
    opener: float
    part: float
    decision: float
    summary: float


class RecallReplyResultsItem(TypedDict):
    message_id: str
    conversation_id: str
    role: str
    speaker: NotRequired[Optional[str]]
    score: float
    """Comparable within one reply only"""
    text: str
    """Verbatim; `source` says which bytes where it is not all"""
    at: Optional[str]
    """When it happened, in its source's words"""
    source: str
    """`conversation#seq`, and `:start-end/bytes` where only those bytes of the content are shown"""
    why: str
    fact: NotRequired[Optional[RecallReplyResultsItemFact]]
    """The decision, rule or correction it states, where the question asks for a decision"""
    neighbours: NotRequired[list[RecallReplyResultsItemNeighboursItem]]
    """Messages beside it that hold words it lacks, and its reply where that lifted it"""
    parts: NotRequired[Optional[RecallReplyResultsItemParts]]
    """The last ten add up to the score; the first four are the points behind `lexical`"""


class RecallReplyMemoriesItemContradictsItem(TypedDict):
    id: str
    newer: bool
    """Whether this one was said later than that one"""


RecallReplyMemoriesItem = TypedDict("RecallReplyMemoriesItem", {
    "memory_id": "str",
    "kind": "str",
    "content": "str",
    "tags": "NotRequired[list[str]]",
    "for": "str",
    "author": "NotRequired[Optional[str]]",
    "visibility": "NotRequired[Optional[str]]",
    "contradicts": "NotRequired[list[RecallReplyMemoriesItemContradictsItem]]",
    "confidence": "NotRequired[Optional[float]]",
    "sources": "NotRequired[list[str]]",
    "conversation_id": "NotRequired[Optional[str]]",
    "depth": "int",
    "created_at": "str",
    "last_seen_at": "str",
    "archived_at": "NotRequired[Optional[str]]",
    "superseded_by": "NotRequired[Optional[str]]",
    "project_id": "NotRequired[Optional[str]]",
    "metadata": "NotRequired[list[Any]]",
})


class RecallReplyAnswer(TypedDict):
    text: NotRequired[Optional[str]]
    """By the model; absent where none is configured or none wrote what the messages support"""
    model: NotRequired[Optional[str]]
    cited: list[str]
    """Messages that it rests on"""
    summaries: list[str]
    """Summaries that were expanded to them"""
    source_tokens: int
    """Tokens of messages that were read"""
    truncated: bool
    """Whether the text was cut, or matches were left out"""


class RecallReplyRulesItem(TypedDict):
    message_id: str
    text: str
    source: str


class RecallReplyThreadStepsItem(TypedDict):
    message_id: str
    seq: int
    role: str
    text: str
    """Its beginning"""


class RecallReplyThread(TypedDict):
    conversation: str
    summary_id: NotRequired[Optional[str]]
    """The summary that covers most of it"""
    digest: NotRequired[Optional[str]]
    steps: list[RecallReplyThreadStepsItem]
    """In the order they were said"""


class RecallReply(TypedDict):
    results: list[RecallReplyResultsItem]
    """Best first"""
    memories: list[RecallReplyMemoriesItem]
    """What is remembered about it, best first"""
    answer: NotRequired[Optional[RecallReplyAnswer]]
    """What was written, where that was asked for"""
    tokens: int
    """Tokens of all results"""
    omitted: int
    """How many more messages matched"""
    repeated: NotRequired[int]
    """Matches that say word for word what a better one says, left out"""
    unanswering: NotRequired[int]
    """Matches that answer nothing, left out: they only ask, or only say what comes next"""
    degraded: list[str]
    """What did not run, or that nothing matched and these are the newest messages, or are only near in meaning"""
    rules: NotRequired[list[RecallReplyRulesItem]]
    """Standing rules that concern the question and are no results themselves"""
    thread: NotRequired[Optional[RecallReplyThread]]
    """For a question for a list, an order, a summary or what is next: the course of a conversation"""


class GrepReplyMatchesItem(TypedDict):
    id: str
    """Of an artifact: the bytes around the match, as `describe` takes them"""
    type: str
    """`message`, `summary` or `artifact`"""
    conversation_id: str
    snippet: str
    at: Optional[str]
    """When it happened, in its source's words; of a summary or an artifact, the first of its messages"""
    kind: NotRequired[Optional[str]]
    """Of a summary: `leaf` or `condensed`"""
    depth: NotRequired[Optional[int]]
    """Of a summary: how many levels it stands above messages"""
    repeated: NotRequired[Optional[str]]
    """The message of another conversation that it repeats: an agent that forks or resumes a session writes its history again"""


class GrepReply(TypedDict):
    matches: list[GrepReplyMatchesItem]
    """Messages, newest first by when they happened, then summaries, then artifacts"""
    total: int
    """How many there are, from the cursor on"""
    cursor: NotRequired[Optional[str]]
    """Where to continue, when there is more"""
    complete: bool
    """False when time ran out: then there may be more than `total` says"""
    degraded: NotRequired[list[str]]
    """What could not be looked through, and why"""
    elsewhere: NotRequired[Optional[int]]
    """Conversations of other projects or of none, not looked through, where nothing was found"""


class DecisionsReplyDecisionsItem(TypedDict):
    id: str
    title: str
    decision: str
    """The sentence, verbatim"""
    reason: NotRequired[Optional[str]]
    alternatives: list[str]
    """What was not chosen"""
    related: list[str]
    """Files and symbols it names"""
    messages: list[str]
    """Ids of the messages it is taken from"""
    status: str
    """`proposed`, `in force`, `superseded by ID`, `superseded` or `withdrawn`"""
    conversation_id: str
    at: NotRequired[Optional[str]]


class DecisionsReplySharedItemContradictsItem(TypedDict):
    id: str
    newer: bool
    """Whether this one was said later than that one"""


class DecisionsReplySharedItem(TypedDict):
    id: str
    author: str
    decision: str
    """The sentence, verbatim"""
    at: str
    contradicts: NotRequired[list[DecisionsReplySharedItemContradictsItem]]
    """Decisions that say the contrary"""


class DecisionsReply(TypedDict):
    decisions: list[DecisionsReplyDecisionsItem]
    """Newest first; best first where a topic was given"""
    shared: NotRequired[list[DecisionsReplySharedItem]]
    """What colleagues share, newest first: neither side ends the other"""
    omitted: int
    """How many more there are"""
    elsewhere: NotRequired[Optional[int]]
    """Conversations of other projects or of none, not looked through"""
    degraded: NotRequired[list[str]]
    """What could not be read, and why"""


class SessionReplySessionsItem(TypedDict):
    conversation_id: str
    number: int
    """Its number in this store; `#12` names it wherever a conversation is named"""
    name: str
    title: NotRequired[Optional[str]]
    """What its source calls it, or the first sentence of a person in it"""
    state: str
    """`active`, `summarized` or `archived`"""
    messages: int
    tokens: int
    summaries: int
    """Summaries that stand for stretches of it"""
    first_at: str
    """When its first message happened"""
    at: str
    """When its newest message happened"""
    opening: NotRequired[Optional[str]]
    """The first words of a person in it"""
    summary: NotRequired[Optional[str]]
    """Topics, decisions, open questions and context of the whole"""
    method: NotRequired[Optional[str]]
    """`extractive`, `fallback` or `model`"""


class SessionReply(TypedDict):
    sessions: list[SessionReplySessionsItem]
    """Newest first, as they stand now"""
    omitted: int
    """How many more there are"""
    degraded: NotRequired[list[str]]
    """What did not run"""


class CompactReplyRunsItemFoldedItem(TypedDict):
    summary_id: str
    kind: str
    """`leaf` or `condensed`"""
    depth: int
    first_seq: int
    last_seq: int
    tokens: int
    instead_of: int
    """Tokens of what it took the place of"""
    method: str
    """`extractive`, `fallback` or `model`"""
    model: NotRequired[Optional[str]]
    facts_kept: int
    """Facts of what it covers that it still names"""
    facts: int


class CompactReplyRunsItemLeftAloneItem(TypedDict):
    first_seq: int
    last_seq: int
    why: str


class CompactReplyRunsItemDegradedItem(TypedDict):
    reason: str
    fix: NotRequired[Optional[str]]
    """What to do about it"""


class CompactReplyRunsItemPrice(TypedDict):
    model: str
    calls: int
    tokens_in: int
    tokens_out: int
    dollars: NotRequired[Optional[float]]


class CompactReplyRunsItem(TypedDict):
    conversation_id: str
    name: str
    title: NotRequired[Optional[str]]
    """What its source calls it"""
    tokens_before: int
    tokens_after: int
    summaries: int
    """How many summaries were made"""
    folded: list[CompactReplyRunsItemFoldedItem]
    left_alone: NotRequired[list[CompactReplyRunsItemLeftAloneItem]]
    """Stretches that could not be made shorter"""
    stopped: NotRequired[Optional[str]]
    """Why it ended before it was done"""
    degraded: NotRequired[list[CompactReplyRunsItemDegradedItem]]
    """Models that were asked and gave nothing usable"""
    price: NotRequired[Optional[CompactReplyRunsItemPrice]]
    """What a model would cost, of a dry run"""


class CompactReply(TypedDict):
    runs: list[CompactReplyRunsItem]
    unchanged: NotRequired[int]
    """Conversations in which there was nothing to fold"""
    dry_run: NotRequired[bool]
    """Nothing was written"""


class AssembleReplyItemsItem(TypedDict):
    type: str
    """`message`, `thread`, `summary`, `facts` or `gap`"""
    id: str
    role: str
    text: str
    tokens: int


class AssembleReplyOmittedItem(TypedDict):
    first_seq: int
    last_seq: int
    summary_id: NotRequired[Optional[str]]
    """The summary that expands to them"""


class AssembleReply(TypedDict):
    items: list[AssembleReplyItemsItem]
    """In the order in which a model reads them"""
    tokens: int
    omitted: NotRequired[list[AssembleReplyOmittedItem]]
    """What did not fit"""
    system: NotRequired[Optional[str]]
    """Instructions, in the shape of the Anthropic API"""
    messages: NotRequired[Optional[list[Any]]]
    """The items as the vendor's messages"""


class DescribeReplyBytes(TypedDict):
    start: int
    end: int
    """One past the last"""
    of: int
    """How many the artifact has"""
    media_type: str
    hash: str
    """Blake3 hash of the whole"""
    about: str
    """What is in it, in brief"""
    mentioned_by: list[str]
    """Messages that mention it"""
    stored_at: str
    """Where they are kept, compressed"""
    base64: NotRequired[Optional[str]]
    """The bytes, where they are no text"""
    continue_with: NotRequired[Optional[str]]
    """What to describe next to read on"""


DescribeReplySummary = TypedDict("DescribeReplySummary", {
    "summary_id": "str",
    "kind": "str",
    "depth": "int",
    "first_seq": "int",
    "last_seq": "int",
    "tokens": "int",
    "source_tokens": "int",
    "from": "NotRequired[Optional[str]]",
    "until": "NotRequired[Optional[str]]",
    "method": "str",
    "model": "NotRequired[Optional[str]]",
    "prompt": "NotRequired[Optional[str]]",
    "trigger": "str",
    "facts_kept": "int",
    "facts": "int",
})


DescribeReplyCoversItem = TypedDict("DescribeReplyCoversItem", {
    "summary_id": "str",
    "kind": "str",
    "depth": "int",
    "first_seq": "int",
    "last_seq": "int",
    "tokens": "int",
    "source_tokens": "int",
    "from": "NotRequired[Optional[str]]",
    "until": "NotRequired[Optional[str]]",
    "method": "str",
    "model": "NotRequired[Optional[str]]",
    "prompt": "NotRequired[Optional[str]]",
    "trigger": "str",
    "facts_kept": "int",
    "facts": "int",
})


class DescribeReplyArtifactsItem(TypedDict):
    id: str
    name: NotRequired[Optional[str]]
    media_type: str
    bytes: int


class DescribeReplyPartsItem(TypedDict):
    kind: str
    """`text`, `reasoning`, `tool`, …, `compaction`"""
    tool: NotRequired[Optional[str]]
    call_id: NotRequired[Optional[str]]
    bytes: int
    summary_id: NotRequired[Optional[str]]
    """The summary that took the place of this message and those before it"""
    auto: NotRequired[Optional[bool]]
    """Whether the context was folded by itself"""
    is_ignored: NotRequired[Optional[bool]]
    """Whether its source kept it from the model"""
    is_synthetic: NotRequired[Optional[bool]]
    """Whether a program wrote it in the place of a person or a model"""
    metadata: NotRequired[Any]
    """What else its source said about it"""


class DescribeReplyFactsItem(TypedDict):
    fact_id: str
    kind: str
    """`rule`, `task`, `correction`, `decision`, `file`, `command`, `failure`, `test` or `todo`"""
    subject: str
    state: str
    exit_code: NotRequired[Optional[int]]
    seen_with: NotRequired[Optional[str]]
    """What a failure or test was seen with"""
    ended_by: NotRequired[Optional[str]]
    """Files changed and commands run before it ended, or the fact that replaced it"""
    told: bool
    """Whether agents are told it"""
    times: int
    first_seq: int
    last_seq: int
    sources: list[str]
    """Messages it is taken from: the first and the newest"""


class DescribeReplyFact(TypedDict):
    fact_id: str
    kind: str
    """`rule`, `task`, `correction`, `decision`, `file`, `command`, `failure`, `test` or `todo`"""
    subject: str
    state: str
    exit_code: NotRequired[Optional[int]]
    seen_with: NotRequired[Optional[str]]
    """What a failure or test was seen with"""
    ended_by: NotRequired[Optional[str]]
    """Files changed and commands run before it ended, or the fact that replaced it"""
    told: bool
    """Whether agents are told it"""
    times: int
    first_seq: int
    last_seq: int
    sources: list[str]
    """Messages it is taken from: the first and the newest"""


class DescribeReplyMemoryContradictsItem(TypedDict):
    id: str
    newer: bool
    """Whether this one was said later than that one"""


DescribeReplyMemory = TypedDict("DescribeReplyMemory", {
    "memory_id": "str",
    "kind": "str",
    "content": "str",
    "tags": "NotRequired[list[str]]",
    "for": "str",
    "author": "NotRequired[Optional[str]]",
    "visibility": "NotRequired[Optional[str]]",
    "contradicts": "NotRequired[list[DescribeReplyMemoryContradictsItem]]",
    "confidence": "NotRequired[Optional[float]]",
    "sources": "NotRequired[list[str]]",
    "conversation_id": "NotRequired[Optional[str]]",
    "depth": "int",
    "created_at": "str",
    "last_seen_at": "str",
    "archived_at": "NotRequired[Optional[str]]",
    "superseded_by": "NotRequired[Optional[str]]",
    "project_id": "NotRequired[Optional[str]]",
    "metadata": "NotRequired[list[Any]]",
})


class DescribeReplyFoldsItem(TypedDict):
    summary_id: str
    depth: int
    first_seq: int
    last_seq: int
    tokens: int
    source_tokens: int
    """Tokens of the messages it stands for"""


class DescribeReply(TypedDict):
    type: str
    """`summary`, `message`, `fact`, `memory`, `artifact` or `conversation`"""
    id: str
    conversation_id: NotRequired[str]
    """Whose it is; an artifact may belong to several"""
    name: NotRequired[Optional[str]]
    title: NotRequired[Optional[str]]
    """What lists call a conversation"""
    seq: NotRequired[Optional[int]]
    role: NotRequired[Optional[str]]
    at: NotRequired[Optional[str]]
    created: NotRequired[Optional[str]]
    """When a summary was made"""
    tokens: NotRequired[Optional[int]]
    content: NotRequired[Optional[str]]
    """Text of a summary or message, or of the bytes of an artifact"""
    bytes: NotRequired[Optional[DescribeReplyBytes]]
    """Which bytes of an artifact these are, and how many it has"""
    summary: NotRequired[Optional[DescribeReplySummary]]
    active: NotRequired[Optional[bool]]
    """Whether a summary is part of the active context"""
    redone: NotRequired[Optional[str]]
    """The summary that was made anew for it"""
    covers: NotRequired[list[DescribeReplyCoversItem]]
    """Summaries below it, in order"""
    descendants: NotRequired[Optional[int]]
    """How many summaries stand below it, over all levels"""
    message_ids: NotRequired[list[str]]
    """Messages that a leaf was made from"""
    artifacts: NotRequired[list[DescribeReplyArtifactsItem]]
    """Artifacts that its messages mention"""
    covered_by: NotRequired[list[str]]
    """Summaries above it, the lowest first"""
    parts: NotRequired[list[DescribeReplyPartsItem]]
    """Parts of a message, in order, and where the context was folded behind it"""
    facts: NotRequired[list[DescribeReplyFactsItem]]
    fact: NotRequired[Optional[DescribeReplyFact]]
    memory: NotRequired[Optional[DescribeReplyMemory]]
    messages: NotRequired[Optional[int]]
    """Messages of a conversation"""
    active_messages: NotRequired[Optional[int]]
    """Messages that stand for themselves in its context"""
    context_tokens: NotRequired[Optional[int]]
    """Tokens of its context"""
    summaries: NotRequired[list[str]]
    """Summaries in its context, in order"""
    folds: NotRequired[list[DescribeReplyFoldsItem]]
    """What each of them stands for"""


class ExpandReplyItemsItem(TypedDict):
    type: str
    """`summary` or `message`"""
    id: str
    role: NotRequired[Optional[str]]
    text: str
    tokens: int
    first_seq: int
    last_seq: int
    at: NotRequired[Optional[str]]
    """When it happened, in its source's words"""
    start: NotRequired[Optional[int]]
    """Where a piece of a long text begins, in bytes"""
    total: NotRequired[Optional[int]]
    """How many bytes all of it has"""


class ExpandReply(TypedDict):
    items: list[ExpandReplyItemsItem]
    """In order"""
    tokens: int
    """Tokens of the items as they are written, headings included"""
    truncated: bool
    """Whether there is more"""
    continue_with: Optional[str]
    """The id to expand for the rest"""


class GrantReply(TypedDict):
    grant: str
    """What to bring when expanding"""
    issuer: str
    conversations: list[str]
    summaries: list[str]
    """None: all summaries of its conversations"""
    max_depth: int
    tokens: int
    tokens_used: int
    expires_at: int
    """Milliseconds since 1970"""
    revoked: bool


class RememberReplyMemoryContradictsItem(TypedDict):
    id: str
    newer: bool
    """Whether this one was said later than that one"""


RememberReplyMemory = TypedDict("RememberReplyMemory", {
    "memory_id": "str",
    "kind": "str",
    "content": "str",
    "tags": "NotRequired[list[str]]",
    "for": "str",
    "author": "NotRequired[Optional[str]]",
    "visibility": "NotRequired[Optional[str]]",
    "contradicts": "NotRequired[list[RememberReplyMemoryContradictsItem]]",
    "confidence": "NotRequired[Optional[float]]",
    "sources": "NotRequired[list[str]]",
    "conversation_id": "NotRequired[Optional[str]]",
    "depth": "int",
    "created_at": "str",
    "last_seen_at": "str",
    "archived_at": "NotRequired[Optional[str]]",
    "superseded_by": "NotRequired[Optional[str]]",
    "project_id": "NotRequired[Optional[str]]",
    "metadata": "NotRequired[list[Any]]",
})


class RememberReply(TypedDict):
    stored: bool
    """It is durable"""
    memory_id: str
    outcome: str
    """`new`, or `restated` where the same was known"""
    memory: RememberReplyMemory
    replaced: NotRequired[list[str]]
    """Memories in whose place it counts; they are put aside"""
    secrets: NotRequired[list[str]]
    """The rules by which secrets were replaced before it was stored, one for each secret"""


class MemoriesReplyMemoriesItemContradictsItem(TypedDict):
    id: str
    newer: bool
    """Whether this one was said later than that one"""


MemoriesReplyMemoriesItem = TypedDict("MemoriesReplyMemoriesItem", {
    "memory_id": "str",
    "kind": "str",
    "content": "str",
    "tags": "NotRequired[list[str]]",
    "for": "str",
    "author": "NotRequired[Optional[str]]",
    "visibility": "NotRequired[Optional[str]]",
    "contradicts": "NotRequired[list[MemoriesReplyMemoriesItemContradictsItem]]",
    "confidence": "NotRequired[Optional[float]]",
    "sources": "NotRequired[list[str]]",
    "conversation_id": "NotRequired[Optional[str]]",
    "depth": "int",
    "created_at": "str",
    "last_seen_at": "str",
    "archived_at": "NotRequired[Optional[str]]",
    "superseded_by": "NotRequired[Optional[str]]",
    "project_id": "NotRequired[Optional[str]]",
    "metadata": "NotRequired[list[Any]]",
})


class MemoriesReply(TypedDict):
    memories: list[MemoriesReplyMemoriesItem]
    """The one that was stated or recalled last first; of `forget`, the one that was put aside"""
    omitted: NotRequired[int]
    """How many more fit"""
    put_aside: NotRequired[int]
    """How many more were put aside"""
    damaged: NotRequired[list[str]]
    """Memories whose words are not those they were stored with: they are not shown"""
    forgotten: NotRequired[Optional[str]]
    """The memory that was put aside"""


class PromoteReplyMemoriesItem(TypedDict):
    memory_id: str
    kind: str
    """`rule`, `decision` or `fix`"""
    content: str
    known: bool
    """Whether it was known, and is noted as said again"""
    conversation: str
    """The conversation it was taken from"""


class PromoteReply(TypedDict):
    processed: int
    """Conversations whose facts were looked at"""
    promoted: int
    """Facts that became memories, or that a memory was stated by again"""
    ended: list[str]
    """Memories that were put aside: what they say was taken back or replaced"""
    without_project: NotRequired[int]
    """Conversations that belong to no project, of which nothing is promoted"""
    damaged: NotRequired[list[str]]
    """Conversations that could not be read"""
    memories: NotRequired[list[PromoteReplyMemoriesItem]]
    """What was promoted, where it is asked for"""
    dry_run: NotRequired[bool]
    """Nothing was written"""


class ReflectionReplyReflectionsItem(TypedDict):
    id: str
    session_id: NotRequired[Optional[str]]
    content: str
    outcome: str
    """`success`, `failure`, `partial` or `unknown`"""
    context: str
    author: NotRequired[Optional[str]]
    """The colleague it comes from, where it is not one's own"""
    confidence: float
    """From 0 to 1"""
    tags: list[str]
    access_count: int
    """How often it was found"""
    created_at: str
    relevance: NotRequired[Optional[float]]
    """Of `find`: how near it is, from 0 to 1"""


class ReflectionReplySummaryTopTagsItem(TypedDict):
    tag: str
    count: int


class ReflectionReplySummary(TypedDict):
    total: int
    by_outcome: dict[str, int]
    top_tags: list[ReflectionReplySummaryTopTagsItem]
    average_confidence: NotRequired[Optional[float]]


class ReflectionReply(TypedDict):
    reflections: list[ReflectionReplyReflectionsItem]
    omitted: NotRequired[int]
    """How many more there are"""
    outcome: NotRequired[Optional[str]]
    """Of `add`: `new`, or `restated` where the lesson was known"""
    summary: NotRequired[Optional[ReflectionReplySummary]]
    secrets: NotRequired[list[str]]
    """The rules by which secrets were replaced before it was stored"""


class TierReplyItemsItem(TypedDict):
    id: str
    session_id: NotRequired[Optional[str]]
    content: str
    type: str
    tier: Optional[str]
    relevance_score: float
    """From 0 to 1; of `recall` how near it is to the question"""
    access_count: int
    last_accessed_at: NotRequired[Optional[str]]
    token_count: int


class TierReplyHot(TypedDict):
    items: int
    tokens: int


class TierReplyWarm(TypedDict):
    items: int
    tokens: int


class TierReplyCold(TypedDict):
    items: int
    tokens: int


class TierReply(TypedDict):
    items: list[TierReplyItemsItem]
    omitted: NotRequired[int]
    """How many more there are"""
    spilled_count: int
    spilled_ids: list[str]
    target_tier: NotRequired[Optional[str]]
    promoted: list[str]
    """What became hot"""
    hot: TierReplyHot
    warm: TierReplyWarm
    cold: TierReplyCold
    secrets: NotRequired[list[str]]
    """The rules by which secrets were replaced before it was stored"""


class CheckpointReplyCheckpointsItemDetails(TypedDict):
    description: NotRequired[Optional[str]]
    trigger_type: str
    """`auto`, `manual` or `error`"""
    duration_ms: int
    token_usage: NotRequired[Optional[int]]


class CheckpointReplyCheckpointsItem(TypedDict):
    id: str
    session_id: str
    project_id: str
    step_number: int
    created_at: str
    state: NotRequired[Any]
    """As it was given; not in lists"""
    details: CheckpointReplyCheckpointsItemDetails


class CheckpointReply(TypedDict):
    checkpoints: list[CheckpointReplyCheckpointsItem]
    omitted: NotRequired[int]
    """How many more there are"""
    dropped: NotRequired[list[str]]
    """Older ones that are listed no more"""
    secrets: NotRequired[list[str]]
    """The rules by which secrets were replaced before it was stored"""


class SubscriptionReplySubscriptionsItemPattern(TypedDict):
    type: str
    value: str
    scope: NotRequired[Optional[str]]


class SubscriptionReplySubscriptionsItem(TypedDict):
    id: str
    session_id: NotRequired[Optional[str]]
    """None for every session of the project"""
    pattern: SubscriptionReplySubscriptionsItemPattern
    trigger_type: str
    every_s: NotRequired[Optional[int]]
    """Of a schedule, the seconds between one suggestion and the next"""
    min_relevance: float
    status: str
    """`active`, `paused` or `completed`"""
    created_at: str


class SubscriptionReply(TypedDict):
    subscriptions: list[SubscriptionReplySubscriptionsItem]
    secrets: NotRequired[list[str]]
    """The rules by which secrets were replaced before it was stored"""


class SuggestionReplySuggestionsItemItemsItem(TypedDict):
    kind: str
    """`changed`, `removed`, `mentioned`, `near`, `caller` or `test`"""
    place: str
    """A path, or the id of a symbol"""


class SuggestionReplySuggestionsItem(TypedDict):
    id: str
    subscription_id: str
    session_id: NotRequired[Optional[str]]
    relevance_score: float
    """From 0 to 1"""
    title: str
    items: list[SuggestionReplySuggestionsItemItemsItem]
    status: str
    """`pending`, `delivered`, `acted` or `dismissed`"""
    created_at: str


class SuggestionReply(TypedDict):
    suggestions: list[SuggestionReplySuggestionsItem]
    omitted: NotRequired[int]
    """How many more there are"""


class TeamReplyItemsItemContradictsItem(TypedDict):
    id: str
    newer: bool
    """Whether this one was said later than that one"""


class TeamReplyItemsItem(TypedDict):
    id: str
    kind: str
    content: str
    author: NotRequired[Optional[str]]
    standing: str
    """`own`, `told`, or `not told`: you did not subscribe to its author"""
    visibility: str
    shared_at: NotRequired[Optional[str]]
    said_at: str
    project_id: NotRequired[Optional[str]]
    """None where it is for every project"""
    sources: NotRequired[list[str]]
    """Decision, messages and summaries it was taken from"""
    conversation_id: NotRequired[Optional[str]]
    contradicts: NotRequired[list[TeamReplyItemsItemContradictsItem]]
    """Memories of other people that say the contrary"""


class TeamReply(TypedDict):
    items: list[TeamReplyItemsItem]
    """Shared last first"""
    omitted: int
    """How many more there are"""


class KnowledgeReplyWrittenItem(TypedDict):
    path: str
    id: str
    standing: str
    """`written`, `unchanged`, or `stale`: shared no longer, and not deleted"""


class KnowledgeReplyFilesItem(TypedDict):
    path: str
    standing: str
    """`new`, `changed`, `accepted`, `own` or `unreadable`"""
    hash: str
    id: NotRequired[Optional[str]]
    kind: NotRequired[Optional[str]]
    author: str
    date: NotRequired[Optional[str]]
    content: str
    edited: bool
    """Whether somebody changed it by hand since it was written"""
    memory_id: NotRequired[Optional[str]]
    """The memory that was accepted from it"""
    reason: NotRequired[Optional[str]]
    """Why it cannot be read"""


class KnowledgeReply(TypedDict):
    written: NotRequired[list[KnowledgeReplyWrittenItem]]
    """Of `export`: a file for each item that is shared"""
    files: NotRequired[list[KnowledgeReplyFilesItem]]
    """Of `import`: text of other people, no memory unless it is accepted"""
    accepted: NotRequired[list[str]]
    """Memories that were made of files just now"""
    omitted: int
    """Files that were not looked at, because there are too many"""
    secrets: NotRequired[list[str]]
    """The rules by which secrets were replaced"""


class EntityReplyEntitiesItem(TypedDict):
    id: str
    type: str
    name: str
    qualified_name: NotRequired[Optional[str]]
    content: NotRequired[Optional[str]]
    """What it says, or what is known of it; of a symbol its signature"""
    summary: NotRequired[Optional[str]]
    """The same in short; of a symbol its documentation"""
    metadata: NotRequired[Any]
    """What else is known: of a symbol `async`, `exported`, `return_type`, `bases`; of a file its exports and imports"""
    file_path: NotRequired[Optional[str]]
    start_line: NotRequired[Optional[int]]
    end_line: NotRequired[Optional[int]]
    hash: NotRequired[Optional[str]]
    """The digest of its text"""
    created_at: NotRequired[Optional[str]]
    updated_at: NotRequired[Optional[str]]


class EntityReplyEntity(TypedDict):
    id: str
    type: str
    name: str
    qualified_name: NotRequired[Optional[str]]
    content: NotRequired[Optional[str]]
    """What it says, or what is known of it; of a symbol its signature"""
    summary: NotRequired[Optional[str]]
    """The same in short; of a symbol its documentation"""
    metadata: NotRequired[Any]
    """What else is known: of a symbol `async`, `exported`, `return_type`, `bases`; of a file its exports and imports"""
    file_path: NotRequired[Optional[str]]
    start_line: NotRequired[Optional[int]]
    end_line: NotRequired[Optional[int]]
    hash: NotRequired[Optional[str]]
    """The digest of its text"""
    created_at: NotRequired[Optional[str]]
    updated_at: NotRequired[Optional[str]]


class EntityReplyRelationsItemEntity(TypedDict):
    id: str
    type: str
    """`concept`, `function`, `requirement`, `message`, …, or `gone` where it leads nowhere any more"""
    name: str
    path: NotRequired[Optional[str]]
    start_line: NotRequired[Optional[int]]
    end_line: NotRequired[Optional[int]]


class EntityReplyRelationsItem(TypedDict):
    source_id: str
    target_id: str
    relationship: str
    weight: float
    link_id: NotRequired[Optional[str]]
    """The link that somebody made, if somebody did"""
    distance: int
    entity: EntityReplyRelationsItemEntity
    """Its farther end"""


class EntityReplyLink(TypedDict):
    id: str
    source_id: str
    target_id: str
    relationship: str
    weight: float
    metadata: NotRequired[Any]
    created_at: str


class EntityReply(TypedDict):
    entities: NotRequired[Optional[list[EntityReplyEntitiesItem]]]
    """Of `list`"""
    entity: NotRequired[Optional[EntityReplyEntity]]
    """Of `add`, `show` and `remove`"""
    relations: NotRequired[Optional[list[EntityReplyRelationsItem]]]
    """Of `show`: nearest first"""
    link: NotRequired[Optional[EntityReplyLink]]
    """Of `link` and `remove`"""
    outcome: NotRequired[Optional[str]]
    """`new`, `known`, `removed`, or `removed` with a number of links"""
    omitted: NotRequired[int]
    """How many more are in the list"""
    cursor: NotRequired[Optional[str]]
    secrets: NotRequired[list[str]]
    """The rules by which secrets were replaced, one for each secret"""


class WindowReplyFilesItemSeenItem(TypedDict):
    start_line: int
    end_line: int


class WindowReplyFilesItemChangedItem(TypedDict):
    start_line: int
    end_line: int


class WindowReplyFilesItem(TypedDict):
    path: str
    lines: int
    """How many lines the file has now"""
    seen: list[WindowReplyFilesItemSeenItem]
    """Lines that are in it as they are now"""
    changed: list[WindowReplyFilesItemChangedItem]
    """Lines in whose place it has other ones"""


class WindowReply(TypedDict):
    session: NotRequired[Optional[str]]
    """Whose context it is; none where no session shows one"""
    results: int
    """Results of tools that are in it"""
    tokens: int
    files: list[WindowReplyFilesItem]
    """Files that lines of are in it, by path"""


class ValueReplyTotalsItem(TypedDict):
    key: str
    """Empty for what has none"""
    entries: int
    """Calls, and calls to models"""
    first: NotRequired[Optional[str]]
    """When the first and the last call were"""
    last: NotRequired[Optional[str]]
    calls: int
    """Dispatches of operations"""
    bytes_shown: int
    """Of our texts, to readers"""
    tokens_shown: int
    bytes_avoided: int
    """Net, measured"""
    tokens_avoided: int
    """Tokens a reader did not have to read, net, measured; below 0 where it read more"""
    dollars_avoided: float
    """The price of the tokens avoided"""
    estimated_bytes_avoided: int
    """By formulas, besides what is measured"""
    estimated_tokens_avoided: int
    tokens_in: int
    """Into models that Epitome asked"""
    tokens_out: int
    """Out of them"""
    cache_read: int
    cache_write: int
    dollars: float
    """What they cost"""


class ValueReplyTotal(TypedDict):
    calls: int
    """Dispatches of operations"""
    bytes_shown: int
    """Of our texts, to readers"""
    tokens_shown: int
    bytes_avoided: int
    """Net, measured"""
    tokens_avoided: int
    """Tokens a reader did not have to read, net, measured; below 0 where it read more"""
    dollars_avoided: float
    """The price of the tokens avoided"""
    estimated_bytes_avoided: int
    """By formulas, besides what is measured"""
    estimated_tokens_avoided: int
    tokens_in: int
    """Into models that Epitome asked"""
    tokens_out: int
    """Out of them"""
    cache_read: int
    cache_write: int
    dollars: float
    """What they cost"""


class ValueReplyBefore(TypedDict):
    calls: int
    """Dispatches of operations"""
    bytes_shown: int
    """Of our texts, to readers"""
    tokens_shown: int
    bytes_avoided: int
    """Net, measured"""
    tokens_avoided: int
    """Tokens a reader did not have to read, net, measured; below 0 where it read more"""
    dollars_avoided: float
    """The price of the tokens avoided"""
    estimated_bytes_avoided: int
    """By formulas, besides what is measured"""
    estimated_tokens_avoided: int
    tokens_in: int
    """Into models that Epitome asked"""
    tokens_out: int
    """Out of them"""
    cache_read: int
    cache_write: int
    dollars: float
    """What they cost"""


class ValueReplyPrice(TypedDict):
    model: str
    """`ledger.model`"""
    dollars_per_million: NotRequired[Optional[float]]
    """Of tokens that it reads; absent where its price is not known"""


class ValueReplyEntriesItem(TypedDict):
    id: int
    """Rises with every call"""
    at: str
    door: str
    """`cli`, `mcp`, `http` or `hook`"""
    session: NotRequired[Optional[str]]
    project: NotRequired[Optional[str]]
    agent: NotRequired[Optional[str]]
    """As the client names itself"""
    tool: str
    """The name that was called"""
    operation: str
    mode: NotRequired[Optional[str]]
    """How the file was shown"""
    path: NotRequired[Optional[str]]
    """The path or symbol that was asked for"""
    language: NotRequired[Optional[str]]
    size_bucket: NotRequired[Optional[str]]
    """`S`, `M`, `L` or `XL`"""
    formula: str
    """What counted it: `value --formulas` explains each"""
    certainty: str
    """`measured`, or `estimated` by the formula"""
    bytes_raw: int
    bytes_shown: int
    bytes_avoided: int
    """Below 0 where the reader read more for our sake"""
    tokens_raw: int
    tokens_shown: int
    tokens_avoided: int
    dollars_avoided: float
    elapsed_ms: float
    turn: int
    """Which call of its session it is"""
    query: NotRequired[Optional[str]]
    intent: NotRequired[Optional[str]]
    """What the question was taken to ask for"""
    strategy: NotRequired[Optional[str]]
    gate: NotRequired[Optional[str]]
    """`retrieve` or `skip`"""
    results: NotRequired[Optional[int]]
    """How many results the reply had"""
    used: NotRequired[Optional[int]]
    """How many of the places listed were read afterwards"""


class ValueReplyModelCallsItem(TypedDict):
    at: str
    operation: str
    project: NotRequired[Optional[str]]
    session: NotRequired[Optional[str]]
    model: NotRequired[Optional[str]]
    basis: str
    """`reported` by a vendor, `estimated` or `expired`: as reserved; `corrected`; `counted` by us"""
    tokens_in: int
    tokens_out: int
    cache_read: int
    cache_write: int
    dollars: float


class ValueReplyRoiAgentsItem(TypedDict):
    key: str
    """Empty for what has none"""
    entries: int
    """Calls, and calls to models"""
    first: NotRequired[Optional[str]]
    """When the first and the last call were"""
    last: NotRequired[Optional[str]]
    calls: int
    """Dispatches of operations"""
    bytes_shown: int
    """Of our texts, to readers"""
    tokens_shown: int
    bytes_avoided: int
    """Net, measured"""
    tokens_avoided: int
    """Tokens a reader did not have to read, net, measured; below 0 where it read more"""
    dollars_avoided: float
    """The price of the tokens avoided"""
    estimated_bytes_avoided: int
    """By formulas, besides what is measured"""
    estimated_tokens_avoided: int
    tokens_in: int
    """Into models that Epitome asked"""
    tokens_out: int
    """Out of them"""
    cache_read: int
    cache_write: int
    dollars: float
    """What they cost"""


class ValueReplyRoiProjectsItem(TypedDict):
    key: str
    """Empty for what has none"""
    entries: int
    """Calls, and calls to models"""
    first: NotRequired[Optional[str]]
    """When the first and the last call were"""
    last: NotRequired[Optional[str]]
    calls: int
    """Dispatches of operations"""
    bytes_shown: int
    """Of our texts, to readers"""
    tokens_shown: int
    bytes_avoided: int
    """Net, measured"""
    tokens_avoided: int
    """Tokens a reader did not have to read, net, measured; below 0 where it read more"""
    dollars_avoided: float
    """The price of the tokens avoided"""
    estimated_bytes_avoided: int
    """By formulas, besides what is measured"""
    estimated_tokens_avoided: int
    tokens_in: int
    """Into models that Epitome asked"""
    tokens_out: int
    """Out of them"""
    cache_read: int
    cache_write: int
    dollars: float
    """What they cost"""


class ValueReplyRoi(TypedDict):
    agents: list[ValueReplyRoiAgentsItem]
    projects: list[ValueReplyRoiProjectsItem]
    spared_tokens: int
    """Measured, before anything is taken off"""
    schema_tokens: int
    injected_tokens: int
    reread_tokens: int
    net_tokens: int
    dollars_avoided: float
    dollars_spent: float
    """What models cost"""
    net_dollars: float


class ValueReplyFormulasItem(TypedDict):
    name: str
    calls: str
    """What it is for"""
    formula: str
    certainty: str


class ValueReplySpendLimitsCall(TypedDict):
    tokens: int
    dollars: float


class ValueReplySpendLimitsSession(TypedDict):
    tokens: int
    dollars: float


class ValueReplySpendLimitsDay(TypedDict):
    tokens: int
    dollars: float


class ValueReplySpendLimits(TypedDict):
    call: ValueReplySpendLimitsCall
    session: ValueReplySpendLimitsSession
    day: ValueReplySpendLimitsDay
    concurrent: int


class ValueReplySpendSpent(TypedDict):
    tokens: int
    dollars: float


class ValueReplySpendReserved(TypedDict):
    tokens: int
    dollars: float


class ValueReplySpendRemaining(TypedDict):
    tokens: int
    dollars: float


class ValueReplySpendSpentSession(TypedDict):
    tokens: int
    dollars: float


class ValueReplySpendReservedSession(TypedDict):
    tokens: int
    dollars: float


class ValueReplySpendProvidersItemPrice(TypedDict):
    input: float
    output: float


class ValueReplySpendProvidersItemSpent(TypedDict):
    tokens: int
    dollars: float


class ValueReplySpendProvidersItem(TypedDict):
    model: str
    """`vendor/model`"""
    price: NotRequired[Optional[ValueReplySpendProvidersItemPrice]]
    """Dollars per million tokens in and out; absent where nobody knows, and then it is not asked"""
    spent: ValueReplySpendProvidersItemSpent
    """Ever"""


class ValueReplySpend(TypedDict):
    stopped: bool
    """Whether models may be called at all: `epitome value --stop` and `--resume`"""
    stopped_since: NotRequired[Optional[str]]
    """Since when not"""
    background: bool
    """Whether models may be called without somebody asking for it"""
    day: str
    """The day that counts, by UTC; ahead of today where a clock once was"""
    limits: ValueReplySpendLimits
    spent: ValueReplySpendSpent
    """On that day"""
    reserved: ValueReplySpendReserved
    """On that day, by calls on their way"""
    remaining: ValueReplySpendRemaining
    """Of that day"""
    spent_session: ValueReplySpendSpentSession
    """By the session of this process"""
    reserved_session: ValueReplySpendReservedSession
    """By calls of this session on their way"""
    in_flight: int
    """Calls on their way"""
    providers: list[ValueReplySpendProvidersItem]
    """In the order in which they are asked"""
    prices_seen: str
    """When the built-in prices were looked up"""


class ValueReplyCompactions(TypedDict):
    times: int
    kept: int
    """Facts that the agent's own summary had"""
    lost: int
    """Facts that it did not have"""
    restored: int
    """Facts among those that the session was told again"""


class ValueReplyWindowEntriesItem(TypedDict):
    tool: str
    """As the agent names it"""
    about: NotRequired[Optional[str]]
    """What it was asked for, where that is a place: a file, a symbol, ids of messages and summaries"""
    tokens: int


class ValueReplyWindow(TypedDict):
    results: int
    """How many results"""
    tokens: int
    entries: list[ValueReplyWindowEntriesItem]
    """Oldest first"""


class ValueReply(TypedDict):
    by: str
    """What the totals are by"""
    totals: list[ValueReplyTotalsItem]
    """Of agents' calls"""
    total: ValueReplyTotal
    """What they add up to"""
    before: NotRequired[Optional[ValueReplyBefore]]
    """The same over the days before"""
    own_calls: int
    """A person's own commands, which are in no sum"""
    price: ValueReplyPrice
    """What tokens are counted at"""
    entries: list[ValueReplyEntriesItem]
    """Calls of everybody, newest first"""
    model_calls: list[ValueReplyModelCallsItem]
    """Calls to models, newest first"""
    roi: NotRequired[Optional[ValueReplyRoi]]
    """What was gained, less what that cost"""
    formulas: NotRequired[list[ValueReplyFormulasItem]]
    spend: NotRequired[Optional[ValueReplySpend]]
    compactions: NotRequired[Optional[ValueReplyCompactions]]
    """What agents' own summaries did to what their conversations held for certain"""
    window: NotRequired[Optional[ValueReplyWindow]]
    """Results of tools that are in the context of the session's model since it was last emptied"""


class ModesReplySlotsItemArmsItem(TypedDict):
    mode: str
    samples: int
    rereads: int
    mean: float
    """Mean reward, from -1 (always read again) to 1 (10 KB spared each time)"""


class ModesReplySlotsItem(TypedDict):
    slot: str
    """`language/size/pattern`"""
    language: str
    size_bucket: str
    """`S`, `M`, `L` or `XL`"""
    pattern: str
    """`explore`, `edit`, `review` or `unknown`"""
    samples: int
    rereads: int
    """How often a file was read again in a wider mode"""
    arms: list[ModesReplySlotsItemArmsItem]
    chosen: NotRequired[Optional[str]]
    """The mode that is taken now; absent where the table decides"""
    converged: bool
    """Whether one mode is better than all others beyond doubt"""
    suspect: bool
    """Whether the mode with most samples is not the best one"""


class ModesReply(TypedDict):
    adaptive: bool
    """Whether modes are chosen by it (`read.adaptive`)"""
    default_mode: NotRequired[Optional[str]]
    """The mode that is always taken (`read.mode`)"""
    min_samples: int
    """A slot with fewer samples goes by the table of kinds and sizes"""
    window_turns: int
    """Turns within which reading a file again, wider, counts against its mode"""
    slots: list[ModesReplySlotsItem]
    forgotten: int
    """How many modes of slots were forgotten just now"""


class StatsReplySecrets(TypedDict):
    total: int
    built_in: int
    """By the rules that are built in"""
    yours: int
    """By your rules"""
    project: int
    """By the rules of this project"""
    other: int
    """By rules that are gone, or that another project has"""
    complete: bool
    """Whether all messages were looked through in time"""


class StatsReplyDetailsItem(TypedDict):
    conversation_id: str
    name: str
    title: NotRequired[Optional[str]]
    """What its source calls it"""
    messages: int
    raw_tokens: int
    summaries: int
    max_depth: NotRequired[Optional[int]]
    folded_tokens: int
    summary_tokens: int
    ratio: NotRequired[Optional[float]]
    facts: int
    last_at: str
    """When its newest message happened"""


class StatsReply(TypedDict):
    projects: int
    """Projects that the conversations belong to"""
    conversations: int
    messages: int
    raw_tokens: int
    """Tokens of all messages"""
    folded_conversations: int
    """Conversations that were folded"""
    summaries: int
    max_depth: NotRequired[Optional[int]]
    """The greatest depth of a summary"""
    folded_tokens: int
    """Tokens of the messages that summaries stand for in contexts"""
    summary_tokens: int
    """Tokens of those summaries"""
    ratio: NotRequired[Optional[float]]
    """How many tokens of messages one token of a summary stands for"""
    compressed_percent: NotRequired[Optional[float]]
    """How much of the folded tokens is spared, of 100"""
    facts: int
    memories: int
    """What later sessions are told"""
    secrets: StatsReplySecrets
    """Secrets that were replaced in messages"""
    net_tokens: int
    """Tokens that readers were spared, less those they read for our sake"""
    artifacts: int
    """Of all projects"""
    artifact_bytes: int
    jobs: int
    """Work that waits, of all projects"""
    details: NotRequired[list[StatsReplyDetailsItem]]


class StatusReplyEverything(TypedDict):
    conversations: int
    messages: int
    message_tokens: int


class StatusReplyFeedback(TypedDict):
    answers: int
    """Answers that are kept"""
    used: int
    """Those of which something was read afterwards"""
    places: int
    """Places that were read"""


class StatusReplyEmbeddingModelsItem(TypedDict):
    id: str
    name: str
    provider: str
    dimensions: int
    """How many numbers a vector has"""
    created_at: str
    """When it embedded the first text"""
    vectors: int
    """Texts that it embedded"""


class StatusReplyDaemon(TypedDict):
    running: bool
    version: NotRequired[Optional[str]]
    uptime_s: NotRequired[Optional[int]]


class StatusReply(TypedDict):
    project_id: str
    name: str
    """What the project is called"""
    root: str
    last_indexed_at: NotRequired[Optional[str]]
    """When its index was last brought up to date"""
    last_sync_commit: NotRequired[Optional[str]]
    """The commit that it was compared at"""
    commits_behind: NotRequired[Optional[int]]
    """Commits of the checkout that it has not seen"""
    index_ready: bool
    """Whether the index is whole; a question builds it when it is not"""
    files: int
    symbols: int
    edges: int
    conversations: int
    """Conversations of the project"""
    messages: int
    """Their messages"""
    message_tokens: int
    summaries: int
    """Summaries that stand for stretches of them"""
    summary_tokens: int
    memories: int
    """What sessions of the project are told"""
    last_ingest: NotRequired[Optional[str]]
    """When a message of the project was last stored"""
    last_compact: NotRequired[Optional[str]]
    """When messages of it were last folded"""
    last_promote: NotRequired[Optional[str]]
    """When a fact of it last became a memory"""
    everything: StatusReplyEverything
    """What is stored of all projects"""
    sources: int
    """Imported transcripts"""
    lines: int
    """Lines of them in the archive, of all generations"""
    archived_bytes: int
    """Bytes those lines had"""
    stored_bytes: int
    """Bytes that keep them"""
    artifacts: int
    """Large contents kept beside their messages"""
    artifact_bytes: int
    transcripts_behind: NotRequired[Optional[int]]
    """Transcripts on this machine with more than was taken in of them"""
    behind_bytes: NotRequired[Optional[int]]
    """Bytes of them that were not taken in, about"""
    without_messages: NotRequired[list[str]]
    """Transcripts whose lines are kept and gave no message, each with what its lines are"""
    feedback: NotRequired[Optional[StatusReplyFeedback]]
    """What is noted of how answers were used, where anything is"""
    embedding_models: NotRequired[list[StatusReplyEmbeddingModelsItem]]
    """Models that embedded texts of the project"""
    daemon: NotRequired[Optional[StatusReplyDaemon]]
    """The process that answers hooks; not told to callers of elsewhere"""
    agents: NotRequired[Optional[list[str]]]
    """Agents that are connected on this machine; not told to callers of elsewhere"""
    summarizer: str
    """Who writes summaries: `built in`, or `vendor/model` in the order in which they are asked"""
    store: str
    """Which store runs"""


class ProjectReplyProjectsItem(TypedDict):
    id: str
    name: str
    """What it is called; no other has the same name"""
    path: NotRequired[Optional[str]]
    """Where it is, or was last"""
    description: NotRequired[Optional[str]]
    config: NotRequired[dict[str, str]]
    """What its own `.epitome.toml` has a say in"""
    current: bool
    """Whether it is the project of the caller"""
    state: str
    """`here`, `missing` (moved, deleted or on another machine), `replaced` (another project is there now) or `unknown`"""
    roots: list[str]
    """Directories in which it was looked at, the one that was indexed last first"""
    former: NotRequired[list[str]]
    """Those of them that are gone"""
    created_at: NotRequired[Optional[str]]
    """When it was first known"""
    updated_at: NotRequired[Optional[str]]
    """When something was last said of it, or it was last indexed"""
    last_indexed_at: NotRequired[Optional[str]]
    last_sync_commit: NotRequired[Optional[str]]
    """The commit that the index was compared at"""
    commits_behind: NotRequired[Optional[int]]
    """Commits of the checkout that it has not seen"""
    files: int
    symbols: int
    edges: int
    conversations: int
    messages: int
    tokens: int
    """Tokens of all messages"""
    summaries: int
    folded_tokens: int
    """Tokens of the messages that summaries stand for in contexts"""
    summary_tokens: int
    """Tokens of those summaries"""
    facts: int
    last_at: NotRequired[Optional[str]]
    """When the newest message happened"""


class ProjectReplyTotals(TypedDict):
    conversations: int
    messages: int
    tokens: int
    """Tokens of all messages"""
    summaries: int
    folded_tokens: int
    """Tokens of the messages that summaries stand for in contexts"""
    summary_tokens: int
    """Tokens of those summaries"""
    facts: int
    last_at: NotRequired[Optional[str]]
    """When the newest message happened"""


class ProjectReplyCrossProjectLinksItem(TypedDict):
    source_project: str
    target_project: str
    source_entity: str
    """The project that was linked, or the manifest that names the other"""
    target_entity: str
    """The project, or its package"""
    relationship: str
    weight: float


class ProjectReplySharedEntitiesItem(TypedDict):
    type: str
    name: str
    projects: list[str]
    """The other projects, by name"""


class ProjectReply(TypedDict):
    projects: list[ProjectReplyProjectsItem]
    """The one that was worked in last first"""
    totals: ProjectReplyTotals
    """Of all conversations, those of no project included"""
    cross_project_links: NotRequired[list[ProjectReplyCrossProjectLinksItem]]
    """Which projects depend on which others"""
    shared_entities: NotRequired[list[ProjectReplySharedEntitiesItem]]
    """Of `show`: entities that other projects name, too"""
    outcome: NotRequired[Optional[str]]
    """`linked`, `unlinked` or `known`"""


class VerifyReplySourcesItem(TypedDict):
    agent: str
    path: str
    conversation_id: str
    generation: int
    """How often the file was written anew while we read it, and once"""
    lines: int
    messages: int
    bytes: int
    hash: str
    """Hash of all its frames"""
    scrubbed: int
    """Lines in which secrets were replaced"""
    quarantined: int
    """Lines that could not be read; their bytes are kept"""
    on_disk: str
    """The file now, compared byte for byte: `same`, `grown`, `changed`, `gone`, or `not compared`"""


class VerifyReplyRewritesItem(TypedDict):
    at: str
    reason: str
    """`purged` or `forgotten`"""
    subject: str
    """An id, or the path of a transcript"""
    items: int
    """Messages or frames that were changed or removed"""
    before: str
    """The hash that stood for it before"""
    after: NotRequired[Optional[str]]
    """The same afterwards; absent where it was removed"""


class VerifyReplyProblemsItem(TypedDict):
    subject: str
    """An id, or `database`"""
    what: str
    remedy: NotRequired[Optional[str]]
    """What could be done about it"""


class VerifyReplyRemovedItem(TypedDict):
    subject: str
    reason: str
    at: str
    before: NotRequired[Optional[int]]
    """Messages or frames that it had"""
    after: NotRequired[Optional[int]]
    """Those of what stands in its place"""


class VerifyReplyRestoredItem(TypedDict):
    name: str
    at: str


class VerifyReplyGivenUpItem(TypedDict):
    subject: str
    """An id, or `database`"""
    what: str
    remedy: NotRequired[Optional[str]]
    """What could be done about it"""


class VerifyReplyPlanItem(TypedDict):
    subject: str
    remedy: str
    command: NotRequired[Optional[str]]
    """The command that does it; none where only a backup helps"""


class VerifyReply(TypedDict):
    ok: bool
    conversations: int
    lines: int
    """Lines of imported transcripts, of all generations"""
    messages: int
    summaries: int
    gaps: int
    """Messages that are missing, and lines that are missing or that nobody read"""
    secrets: NotRequired[dict[str, int]]
    """Secrets that were replaced in messages, by the rule that found them"""
    sources: list[VerifyReplySourcesItem]
    """Where transcripts were imported from"""
    artifacts: int
    memories: int
    records: int
    """Checkpoints, subscriptions and suggestions of sessions"""
    stray: NotRequired[list[str]]
    """Files among the artifacts that belong to none; left by a process that was stopped, harmless"""
    rewrites: NotRequired[list[VerifyReplyRewritesItem]]
    """What was changed on purpose: secrets purged, a project's data removed"""
    problems: list[VerifyReplyProblemsItem]
    anchor: NotRequired[Optional[str]]
    """With `anchor`: the hash of the anchor, the file outside of the database that repeats what was acknowledged"""
    statement: NotRequired[Optional[str]]
    """What to keep elsewhere, for a later `expect`"""
    removed: NotRequired[list[VerifyReplyRemovedItem]]
    """What was removed on purpose"""
    restored: NotRequired[list[VerifyReplyRestoredItem]]
    """Backups that were accepted"""
    caught_up: NotRequired[int]
    """Points that the anchor lacked, because a process was stopped, and has now"""
    given_up: NotRequired[list[VerifyReplyGivenUpItem]]
    """What is given up by accepting a backup now"""
    plan: NotRequired[Optional[list[VerifyReplyPlanItem]]]
    """What would mend the problems; nothing is done"""


class RepairReplyProblemsItem(TypedDict):
    conversation_id: str
    subject: str
    """The id of a summary, a fact or a conversation"""
    what: str
    remedy: str
    mended: bool


class RepairReply(TypedDict):
    conversations: int
    """How many were looked at"""
    problems: list[RepairReplyProblemsItem]
    dry_run: NotRequired[bool]
    """Nothing was changed"""


class Transport(Protocol):
    """A way to run an operation in the program."""

    def call(self, operation: str, parameters: dict[str, Any]) -> Any:
        ...

    def close(self) -> None:
        ...


class Operations:
    """Every operation of the program as a method. A parameter that is None is not sent."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def _call(self, operation: str, parameters: dict[str, Any]) -> Any:
        given = {name: value for name, value in parameters.items() if value is not None}
        return self._transport.call(operation, given)

    def index(self, *, rebuild: Optional[bool] = None, report: Optional[bool] = None, languages: Optional[list[str]] = None, include: Optional[list[str]] = None, exclude: Optional[list[str]] = None, depth: Optional[Literal['full', 'signatures']] = None) -> IndexReply:
        """Index the project, or bring its index up to date.

        rebuild: Forget the index and build it anew

        report: Count what reading skeletons instead of whole files saves, by language and directory

        languages: Parse only these languages in this run (`index.languages` keeps it so)

        include: Look only at files that one of these patterns fits in this run (`index.include` keeps it so)

        exclude: Leave out files that one of these patterns fits in this run (`index.ignore` keeps it so)

        depth: How much of each file to keep in this run (`index.depth` keeps it so)
        """
        reply: IndexReply = self._call("index", {"rebuild": rebuild, "report": report, "languages": languages, "include": include, "exclude": exclude, "depth": depth})
        return reply

    def search(self, *, query: Optional[str] = None, related: Optional[str] = None, limit: Optional[int] = None, explain: Optional[bool] = None, strategy: Optional[Literal['linear', 'rrf', 'keyword', 'semantic', 'graph']] = None, expand: Optional[list[Literal['parents', 'imports', 'types']]] = None, hyde: Optional[bool] = None, preview: Optional[bool] = None, format: Optional[Literal['text', 'markdown']] = None, threshold: Optional[float] = None, projects: Optional[list[str]] = None) -> SearchReply:
        """Find the places of the project that a question is about.

        query: What to look for: words, identifiers or a path; `path:`, `lang:` and `kind:` narrow it

        related: Find what is related to this instead: a symbol, a file, or the id of a message, summary or fact

        limit: Most results to return (default: `search.limit`, 10 unless set)

        explain: Show every part of each score

        strategy: How files are ranked

        expand: What to show with each result

        hyde: Have a model guess an answer to search with

        preview: Show the signature of each result and its best line

        format: How the results are written

        threshold: Only places that are at least this near in meaning: a cosine from -1 to 1

        projects: Other projects to ask, by name; `all`
        """
        reply: SearchReply = self._call("search", {"query": query, "related": related, "limit": limit, "explain": explain, "strategy": strategy, "expand": expand, "hyde": hyde, "preview": preview, "format": format, "threshold": threshold, "projects": projects})
        return reply

    def context(self, query: str, *, budget: Optional[int] = None, format: Optional[Literal['markdown', 'text', 'xml']] = None, anyway: Optional[bool] = None, strategy: Optional[Literal['linear', 'rrf', 'keyword', 'semantic', 'graph']] = None, expand: Optional[list[Literal['parents', 'imports', 'types']]] = None, depth: Optional[int] = None, hyde: Optional[bool] = None, projects: Optional[list[str]] = None) -> ContextReply:
        """Answer a question about the project with cited source text that fits a token budget.

        query: The question; `path:`, `lang:` and `kind:` narrow the code, `role:`, `since:` and `until:` the conversations

        budget: Most tokens to return (default: `context.budget`, 4000 unless set)

        format: How the answer is written

        anyway: Look even if nothing seems to be needed

        strategy: How files are ranked

        expand: What to show beside each place

        depth: Steps to follow calls (0 to 3)

        hyde: Have a model guess an answer to search with

        projects: Other projects to ask, by name; `all`
        """
        reply: ContextReply = self._call("context", {"query": query, "budget": budget, "format": format, "anyway": anyway, "strategy": strategy, "expand": expand, "depth": depth, "hyde": hyde, "projects": projects})
        return reply

    def read(self, targets: list[str], *, mode: Optional[Literal['raw', 'lightweight', 'aggressive', 'map', 'auto']] = None, budget: Optional[int] = None, depth: Optional[int] = None) -> ReadReply:
        """Read files, line ranges or symbols: exactly, shortened, as skeleton or as map.

        targets: What to read: `path`, `path:10-20`, a symbol id such as `src/lib.rs#Session.login`, its handle or its name

        mode: How to show it (default: `read.mode`, or raw)

        budget: Most tokens to return; what does not fit is shown shorter, or named

        depth: Steps to follow what symbols depend on: types first, then what is called
        """
        reply: ReadReply = self._call("read", {"targets": targets, "mode": mode, "budget": budget, "depth": depth})
        return reply

    def symbol(self, name: str, *, kind: Optional[str] = None, path: Optional[str] = None, limit: Optional[int] = None, projects: Optional[list[str]] = None) -> SymbolReply:
        """Find where a name is defined.

        name: A name, a qualified name such as `Session.login`, an id, the beginning of a name, or one with a typing error

        kind: Only this kind: function, method, class, struct, enum, interface, trait, type, constant, field, macro, module, section

        path: Only files whose path contains this

        limit: Most results to return (default: 10)

        projects: Other projects to ask, by name; `all`
        """
        reply: SymbolReply = self._call("symbol", {"name": name, "kind": kind, "path": path, "limit": limit, "projects": projects})
        return reply

    def relations(self, symbol: str, *, only: Optional[list[Literal['callers', 'callees', 'types', 'imports', 'hierarchy', 'overrides', 'members', 'container', 'documents']]] = None, direction: Optional[Literal['in', 'out', 'both']] = None, depth: Optional[int] = None, min_confidence: Optional[float] = None, limit: Optional[int] = None, matches: Optional[int] = None, mentions: Optional[int] = None, to: Optional[str] = None, projects: Optional[list[str]] = None) -> RelationsReply:
        """Show callers, callees, types, imports and hierarchy of a symbol, or the way to another.

        symbol: The symbol, file or requirement: id, path, `path:line` or name

        only: Only these (default: all but members and container)

        direction: Which way (default: both)

        depth: How many steps away, 1 to 10 (default: 1)

        min_confidence: 0 to 1 (default: 0.5)

        limit: Most relations (default: 50)

        matches: Most symbols of that name (default: 5)

        mentions: Most unlinked mentions (default: 10)

        to: Show the shortest way to this symbol instead

        projects: 
        """
        reply: RelationsReply = self._call("relations", {"symbol": symbol, "only": only, "direction": direction, "depth": depth, "min_confidence": min_confidence, "limit": limit, "matches": matches, "mentions": mentions, "to": to, "projects": projects})
        return reply

    def impact(self, *, symbols: Optional[list[str]] = None, diff: Optional[str] = None, depth: Optional[int] = None, min_confidence: Optional[float] = None, limit: Optional[int] = None, tests: Optional[int] = None, mentions: Optional[int] = None, projects: Optional[list[str]] = None) -> ImpactReply:
        """Show what a change touches, tests included.

        symbols: What is about to change: symbol ids, handles, paths, `path:line` or unique names

        diff: Take what differs from this git revision, or within a range such as main...HEAD

        depth: How many steps away (default: 3)

        min_confidence: Leave out what is less sure, 0 to 1 (default: 0.5)

        limit: Most affected symbols to return (default: 30)

        tests: Most test files to return (default: 12)

        mentions: Most lines to list that mention a changed name and are not linked (default: 5)

        projects: Other projects to ask, by name; `all`
        """
        reply: ImpactReply = self._call("impact", {"symbols": symbols, "diff": diff, "depth": depth, "min_confidence": min_confidence, "limit": limit, "tests": tests, "mentions": mentions, "projects": projects})
        return reply

    def critique(self, draft: str, *, query: Optional[str] = None, context: Optional[str] = None, budget: Optional[int] = None, revise: Optional[bool] = None, max_iterations: Optional[int] = None) -> CritiqueReply:
        """Check what a text claims about the code.

        draft: The text to check

        query: The question it answers, to look up a context for

        context: What it was written from

        budget: Tokens of the context to look up

        revise: Have a model correct it

        max_iterations: Checks at most (default: 3)
        """
        reply: CritiqueReply = self._call("critique", {"draft": draft, "query": query, "context": context, "budget": budget, "revise": revise, "max_iterations": max_iterations})
        return reply

    def tree(self, *, path: Optional[str] = None, mode: Optional[Literal['compact', 'verbose', 'map']] = None, max_depth: Optional[int] = None, max_entries_per_dir: Optional[int] = None, max_bytes: Optional[int] = None) -> TreeReply:
        """Show the directories and files of the project, in at most 4 KB.

        path: A directory (default: the whole project)

        mode: How to draw it (default: compact)

        max_depth: Levels of directories to open (default: 4)

        max_entries_per_dir: Entries to show of one directory (default: 30)

        max_bytes: Bytes of the reply (default: 4096)
        """
        reply: TreeReply = self._call("tree", {"path": path, "mode": mode, "max_depth": max_depth, "max_entries_per_dir": max_entries_per_dir, "max_bytes": max_bytes})
        return reply

    def briefing(self, *, budget: Optional[int] = None) -> BriefingReply:
        """Introduce the project on one page.

        budget: Tokens of the page (default: 1500)
        """
        reply: BriefingReply = self._call("briefing", {"budget": budget})
        return reply

    def document(self, *, action: Optional[Literal['list', 'show', 'index']] = None, path: Optional[str] = None, limit: Optional[int] = None, cursor: Optional[str] = None) -> DocumentReply:
        """List documents, or show what one says: sections, requirements, stories, questions, links.

        action: What to do

        path: The document; of a list only those whose path contains this

        limit: Most entries of each list (default: 50)

        cursor: Continue a list where an earlier reply ended: its `cursor`
        """
        reply: DocumentReply = self._call("document", {"action": action, "path": path, "limit": limit, "cursor": cursor})
        return reply

    def coverage(self, *, path: Optional[str] = None, sentences: Optional[bool] = None, missing: Optional[bool] = None, limit: Optional[int] = None, cursor: Optional[str] = None) -> CoverageReply:
        """Say which requirements have code and tests, and which tests have no requirement.

        path: Only requirements of documents whose path contains this

        sentences: Also sentences without a key

        missing: Only requirements that lack code or tests

        limit: Most requirements, and most tests (default: 50)

        cursor: Continue where an earlier reply ended: its `cursor`
        """
        reply: CoverageReply = self._call("coverage", {"path": path, "sentences": sentences, "missing": missing, "limit": limit, "cursor": cursor})
        return reply

    def import_(self, *, paths: Optional[list[str]] = None, agent: Optional[str] = None, rebuild: Optional[bool] = None, dry_run: Optional[bool] = None, verbose: Optional[bool] = None) -> ImportReply:
        """Import transcripts of agents, every line kept.

        paths: Transcripts, or places to look for them; none: those of the agents that are installed here

        agent: Whose they are; `auto` lets them say it themselves

        rebuild: Make the messages of everything in the archive anew: equal ones stay, others are kept beside them

        dry_run: Say what would be stored, and store nothing

        verbose: Show every transcript with its path, also those with nothing new
        """
        reply: ImportReply = self._call("import", {"paths": paths, "agent": agent, "rebuild": rebuild, "dry_run": dry_run, "verbose": verbose})
        return reply

    def ingest(self, conversation: str, messages: list[IngestParamsMessagesItem]) -> IngestReply:
        """Store messages of a conversation, acknowledged only when durable.

        conversation: The conversation's name or id; a new name starts one. `current` is the session of the project

        messages: The messages, in order
        """
        reply: IngestReply = self._call("ingest", {"conversation": conversation, "messages": messages})
        return reply

    def history(self, *, conversation: Optional[str] = None, within: Optional[Literal['project', 'all']] = None, state: Optional[Literal['active', 'summarized', 'archived']] = None, limit: Optional[int] = None) -> HistoryReply:
        """Show the newest messages of a conversation, verbatim, or which conversations there are.

        conversation: The conversation's name or id, or `latest`; none: the conversations there are, newest first

        within: Which conversations to list

        state: Only conversations that stand so

        limit: How many of the newest messages, or conversations
        """
        reply: HistoryReply = self._call("history", {"conversation": conversation, "within": within, "state": state, "limit": limit})
        return reply

    def recall(self, query: str, *, conversation: Optional[str] = None, within: Optional[Literal['project', 'all']] = None, summaries: Optional[list[str]] = None, role: Optional[Literal['system', 'user', 'assistant', 'tool']] = None, since: Optional[str] = None, until: Optional[str] = None, limit: Optional[int] = None, budget: Optional[int] = None, layers: Optional[list[str]] = None, tags: Optional[list[str]] = None, answer: Optional[bool] = None, explain: Optional[bool] = None) -> RecallReply:
        """Answer a question with what was said, verbatim and with message ids.

        query: A question, words or identifiers

        conversation: Name, id or `latest`

        within: Where to search

        summaries: Only what these summaries cover

        role: Only of this role

        since: Only from this time on: a day, or RFC 3339

        until: Only up to this time

        limit: Most results

        budget: Most tokens

        layers: `messages` or `memories`

        tags: Tags of memories

        answer: Have a model write the answer

        explain: Show parts of scores
        """
        reply: RecallReply = self._call("recall", {"query": query, "conversation": conversation, "within": within, "summaries": summaries, "role": role, "since": since, "until": until, "limit": limit, "budget": budget, "layers": layers, "tags": tags, "answer": answer, "explain": explain})
        return reply

    def grep(self, pattern: str, *, mode: Optional[Literal['regex', 'full_text']] = None, scope: Optional[Literal['messages', 'summaries', 'both']] = None, conversation: Optional[str] = None, within: Optional[Literal['project', 'all']] = None, since: Optional[str] = None, until: Optional[str] = None, cursor: Optional[str] = None, limit: Optional[int] = None) -> GrepReply:
        """Find messages, summaries and artifacts by regular expression or by words.

        pattern: The pattern

        mode: How to read the pattern

        scope: What to look through

        conversation: Only this conversation, by name or id, or `latest`

        within: Which conversations to look through

        since: Only what happened from this time on: a day, or RFC 3339

        until: Only what happened up to this time

        cursor: Continue where an earlier reply ended: its `cursor`

        limit: Most matches to return
        """
        reply: GrepReply = self._call("grep", {"pattern": pattern, "mode": mode, "scope": scope, "conversation": conversation, "within": within, "since": since, "until": until, "cursor": cursor, "limit": limit})
        return reply

    def decisions(self, *, id: Optional[str] = None, about: Optional[str] = None, since: Optional[str] = None, conversation: Optional[str] = None, entity: Optional[str] = None, status: Optional[Literal['proposed', 'in_force', 'superseded', 'withdrawn']] = None, within: Optional[Literal['project', 'all']] = None, limit: Optional[int] = None) -> DecisionsReply:
        """List what was decided in conversations, why, and whether it still holds.

        id: This decision, by its id or the beginning of it

        about: Only decisions about this, best first

        since: Only those stated from this time on: a day, or RFC 3339

        conversation: Only those of this conversation, by name or id, or `latest`

        entity: Only those that name this file or symbol

        status: Only those that stand so

        within: Which conversations to look through

        limit: Most decisions to return
        """
        reply: DecisionsReply = self._call("decisions", {"id": id, "about": about, "since": since, "conversation": conversation, "entity": entity, "status": status, "within": within, "limit": limit})
        return reply

    def session(self, action: Literal['current', 'create', 'list', 'summarize', 'archive', 'resume'], *, session: Optional[str] = None, state: Optional[Literal['active', 'summarized', 'archived']] = None, limit: Optional[int] = None) -> SessionReply:
        """Make, list, sum up, archive and resume conversations.

        action: What to do

        session: The conversation's name or id, or `latest`; of a new session its name

        state: With `list`: only those that stand so

        limit: With `list`: how many of the newest
        """
        reply: SessionReply = self._call("session", {"action": action, "session": session, "state": state, "limit": limit})
        return reply

    def compact(self, *, conversation: Optional[str] = None, all: Optional[bool] = None, until: Optional[int] = None, incremental: Optional[bool] = None, provider: Optional[str] = None, redo: Optional[bool] = None, dry_run: Optional[bool] = None, verbose: Optional[bool] = None) -> CompactReply:
        """Fold older messages into summaries that expand back to them.

        conversation: The conversation's name or id

        all: Fold every conversation

        until: Fold until the context has no more tokens than this, and no further

        incremental: Fold only the oldest full chunk, and what is ready to be condensed then

        provider: Who writes the summaries, as `vendor` or `vendor/model`, or `builtin` (default: `providers.chain`, else built in)

        redo: Write summaries anew that a model was asked for and could not write, and fold nothing

        dry_run: Show what would be folded and what it would cost, and fold nothing

        verbose: Show each summary, also with `all`
        """
        reply: CompactReply = self._call("compact", {"conversation": conversation, "all": all, "until": until, "incremental": incremental, "provider": provider, "redo": redo, "dry_run": dry_run, "verbose": verbose})
        return reply

    def assemble(self, conversation: str, *, budget: Optional[int] = None, query: Optional[str] = None, shape: Optional[Literal['plain', 'anthropic', 'openai']] = None, form: Optional[Literal['fence', 'xml']] = None) -> AssembleReply:
        """Give the context of a conversation within a budget: summaries, facts, newest messages.

        conversation: The conversation's name or id

        budget: Most tokens to return (default: `memory.context_tokens`, 200000 unless set)

        query: What it is about, where summaries have to be chosen between

        shape: Also give the items as a vendor's messages

        form: How summaries are set off from messages (default: `xml` in the shape of Anthropic, else `fence`)
        """
        reply: AssembleReply = self._call("assemble", {"conversation": conversation, "budget": budget, "query": query, "shape": shape, "form": form})
        return reply

    def describe(self, id: str) -> DescribeReply:
        """Describe a summary, message, fact, memory, artifact or conversation with where it comes from.

        id: A summary, message, fact, memory or artifact by id, a message by its place (`conversation#8`), or a conversation by name or id; `art_…:1000-2000` for bytes of an artifact
        """
        reply: DescribeReply = self._call("describe", {"id": id})
        return reply

    def expand(self, id: str, *, depth: Optional[int] = None, messages: Optional[bool] = None, budget: Optional[int] = None, grant: Optional[str] = None) -> ExpandReply:
        """Expand a summary to the summaries and messages it covers.

        id: Summary or message by id, message by its place (`conversation#8`), or the handle in `continue_with` of an earlier reply

        depth: Levels to go down

        messages: Give the messages of every leaf that is reached, word for word

        budget: Most tokens to return (default: `memory.expand_tokens`, 4000 unless set)

        grant: Grant that allows it, where somebody was given one
        """
        reply: ExpandReply = self._call("expand", {"id": id, "depth": depth, "messages": messages, "budget": budget, "grant": grant})
        return reply

    def grant(self, *, conversations: Optional[list[str]] = None, summaries: Optional[list[str]] = None, max_depth: Optional[int] = None, tokens: Optional[int] = None, seconds: Optional[int] = None, issuer: Optional[str] = None, under: Optional[str] = None, show: Optional[str] = None, revoke: Optional[str] = None) -> GrantReply:
        """Let a delegate expand some summaries, within tokens and time.

        conversations: Conversations it is for, by name or id

        summaries: Summaries it is for, with all they cover; none for all of its conversations

        max_depth: Most levels that an expansion may go down

        tokens: Tokens it is good for

        seconds: Seconds it lasts

        issuer: Who gives it

        under: The grant that the caller itself works under, if it does: no other can be given then

        show: Show how this grant stands instead

        revoke: Take this grant back instead
        """
        reply: GrantReply = self._call("grant", {"conversations": conversations, "summaries": summaries, "max_depth": max_depth, "tokens": tokens, "seconds": seconds, "issuer": issuer, "under": under, "show": show, "revoke": revoke})
        return reply

    def remember(self, text: str, *, tags: Optional[list[str]] = None, for_me: Optional[bool] = None, metadata: Optional[Any] = None) -> RememberReply:
        """Keep a text that later sessions are told.

        text: What later sessions shall know, in a sentence or two

        tags: Words to find it by

        for_me: For all sessions, in every project

        metadata: What else is to be kept with it
        """
        reply: RememberReply = self._call("remember", {"text": text, "tags": tags, "for_me": for_me, "metadata": metadata})
        return reply

    def memories(self, *, action: Optional[Literal['list', 'forget']] = None, id: Optional[str] = None, tags: Optional[list[str]] = None, all: Optional[bool] = None, limit: Optional[int] = None) -> MemoriesReply:
        """List what is remembered for later sessions, or forget one of it.

        action: What to do

        id: Which memory to forget, by id

        tags: Only memories with this tag; with all of several

        all: Also those that were put aside, and those of other projects

        limit: Most memories to list (default: all)
        """
        reply: MemoriesReply = self._call("memories", {"action": action, "id": id, "tags": tags, "all": all, "limit": limit})
        return reply

    def promote(self, *, conversation: Optional[str] = None, all: Optional[bool] = None, verbose: Optional[bool] = None, dry_run: Optional[bool] = None) -> PromoteReply:
        """Remember the rules, decisions and fixes of conversations.

        conversation: The conversation's name or id; none: those of the project

        all: Conversations of every project

        verbose: Show each memory

        dry_run: Show what would be promoted, and promote nothing
        """
        reply: PromoteReply = self._call("promote", {"conversation": conversation, "all": all, "verbose": verbose, "dry_run": dry_run})
        return reply

    def reflection(self, action: Literal['add', 'find', 'list', 'summary'], *, text: Optional[str] = None, outcome: Optional[Literal['success', 'failure', 'partial', 'unknown']] = None, context: Optional[str] = None, confidence: Optional[float] = None, tags: Optional[list[str]] = None, session: Optional[str] = None, own_session: Optional[bool] = None, limit: Optional[int] = None) -> ReflectionReply:
        """Keep lessons of what worked and what failed, and find them.

        action: What to do

        text: With `add` the lesson, with `find` what lessons shall be about

        outcome: With `add` how it went; else only those that went so

        context: With `add`: where the lesson applies

        confidence: With `add`: how certain it is, from 0 to 1

        tags: With `add` words to find it by; else only those with all of them

        session: The session, by name or id (default: the latest)

        own_session: Only lessons of that session

        limit: How many at most
        """
        reply: ReflectionReply = self._call("reflection", {"action": action, "text": text, "outcome": outcome, "context": context, "confidence": confidence, "tags": tags, "session": session, "own_session": own_session, "limit": limit})
        return reply

    def tier(self, action: Literal['add', 'spill', 'recall', 'promote', 'status'], *, text: Optional[str] = None, session: Optional[str] = None, item_ids: Optional[list[str]] = None, count: Optional[int] = None, tier: Optional[Literal['hot', 'warm', 'cold']] = None, type: Optional[str] = None, relevance: Optional[float] = None, tags: Optional[list[str]] = None, auto_promote: Optional[bool] = None, limit: Optional[int] = None) -> TierReply:
        """Keep what sessions work with hot, warm or cold.

        action: What to do

        text: Words to keep or to look for

        session: Name or id (default: the project)

        item_ids: To spill or promote

        count: How many to spill

        tier: Where to spill to or to recall from

        type: What it is

        relevance: From 0 to 1

        tags: Words to find it by

        auto_promote: What is recalled may become hot

        limit: How many at most
        """
        reply: TierReply = self._call("tier", {"action": action, "text": text, "session": session, "item_ids": item_ids, "count": count, "tier": tier, "type": type, "relevance": relevance, "tags": tags, "auto_promote": auto_promote, "limit": limit})
        return reply

    def checkpoint(self, action: Literal['save', 'load', 'resume', 'list', 'prune'], *, id: Optional[str] = None, session: Optional[str] = None, state: Optional[Any] = None, description: Optional[str] = None, trigger: Optional[Literal['manual', 'auto', 'error']] = None, duration_ms: Optional[int] = None, token_usage: Optional[int] = None, limit: Optional[int] = None) -> CheckpointReply:
        """Keep the state of the work, and go on from it.

        action: What to do

        id: With `load` and `resume`: which one, by id (default: `latest`)

        session: The session, by name or id (default: the latest)

        state: With `save`: {query, plan, currentStepIndex, results, context, lastError} (default: the state before)

        description: With `save`: what it is for

        trigger: With `save`: who makes it

        duration_ms: With `save`: how long the step took

        token_usage: With `save`: the tokens it took

        limit: With `list` how many, with `prune` how many stay
        """
        reply: CheckpointReply = self._call("checkpoint", {"action": action, "id": id, "session": session, "state": state, "description": description, "trigger": trigger, "duration_ms": duration_ms, "token_usage": token_usage, "limit": limit})
        return reply

    def subscription(self, action: Literal['add', 'list', 'pause', 'remove'], *, value: Optional[str] = None, pattern: Optional[Literal['file_pattern', 'entity_type', 'keyword', 'author']] = None, scope: Optional[str] = None, trigger: Optional[Literal['file_change', 'cursor_proximity', 'context_mention', 'schedule', 'share']] = None, every: Optional[str] = None, min_relevance: Optional[float] = None, session: Optional[str] = None, all: Optional[bool] = None) -> SubscriptionReply:
        """Ask to be told of changes, mentions and what a cursor is near.

        action: What to do

        value: With `add` what to look for, else which one, by id

        pattern: With `add`: what the value is

        scope: With `add`: only below this folder

        trigger: With `add`: when to tell (default: as suits the pattern)

        every: With `add`: at most once in `6h`, `1d`

        min_relevance: With `add`: tell nothing that matters less, from 0 to 1

        session: The session, by name or id (default: every session of the project)

        all: With `list`: also those that are over
        """
        reply: SubscriptionReply = self._call("subscription", {"action": action, "value": value, "pattern": pattern, "scope": scope, "trigger": trigger, "every": every, "min_relevance": min_relevance, "session": session, "all": all})
        return reply

    def suggestion(self, *, action: Optional[Literal['list', 'act', 'dismiss', 'near']] = None, id: Optional[str] = None, session: Optional[str] = None, include_delivered: Optional[bool] = None, limit: Optional[int] = None) -> SuggestionReply:
        """List what subscriptions led to, and say what was of use.

        action: What to do

        id: Which one, by id; for `near` a `path:line`

        session: The session, by name or id (default: every session of the project)

        include_delivered: Also those that were told or dealt with

        limit: How many at most
        """
        reply: SuggestionReply = self._call("suggestion", {"action": action, "id": id, "session": session, "include_delivered": include_delivered, "limit": limit})
        return reply

    def team(self, *, action: Optional[Literal['list', 'share', 'withdraw']] = None, ids: Optional[list[str]] = None, kind: Optional[Literal['note', 'rule', 'decision', 'fix', 'reflection']] = None, since: Optional[str] = None, author: Optional[str] = None, limit: Optional[int] = None) -> TeamReply:
        """Share memories and decisions with colleagues, and list what they share.

        action: What to do

        ids: With `share` and `withdraw`: which, by id (`mem_…`, `fact_…`)

        kind: With `list`: only of this kind

        since: With `list`: only what was shared from then on: a day, or RFC 3339

        author: With `list`: only what this colleague shares

        limit: With `list`: most to return
        """
        reply: TeamReply = self._call("team", {"action": action, "ids": ids, "kind": kind, "since": since, "author": author, "limit": limit})
        return reply

    def knowledge(self, action: Literal['export', 'import']) -> KnowledgeReply:
        """Carry shared memories in the repository, and show those of colleagues.

        action: What to do
        """
        reply: KnowledgeReply = self._call("knowledge", {"action": action})
        return reply

    def entity(self, *, action: Optional[Literal['list', 'add', 'link', 'show', 'remove']] = None, name: Optional[str] = None, target: Optional[str] = None, type: Optional[str] = None, content: Optional[str] = None, summary: Optional[str] = None, metadata: Optional[Any] = None, file: Optional[str] = None, relationship: Optional[str] = None, weight: Optional[float] = None, depth: Optional[int] = None, direction: Optional[Literal['in', 'out', 'both']] = None, types: Optional[list[str]] = None, limit: Optional[int] = None, cursor: Optional[str] = None) -> EntityReply:
        """Keep, link, list, show or remove entities that are in no file: concepts, people, technologies.

        action: What to do

        name: Id or name; for `list` a text to find

        target: Where it leads

        type: `concept`, `person`, `technology`, …

        content: What is known of it

        summary: In short

        metadata: More, as JSON

        file: Its file

        relationship: `relates_to` by default

        weight: 0 to 1 (default: 1)

        depth: 1 to 10 (default: 1)

        direction: Which way

        types: Only these relationships or types

        limit: Default: 50

        cursor: Continues a list
        """
        reply: EntityReply = self._call("entity", {"action": action, "name": name, "target": target, "type": type, "content": content, "summary": summary, "metadata": metadata, "file": file, "relationship": relationship, "weight": weight, "depth": depth, "direction": direction, "types": types, "limit": limit, "cursor": cursor})
        return reply

    def window(self, *, path: Optional[str] = None, session: Optional[str] = None) -> WindowReply:
        """Show which lines of files an agent has in its context now.

        path: Only this file

        session: The session, by name (default: the newest one that shows it)
        """
        reply: WindowReply = self._call("window", {"path": path, "session": session})
        return reply

    def value(self, *, view: Optional[Literal['roi', 'queries']] = None, by: Optional[Literal['day', 'session', 'project', 'operation', 'agent', 'door', 'formula', 'model']] = None, days: Optional[int] = None, compare: Optional[bool] = None, all: Optional[bool] = None, session: Optional[str] = None, entries: Optional[int] = None, spend: Optional[bool] = None, formulas: Optional[bool] = None, csv: Optional[bool] = None) -> ValueReply:
        """Show the ledger: tokens spared and added, what models cost and may cost.

        view: What to show in place of totals

        by: What to total by (default: operation)

        days: Only the last so many days, today included (default: all)

        compare: Compare with as many days before

        all: Everything, not only this project

        session: Only this session

        entries: Show so many of the newest calls

        spend: Show what models may cost, have cost, and what is left

        formulas: Explain how each kind of call is counted

        csv: Write the totals as CSV
        """
        reply: ValueReply = self._call("value", {"view": view, "by": by, "days": days, "compare": compare, "all": all, "session": session, "entries": entries, "spend": spend, "formulas": formulas, "csv": csv})
        return reply

    def modes(self, *, reset: Optional[str] = None) -> ModesReply:
        """Show what was learned of how files are best shown, and forget it.

        reset: Forget what was learned of this slot (`rust/M/edit`), or of `all`
        """
        reply: ModesReply = self._call("modes", {"reset": reset})
        return reply

    def stats(self, *, verbose: Optional[bool] = None, all: Optional[bool] = None) -> StatsReply:
        """Count what memory holds, and how much shorter folding made it.

        verbose: Each conversation, too, the longest first

        all: Of all projects
        """
        reply: StatsReply = self._call("stats", {"verbose": verbose, "all": all})
        return reply

    def status(self) -> StatusReply:
        """Show what is indexed, stored and running."""
        reply: StatusReply = self._call("status", {})
        return reply

    def project(self, *, action: Optional[Any] = None, which: Optional[str] = None, target: Optional[str] = None, name: Optional[str] = None, description: Optional[str] = None) -> ProjectReply:
        """List, show, name or link the projects that are indexed or spoken about.

        action: What to do

        which: Name, id or path (default: this project)

        target: The project that it depends on

        name: What to call it

        description: What it is
        """
        reply: ProjectReply = self._call("project", {"action": action, "which": which, "target": target, "name": name, "description": description})
        return reply

    def verify(self, *, conversation: Optional[str] = None, plan: Optional[bool] = None, expect: Optional[str] = None, anchor: Optional[bool] = None) -> VerifyReply:
        """Prove that nothing stored is missing or changed.

        conversation: Only this conversation, by its name or id (default: all, and the database itself)

        plan: Say for each problem what would mend it

        expect: A state that the store must have gone on from: the hash of an anchor, or on the command line a file with what `verify --anchor` printed

        anchor: Print what to keep elsewhere, for a later --expect: how far every conversation and archive is
        """
        reply: VerifyReply = self._call("verify", {"conversation": conversation, "plan": plan, "expect": expect, "anchor": anchor})
        return reply

    def repair(self, *, conversation: Optional[str] = None, dry_run: Optional[bool] = None) -> RepairReply:
        """Mend summaries, contexts and facts that do not fit together; messages stay as they are.

        conversation: The conversation's name or id (default: all)

        dry_run: Show what is wrong and what would be done, and change nothing
        """
        reply: RepairReply = self._call("repair", {"conversation": conversation, "dry_run": dry_run})
        return reply
