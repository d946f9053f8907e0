// Written by `cargo xtask clients`; change the program, not this file.

export interface IndexReplySkippedItem {
  path: string;
  reason: string;
}

export interface IndexReplyReportTotal {
  name: string;
  files: number;
  raw_tokens: number;
  skeleton_tokens: number;
  /** The share of tokens saved; below 0 where skeletons cost more */
  saved: number;
}

export interface IndexReplyReportLanguagesItem {
  name: string;
  files: number;
  raw_tokens: number;
  skeleton_tokens: number;
  /** The share of tokens saved; below 0 where skeletons cost more */
  saved: number;
}

export interface IndexReplyReportDirectoriesItem {
  name: string;
  files: number;
  raw_tokens: number;
  skeleton_tokens: number;
  /** The share of tokens saved; below 0 where skeletons cost more */
  saved: number;
}

export interface IndexReplyReport {
  total: IndexReplyReportTotal;
  /** Most tokens first */
  languages: Array<IndexReplyReportLanguagesItem>;
  /** Most tokens first */
  directories: Array<IndexReplyReportDirectoriesItem>;
}

export interface IndexReplyEncoded {
  /** Regions it has read */
  read: number;
  /** Regions it reads when a question finds them */
  left: number;
}

export interface IndexReplySummariesDegradedItem {
  reason: string;
  /** What to do about it */
  fix?: string | null;
}

export interface IndexReplySummaries {
  /** Written in this run */
  written: number;
  /** Written before */
  known: number;
  /** Nothing usable came; the next run tries again */
  failed: number;
  /** Not tried; the next run goes on with them */
  left: number;
  /** What stood in the way, and what to do about it */
  degraded: Array<IndexReplySummariesDegradedItem>;
}

export interface IndexReplyEmbeddingDegradedItem {
  reason: string;
  /** What to do about it */
  fix?: string | null;
}

export interface IndexReplyEmbedding {
  /** Who embeds; absent where it cannot be used */
  model?: string | null;
  /** Texts embedded in this run: units, paths and messages */
  embedded: number;
  /** Embedded before */
  known: number;
  /** Not embedded; the next run goes on with them */
  left: number;
  /** What stood in the way, and what to do about it */
  degraded: Array<IndexReplyEmbeddingDegradedItem>;
}

export interface IndexReply {
  /** Files in the index */
  files: number;
  /** Symbols in the index */
  symbols: number;
  /** Relations between symbols */
  edges: number;
  /** Files parsed in this run */
  indexed: number;
  /** Files that had not changed */
  unchanged: number;
  /** Files that are gone */
  removed: number;
  /** Files left out or only partly understood */
  skipped: Array<IndexReplySkippedItem>;
  /** What reading skeletons saves, with `report` */
  report?: IndexReplyReport | null;
  /** What the encoder has read, with `encode` */
  encoded?: IndexReplyEncoded | null;
  /** What became of descriptions, with `summarize` */
  summaries?: IndexReplySummaries | null;
  /** What became of vectors, where `providers.embedder` is set */
  embedding?: IndexReplyEmbedding | null;
}

export interface SearchReplyResultsItemSignature {
  line: number;
  /** Without indentation; shortened where it is very long */
  text: string;
}

export interface SearchReplyResultsItemMatch {
  line: number;
  /** Without indentation; shortened where it is very long */
  text: string;
}

export interface SearchReplyResultsItemPartsItem {
  name: string;
  /** How much of it there is */
  value: number;
  /** What that adds to the score */
  worth: number;
}

export interface SearchReplyResultsItemRelatedItem {
  /** `container`, `supertype`, `overridden`, `import` or `type` */
  relation: string;
  /** Its project, where several are asked */
  project?: string | null;
  /** Symbol id, or the path of a file */
  id: string;
  /** Short name to read it by */
  handle?: string | null;
  /** `function`, `class`, …, `requirement`, or `file` */
  kind: string;
  path: string;
  start_line: number;
  end_line: number;
}

export interface SearchReplyResultsItem {
  /** Its project, where several are asked */
  project?: string | null;
  /** Relative to the project */
  path: string;
  start_line: number;
  end_line: number;
  /** Comparable within one reply only */
  score: number;
  /** Id to read it by */
  symbol?: string | null;
  /** `function`, `class`, …, or `chunk` */
  kind: string;
  /** Its signature at the line of its name, where a preview was asked for */
  signature?: SearchReplyResultsItemSignature | null;
  /** The line that holds most of what the signature does not, where a preview was asked for */
  match?: SearchReplyResultsItemMatch | null;
  why: string;
  /** What a model said about it (`index --summarize`) */
  summary?: string | null;
  /** What the score is made of, where that was asked for */
  parts?: Array<SearchReplyResultsItemPartsItem>;
  /** What it hangs together with, where that was asked for */
  related?: Array<SearchReplyResultsItemRelatedItem>;
  /** How many more of those there are */
  related_omitted?: number;
}

export interface SearchReplyCorrectedItem {
  given: string;
  meant: string;
}

export interface SearchReplyConsultedItemCost {
  tokens: number;
  dollars: number;
  /** How long it took */
  ms: number;
}

export interface SearchReplyConsultedItem {
  /** What for: `hyde` (a guess at the answer, to search with) or `gate` (whether to look at all) */
  for: string;
  /** Why nobody had to be asked */
  skipped?: string | null;
  /** What it said */
  text?: string | null;
  /** Who said it; absent where it was said and paid before */
  model?: string | null;
  /** Whether it was said before, so that nobody was asked again */
  cached?: boolean;
  /** What asking cost */
  cost?: SearchReplyConsultedItemCost | null;
}

export interface SearchReplyEntitiesItem {
  id: string;
  type: string;
  name: string;
  content?: string | null;
}

export interface SearchReply {
  /** Best first; of several questions theirs in turn */
  results: Array<SearchReplyResultsItem>;
  /** The questions that the question is, where it is several */
  questions?: Array<string>;
  /** Names that nothing is called, and what they were read as */
  corrected?: Array<SearchReplyCorrectedItem>;
  /** Models that were asked */
  consulted?: Array<SearchReplyConsultedItem>;
  /** What did not run, and how to have it */
  degraded?: Array<string>;
  /** What somebody named (`entity`) and the question is about */
  entities?: Array<SearchReplyEntitiesItem>;
}

export interface ContextReplyItemsItem {
  /** Its project, where several are asked */
  project?: string | null;
  /** `path:start-end`, or message id and `conversation#seq` (`:start-end/bytes` where only those are shown) */
  source: string;
  /** `code`, `document` or `conversation` */
  from: string;
  text: string;
  tokens: number;
  why: string;
  /** When it was said, in its source's words */
  at?: string | null;
  /** Whether it is what a model said about the place, because its lines do not fit */
  summary?: boolean;
}

export interface ContextReplyGate {
  /** Whether anything was looked up */
  retrieve: boolean;
  reason: string;
  /** How sure that is, 1 at most */
  confidence: number;
  /** The strategy that suits the question, where its wording says so: `keyword` where it spells a name */
  suggested_strategy?: string | null;
}

export interface ContextReplyCorrectedItem {
  given: string;
  meant: string;
}

export interface ContextReplyConsultedItemCost {
  tokens: number;
  dollars: number;
  /** How long it took */
  ms: number;
}

export interface ContextReplyConsultedItem {
  /** What for: `hyde` (a guess at the answer, to search with) or `gate` (whether to look at all) */
  for: string;
  /** Why nobody had to be asked */
  skipped?: string | null;
  /** What it said */
  text?: string | null;
  /** Who said it; absent where it was said and paid before */
  model?: string | null;
  /** Whether it was said before, so that nobody was asked again */
  cached?: boolean;
  /** What asking cost */
  cost?: ContextReplyConsultedItemCost | null;
}

export interface ContextReply {
  /** Code and documents best first, then conversations; the other way round for questions about what was said */
  items: Array<ContextReplyItemsItem>;
  /** Tokens of the reply's text: all items as they are written, and what is told below them */
  tokens: number;
  /** Places that would come next */
  omitted: Array<string>;
  /** How many more places were considered and left out */
  omitted_more?: number;
  /** What did not run, and how to have it */
  degraded: Array<string>;
  /** Whether anything was looked up, and why */
  gate: ContextReplyGate;
  /** What was asked for: `find`, `explain`, `list`, `compare`, `how`, `why` or `debug` */
  intent: string;
  /** The questions that the question is, where it is several */
  questions?: Array<string>;
  /** Names that nothing is called, and what they were read as */
  corrected?: Array<ContextReplyCorrectedItem>;
  /** Models that were asked */
  consulted?: Array<ContextReplyConsultedItem>;
}

export interface ReadReplyItemsItem {
  /** The target it answers */
  id: string;
  path: string;
  /** 0 for an empty file and for bytes */
  start_line: number;
  end_line: number;
  /** A line `…:12-40` stands for lines left out: read `path:12-40` */
  text: string;
  mode: string;
  /** `fresh`: as indexed; `edited`: not as indexed, read from disk; `stale`: from the index, not on disk; `unindexed`: not in the index */
  freshness: string;
  /** Whether some bytes are not UTF-8 and stand as a replacement character in the text */
  lossy: boolean;
  original_bytes: number;
  compressed_bytes: number;
  /** Compressed to original, 1 for raw */
  ratio: number;
  tokens: number;
  /** For what was not asked for: how it relates (`type`, `callee`, `supertype`)… */
  relation?: string | null;
  /** …and to what */
  of?: string | null;
  /** The id it was asked for by, where it was renamed or moved since */
  moved_from?: string | null;
  /** How many symbols have the name it was asked for by, where there are several */
  one_of?: number | null;
}

export interface ReadReplyOmittedItem {
  /** What to ask for again */
  id: string;
  reason: string;
  /** Whether it could not be read, rather than not fit */
  failed: boolean;
}

export interface ReadReply {
  items: Array<ReadReplyItemsItem>;
  /** Targets that are not among the items */
  omitted: Array<ReadReplyOmittedItem>;
  /** Tokens of all texts */
  tokens: number;
}

export interface SymbolReplySymbolsItem {
  /** Its project, where several are asked */
  project?: string | null;
  /** Symbol id, or the path of a file */
  id: string;
  /** Short name to read it by */
  handle?: string | null;
  /** `function`, `class`, …, `requirement`, or `file` */
  kind: string;
  path: string;
  start_line: number;
  end_line: number;
  name: string;
  /** `exact`, `prefix`, `part` or `near` */
  fit: string;
  signature: string;
  modifiers?: Array<string>;
  parameters?: Array<string>;
  returns?: string | null;
  doc?: string | null;
  /** What a model says it does (`index --summarize`) */
  summary?: string | null;
  container?: string | null;
}

export interface SymbolReply {
  /** Best first */
  symbols: Array<SymbolReplySymbolsItem>;
  /** How many more fit */
  omitted: number;
  /** Where nothing is called so: files that could not be parsed in places, which may define it */
  unparsed?: Array<string>;
}

export interface RelationsReplySymbol {
  /** Its project, where several are asked */
  project?: string | null;
  /** Symbol id, or the path of a file */
  id: string;
  /** Short name to read it by */
  handle?: string | null;
  /** `function`, `class`, …, `requirement`, or `file` */
  kind: string;
  path: string;
  start_line: number;
  end_line: number;
}

export interface RelationsReplyRelationsItem {
  /** `caller`, `callee`, `type`, `type_user`, `import`, `importer`, `supertype`, `subtype`, `override`, `overridden`, `definition`, `declaration`, `member`, `container`, `requirement`, `document`, `code` or `test` */
  relation: string;
  /** Its project, where several are asked */
  project?: string | null;
  /** Symbol id, or the path of a file */
  id: string;
  /** Short name to read it by */
  handle?: string | null;
  /** `function`, `class`, …, `requirement`, or `file` */
  kind: string;
  path: string;
  start_line: number;
  end_line: number;
  /** The line that says so, in the file of the one that uses */
  line: number;
  /** All such lines, where there are several */
  lines?: Array<number>;
  /** 1 is certain, 0.5 to 0.9 inferred */
  confidence: number;
  distance: number;
  /** What is before it on the way, where it is farther than one step */
  through?: string | null;
}

export interface RelationsReplyUnlinkedMentionsItem {
  name: string;
  path: string;
  line: number;
  /** `call`, `code` or `text` */
  kind: string;
  text: string;
}

export interface RelationsReplyUnlinked {
  /** How many lines */
  total: number;
  /** How many of them look like calls */
  calls: number;
  /** How many stand in comments, strings or documents */
  text: number;
  /** In how many files */
  files: number;
  /** The likeliest uses, likeliest first */
  mentions: Array<RelationsReplyUnlinkedMentionsItem>;
  /** How many are not listed; `mentions` asks for more */
  omitted: number;
  /** How many files with the words of the name were not read */
  unread_files?: number;
}

export interface RelationsReplyUnresolvedItem {
  name: string;
  line: number;
  candidates: Array<string>;
}

export interface RelationsReplyOthersItemSymbol {
  /** Its project, where several are asked */
  project?: string | null;
  /** Symbol id, or the path of a file */
  id: string;
  /** Short name to read it by */
  handle?: string | null;
  /** `function`, `class`, …, `requirement`, or `file` */
  kind: string;
  path: string;
  start_line: number;
  end_line: number;
}

export interface RelationsReplyOthersItemRelationsItem {
  /** `caller`, `callee`, `type`, `type_user`, `import`, `importer`, `supertype`, `subtype`, `override`, `overridden`, `definition`, `declaration`, `member`, `container`, `requirement`, `document`, `code` or `test` */
  relation: string;
  /** Its project, where several are asked */
  project?: string | null;
  /** Symbol id, or the path of a file */
  id: string;
  /** Short name to read it by */
  handle?: string | null;
  /** `function`, `class`, …, `requirement`, or `file` */
  kind: string;
  path: string;
  start_line: number;
  end_line: number;
  /** The line that says so, in the file of the one that uses */
  line: number;
  /** All such lines, where there are several */
  lines?: Array<number>;
  /** 1 is certain, 0.5 to 0.9 inferred */
  confidence: number;
  distance: number;
  /** What is before it on the way, where it is farther than one step */
  through?: string | null;
}

export interface RelationsReplyOthersItemUnresolvedItem {
  name: string;
  line: number;
  candidates: Array<string>;
}

export interface RelationsReplyOthersItemLinkedItem {
  link_id: string;
  relationship: string;
  /** `out` where it starts at the symbol */
  direction: string;
  weight: number;
  entity_id: string;
  type: string;
  name: string;
}

export interface RelationsReplyOthersItem {
  /** A symbol or file. */
  symbol: RelationsReplyOthersItemSymbol;
  relations: Array<RelationsReplyOthersItemRelationsItem>;
  omitted: number;
  less_sure?: number;
  unresolved: Array<RelationsReplyOthersItemUnresolvedItem>;
  linked?: Array<RelationsReplyOthersItemLinkedItem>;
}

export interface RelationsReplyLinkedItem {
  link_id: string;
  relationship: string;
  /** `out` where it starts at the symbol */
  direction: string;
  weight: number;
  entity_id: string;
  type: string;
  name: string;
}

export interface RelationsReply {
  /** A symbol or file. */
  symbol: RelationsReplySymbol;
  /** Nearest first; with `to` the way, step by step */
  relations: Array<RelationsReplyRelationsItem>;
  /** How many more there are; `limit` asks for more */
  omitted: number;
  /** How many are left out as less sure than `min_confidence` */
  less_sure?: number;
  /** Lines that mention the name and are linked to nothing; not there where only what the symbol uses was asked for */
  unlinked?: RelationsReplyUnlinked | null;
  /** Uses inside of it that may lead to several symbols */
  unresolved: Array<RelationsReplyUnresolvedItem>;
  /** The same for each other symbol of the name, where nothing says which is meant */
  others?: Array<RelationsReplyOthersItem>;
  /** How many more symbols have the name; `matches` asks for more */
  more?: number;
  /** What somebody linked to it (`entity`) */
  linked?: Array<RelationsReplyLinkedItem>;
}

export interface ImpactReplyChangedItem {
  /** Its project, where several are asked */
  project?: string | null;
  /** Symbol id, or the path of a file */
  id: string;
  /** Short name to read it by */
  handle?: string | null;
  /** `function`, `class`, …, `requirement`, or `file` */
  kind: string;
  path: string;
  start_line: number;
  end_line: number;
}

export interface ImpactReplyAffectedItem {
  /** Its project, where several are asked */
  project?: string | null;
  /** Symbol id, or the path of a file */
  id: string;
  /** Short name to read it by */
  handle?: string | null;
  /** `function`, `class`, …, `requirement`, or `file` */
  kind: string;
  path: string;
  start_line: number;
  end_line: number;
  /** As in `relations`: 1 is certain; over several steps the product */
  confidence: number;
  /** How many steps away */
  distance: number;
  /** `calls`, `uses`, `extends`, `implements` or `imports` */
  how: string;
  /** What it leans on */
  through: string;
  /** The lines of its file that say so */
  lines: Array<number>;
}

export interface ImpactReplyTestsItemSymbolsItem {
  /** Its project, where several are asked */
  project?: string | null;
  /** Symbol id, or the path of a file */
  id: string;
  /** Short name to read it by */
  handle?: string | null;
  /** `function`, `class`, …, `requirement`, or `file` */
  kind: string;
  path: string;
  start_line: number;
  end_line: number;
  /** As in `relations`: 1 is certain; over several steps the product */
  confidence: number;
  /** How many steps away */
  distance: number;
  /** `calls`, `uses`, `extends`, `implements` or `imports` */
  how: string;
  /** What it leans on */
  through: string;
  /** The lines of its file that say so */
  lines: Array<number>;
}

export interface ImpactReplyTestsItem {
  /** Its project, where several are asked */
  project?: string | null;
  path: string;
  /** Why, the surest reason first */
  reasons: Array<any>;
  /** Its tests that reach the change by relations */
  symbols?: Array<ImpactReplyTestsItemSymbolsItem>;
  /** How many more do */
  omitted?: number;
}

export interface ImpactReplyFilesItem {
  /** Its project, where several are asked */
  project?: string | null;
  path: string;
  confidence: number;
}

export interface ImpactReplyUnlinkedMentionsItem {
  name: string;
  path: string;
  line: number;
  /** `call`, `code` or `text` */
  kind: string;
  text: string;
}

export interface ImpactReplyUnlinked {
  /** How many lines */
  total: number;
  /** How many of them look like calls */
  calls: number;
  /** How many stand in comments, strings or documents */
  text: number;
  /** In how many files */
  files: number;
  /** The likeliest uses, likeliest first */
  mentions: Array<ImpactReplyUnlinkedMentionsItem>;
  /** How many are not listed; `mentions` asks for more */
  omitted: number;
  /** How many files with the words of the name were not read */
  unread_files?: number;
}

export interface ImpactReply {
  changed: Array<ImpactReplyChangedItem>;
  /** How many more symbols have a name that was asked for: name one by its id */
  more?: number;
  /** Nearest and surest first */
  affected: Array<ImpactReplyAffectedItem>;
  /** How many affected symbols are left out; `limit` asks for more */
  omitted: number;
  /** Test files to run, sure ones first */
  tests: Array<ImpactReplyTestsItem>;
  /** How many test files with weaker reasons are left out; `tests` asks for more */
  omitted_tests: number;
  /** Files of what is changed and affected */
  files: Array<ImpactReplyFilesItem>;
  /** Lines that mention a changed name and are linked to nothing */
  unlinked: ImpactReplyUnlinked;
  /** Changed files that the index does not know */
  unknown: Array<string>;
  /** Files that may have changed, but whose content before is not in the repository (Git LFS, a partial clone) */
  not_compared?: Array<string>;
}

export interface CritiqueReplyIssuesItemSpan {
  start: number;
  end: number;
}

export interface CritiqueReplyIssuesItem {
  /** `hallucination`, `unsupported`, `outdated`, `incomplete` */
  type: string;
  /** `high`, `medium`, `low` */
  severity: string;
  claim: string;
  /** Its bytes */
  span?: CritiqueReplyIssuesItemSpan | null;
  evidence?: string | null;
  suggestion?: string | null;
}

export interface CritiqueReplyClaimsItem {
  claim: string;
  /** `symbol`, `signature`, `location`, `behaviour`, `relation`, `version` */
  type: string;
  /** `yes`, `no`, `unknown` */
  supported: string;
  source?: string | null;
}

export interface CritiqueReply {
  /** Nothing is contradicted */
  passed: boolean;
  /** Gravest first */
  issues: Array<CritiqueReplyIssuesItem>;
  claims: Array<CritiqueReplyClaimsItem>;
  /** Claims beyond the limit */
  omitted?: number;
  iterations: number;
  /** The text a model made of it */
  revised?: string | null;
  model?: string | null;
  /** What did not run */
  degraded?: Array<string>;
}

export interface TreeReply {
  tree: string;
  files: number;
  directories: number;
  /** Directories not shown whole: ask for one of them by `path` */
  _truncated_paths?: Array<string>;
  /** How many more there are */
  truncated_more?: number;
}

export interface BriefingReplyLanguagesItem {
  name: string;
  files: number;
  lines: number;
}

export interface BriefingReplyEntryPointsItem {
  id: string;
  why: string;
}

export interface BriefingReplyCentralItem {
  path: string;
  defines: Array<string>;
}

export interface BriefingReplyCommandsItem {
  command: string;
  source: string;
}

export interface BriefingReply {
  /** The first words of the README */
  about?: string | null;
  /** Most lines first */
  languages: Array<BriefingReplyLanguagesItem>;
  /** Where it starts to run */
  entry_points: Array<BriefingReplyEntryPointsItem>;
  /** What most of it leans on */
  central: Array<BriefingReplyCentralItem>;
  /** How it is built, tested and run, as its files say */
  commands: Array<BriefingReplyCommandsItem>;
  /** Files that are tests */
  tests: number;
  tokens: number;
}

export interface DocumentReplyDocumentsItem {
  path: string;
  title?: string | null;
  words: number;
  sections: number;
  requirements: number;
  stories: number;
  questions: number;
  /** To code and tests */
  links: number;
}

export interface DocumentReplyDocument {
  path: string;
  title?: string | null;
  words: number;
  sections: number;
  requirements: number;
  stories: number;
  questions: number;
  /** To code and tests */
  links: number;
}

export interface DocumentReplySectionsItem {
  name: string;
  /** 1 for the highest */
  depth: number;
  line: number;
}

export interface DocumentReplyRequirementsItem {
  /** `path#KEY`, or `path:line` of a sentence without a key */
  id: string;
  key?: string | null;
  text: string;
  /** `must`, `should`, `may`, or as the document says */
  priority?: string | null;
  status?: string | null;
  start_line: number;
  end_line: number;
}

export interface DocumentReplyStoriesItem {
  key?: string | null;
  role: string;
  goal: string;
  benefit?: string | null;
  /** When it counts as done */
  criteria: Array<string>;
  line: number;
}

export interface DocumentReplyQuestionsItem {
  text: string;
  line: number;
}

export interface DocumentReplyLinksItem {
  /** The section or requirement that names it */
  from: string;
  /** Its project, where several are asked */
  project?: string | null;
  /** Symbol id, or the path of a file */
  id: string;
  /** Short name to read it by */
  handle?: string | null;
  /** `function`, `class`, …, `requirement`, or `file` */
  kind: string;
  path: string;
  start_line: number;
  end_line: number;
  /** The line that names the other one */
  line: number;
  /** 1 for an exact id or key, 0.7 for a name that is unique, 0.5 for a test that calls the code */
  weight: number;
  is_test: boolean;
}

export interface DocumentReply {
  /** Of `list` */
  documents?: Array<DocumentReplyDocumentsItem>;
  /** Of `show` and `index` */
  document?: DocumentReplyDocument | null;
  /** What stands at its head */
  metadata?: Record<string, string>;
  sections?: Array<DocumentReplySectionsItem> | null;
  requirements?: Array<DocumentReplyRequirementsItem> | null;
  stories?: Array<DocumentReplyStoriesItem> | null;
  /** Questions that it leaves open */
  questions?: Array<DocumentReplyQuestionsItem> | null;
  /** Code and tests that it names */
  links?: Array<DocumentReplyLinksItem> | null;
  /** How many entries of all lists are not shown; `limit` asks for more */
  omitted: number;
  /** Continues the list */
  cursor?: string | null;
}

export interface CoverageReplyRequirementsItemCodeItem {
  /** Its project, where several are asked */
  project?: string | null;
  /** Symbol id, or the path of a file */
  id: string;
  /** Short name to read it by */
  handle?: string | null;
  /** `function`, `class`, …, `requirement`, or `file` */
  kind: string;
  path: string;
  start_line: number;
  end_line: number;
  /** The line that names the other one */
  line: number;
  /** 1 for an exact id or key, 0.7 for a name that is unique, 0.5 for a test that calls the code */
  weight: number;
  is_test: boolean;
}

export interface CoverageReplyRequirementsItemTestsItem {
  /** Its project, where several are asked */
  project?: string | null;
  /** Symbol id, or the path of a file */
  id: string;
  /** Short name to read it by */
  handle?: string | null;
  /** `function`, `class`, …, `requirement`, or `file` */
  kind: string;
  path: string;
  start_line: number;
  end_line: number;
  /** The line that names the other one */
  line: number;
  /** 1 for an exact id or key, 0.7 for a name that is unique, 0.5 for a test that calls the code */
  weight: number;
  is_test: boolean;
}

export interface CoverageReplyRequirementsItem {
  /** `path#KEY`, or `path:line` of a sentence without a key */
  id: string;
  key?: string | null;
  text: string;
  /** `must`, `should`, `may`, or as the document says */
  priority?: string | null;
  status?: string | null;
  start_line: number;
  end_line: number;
  path: string;
  code: Array<CoverageReplyRequirementsItemCodeItem>;
  tests: Array<CoverageReplyRequirementsItemTestsItem>;
}

export interface CoverageReplyUnboundItem {
  id: string;
  line: number;
}

export interface CoverageReply {
  /** How many requirements were looked at */
  total: number;
  with_code: number;
  with_tests: number;
  requirements: Array<CoverageReplyRequirementsItem>;
  /** How many more there are; `cursor` continues */
  omitted: number;
  cursor?: string | null;
  /** How many tests there are */
  tests: number;
  /** How many of them belong to no requirement */
  unbound_tests: number;
  /** The first of those */
  unbound: Array<CoverageReplyUnboundItem>;
}

export interface ImportReplyConversationsItemQuarantineItem {
  /** Counted from 1 */
  line: number;
  /** Byte at which it starts */
  offset: number;
  bytes: number;
  reason: string;
}

export interface ImportReplyConversationsItemUnknownItem {
  kind: string;
  lines: number;
}

export interface ImportReplyConversationsItem {
  /** Conversation id */
  id: string;
  name: string;
  title?: string | null;
  agent: string;
  /** Path of the transcript */
  source: string;
  /** `same`, `grown`, or why it was read from its beginning: `first`, `truncated`, `rewritten`, `replaced`, `moved` */
  standing: string;
  /** Lines in the archive */
  lines: number;
  /** Messages made from them */
  messages: number;
  new_lines: number;
  new_messages: number;
  /** New messages whose id was taken by other words; stored beside those */
  revised: number;
  /** New lines in which secrets were replaced */
  scrubbed: number;
  /** Lines that could not be read; their bytes are kept */
  quarantined: number;
  quarantine: Array<ImportReplyConversationsItemQuarantineItem>;
  /** Kinds of lines we do not know, with their number; kept like all others */
  unknown: Array<ImportReplyConversationsItemUnknownItem>;
  /** Bytes behind the last whole line; kept, and read when the line is whole */
  unfinished: number;
  /** The directory that it is about, as its agent writes it */
  directory?: string | null;
  /** Whether it was named here and belongs to another project or to none: only `--within all` looks through it */
  elsewhere?: boolean;
  /** That no message was made of its lines, and what they are */
  warning?: string | null;
}

export interface ImportReplySkippedItem {
  path: string;
  reason: string;
}

export interface ImportReplyOthers {
  files: number;
  /** Paths of the first of them */
  first: Array<string>;
}

export interface ImportReply {
  conversations: Array<ImportReplyConversationsItem>;
  /** What was not read, and why */
  skipped: Array<ImportReplySkippedItem>;
  /** Files that lie among transcripts and are none; left alone */
  others: ImportReplyOthers;
}

export interface IngestParamsMessagesItem {
  role: "system" | "user" | "assistant" | "tool";
  /** The speaker's name, where there are several */
  speaker?: string | null;
  /** The sitting it belongs to */
  session?: string | null;
  /** Plain text */
  content?: string | null;
  /** Typed parts, where it is more than plain text */
  parts?: Array<any>;
  /** When it happened; RFC 3339 is understood, other forms are kept as they are */
  at?: string | null;
  /** What else is known of it: model, tokenCount, responseTimeMs, toolCalls */
  metadata?: any | null;
  /** Your own id; sending the same message again is then harmless */
  id?: string | null;
}

export interface IngestReply {
  /** One entry per message, in order */
  acknowledged: Array<any>;
}

export interface HistoryReplyMessagesItem {
  message_id: string;
  seq: number;
  role: string;
  speaker?: string | null;
  session?: string | null;
  content: string;
  /** When it happened, in its source's words; when it was received, where the source said nothing */
  at: string;
  /** Whether `at` is when it was received */
  received?: boolean;
  tokens: number;
  /** The message that it repeats, of the conversation which this one goes on from */
  repeated?: string | null;
  /** What its source says about it besides */
  metadata?: any;
}

export interface HistoryReplyConversationsItem {
  conversation_id: string;
  /** Its number in this store; `#12` names it wherever a conversation is named */
  number: number;
  name: string;
  /** What its source calls it, or the first sentence of a person in it */
  title?: string | null;
  /** `active`, `summarized` or `archived` */
  state: string;
  messages: number;
  tokens: number;
  /** Summaries that stand for stretches of it */
  summaries: number;
  /** When its first message happened */
  first_at: string;
  /** When its newest message happened */
  at: string;
  /** The first words of a person in it */
  opening?: string | null;
}

export interface HistoryReply {
  /** Oldest first */
  messages?: Array<HistoryReplyMessagesItem> | null;
  /** Newest first, where no conversation was named */
  conversations?: Array<HistoryReplyConversationsItem> | null;
  /** How many more conversations there are */
  omitted?: number | null;
  /** Conversations of other projects or of none, not listed */
  elsewhere?: number | null;
}

export interface RecallReplyResultsItemFact {
  id: string;
  kind: string;
  /** Whether nothing took it back and nothing came in its place */
  holds: boolean;
}

export interface RecallReplyResultsItemNeighboursItem {
  message_id: string;
  role: string;
  speaker?: string | null;
  text: string;
  source: string;
}

export interface RecallReplyResultsItemParts {
  words: number;
  length: number;
  speaker: number;
  reply: number;
  lexical: number;
  meaning: number;
  time: number;
  moment: number;
  rule: number;
  session: number;
  opener: number;
  part: number;
  decision: number;
  summary: number;
}

export interface RecallReplyResultsItem {
  message_id: string;
  conversation_id: string;
  role: string;
  speaker?: string | null;
  /** Comparable within one reply only */
  score: number;
  /** Verbatim; `source` says which bytes where it is not all */
  text: string;
  /** When it happened, in its source's words */
  at: string | null;
  /** `conversation#seq`, and `:start-end/bytes` where only those bytes of the content are shown */
  source: string;
  why: string;
  /** The decision, rule or correction it states, where the question asks for a decision */
  fact?: RecallReplyResultsItemFact | null;
  /** Messages beside it that hold words it lacks, and its reply where that lifted it */
  neighbours?: Array<RecallReplyResultsItemNeighboursItem>;
  /** The last ten add up to the score; the first four are the points behind `lexical` */
  parts?: RecallReplyResultsItemParts | null;
}

export interface RecallReplyMemoriesItemContradictsItem {
  id: string;
  /** Whether this one was said later than that one */
  newer: boolean;
}

export interface RecallReplyMemoriesItem {
  memory_id: string;
  /** `note` (asked for), `rule`, `decision` or `fix` (taken from a conversation), `reflection`, `item` */
  kind: string;
  content: string;
  tags?: Array<string>;
  /** `project` or `me`: told in every project */
  for: string;
  /** The colleague it comes from, where it is not one's own */
  author?: string | null;
  /** `team` where it is shared */
  visibility?: string | null;
  /** Memories of other people that say the contrary */
  contradicts?: Array<RecallReplyMemoriesItemContradictsItem>;
  /** From 0 to 1; falls while it is neither stated nor recalled */
  confidence?: number | null;
  /** Messages, summaries and facts that it was taken from */
  sources?: Array<string>;
  conversation_id?: string | null;
  depth: number;
  created_at: string;
  last_seen_at: string;
  archived_at?: string | null;
  superseded_by?: string | null;
  /** Where it is about another project than this one */
  project_id?: string | null;
  /** What the caller said about it besides, one for each time */
  metadata?: Array<any>;
}

export interface RecallReplyAnswer {
  /** By the model; absent where none is configured or none wrote what the messages support */
  text?: string | null;
  model?: string | null;
  /** Messages that it rests on */
  cited: Array<string>;
  /** Summaries that were expanded to them */
  summaries: Array<string>;
  /** Tokens of messages that were read */
  source_tokens: number;
  /** Whether the text was cut, or matches were left out */
  truncated: boolean;
}

export interface RecallReplyRulesItem {
  message_id: string;
  text: string;
  source: string;
}

export interface RecallReplyThreadStepsItem {
  message_id: string;
  seq: number;
  role: string;
  /** Its beginning */
  text: string;
}

export interface RecallReplyThread {
  conversation: string;
  /** The summary that covers most of it */
  summary_id?: string | null;
  digest?: string | null;
  /** In the order they were said */
  steps: Array<RecallReplyThreadStepsItem>;
}

export interface RecallReply {
  /** Best first */
  results: Array<RecallReplyResultsItem>;
  /** What is remembered about it, best first */
  memories: Array<RecallReplyMemoriesItem>;
  /** What was written, where that was asked for */
  answer?: RecallReplyAnswer | null;
  /** Tokens of all results */
  tokens: number;
  /** How many more messages matched */
  omitted: number;
  /** Matches that say word for word what a better one says, left out */
  repeated?: number;
  /** Matches that answer nothing, left out: they only ask, or only say what comes next */
  unanswering?: number;
  /** What did not run, or that nothing matched and these are the newest messages, or are only near in meaning */
  degraded: Array<string>;
  /** Standing rules that concern the question and are no results themselves */
  rules?: Array<RecallReplyRulesItem>;
  /** For a question for a list, an order, a summary or what is next: the course of a conversation */
  thread?: RecallReplyThread | null;
}

export interface GrepReplyMatchesItem {
  /** Of an artifact: the bytes around the match, as `describe` takes them */
  id: string;
  /** `message`, `summary` or `artifact` */
  type: string;
  conversation_id: string;
  snippet: string;
  /** When it happened, in its source's words; of a summary or an artifact, the first of its messages */
  at: string | null;
  /** Of a summary: `leaf` or `condensed` */
  kind?: string | null;
  /** Of a summary: how many levels it stands above messages */
  depth?: number | null;
  /** The message of another conversation that it repeats: an agent that forks or resumes a session writes its history again */
  repeated?: string | null;
}

export interface GrepReply {
  /** Messages, newest first by when they happened, then summaries, then artifacts */
  matches: Array<GrepReplyMatchesItem>;
  /** How many there are, from the cursor on */
  total: number;
  /** Where to continue, when there is more */
  cursor?: string | null;
  /** False when time ran out: then there may be more than `total` says */
  complete: boolean;
  /** What could not be looked through, and why */
  degraded?: Array<string>;
  /** Conversations of other projects or of none, not looked through, where nothing was found */
  elsewhere?: number | null;
}

export interface DecisionsReplyDecisionsItem {
  id: string;
  title: string;
  /** The sentence, verbatim */
  decision: string;
  reason?: string | null;
  /** What was not chosen */
  alternatives: Array<string>;
  /** Files and symbols it names */
  related: Array<string>;
  /** Ids of the messages it is taken from */
  messages: Array<string>;
  /** `proposed`, `in force`, `superseded by ID`, `superseded` or `withdrawn` */
  status: string;
  conversation_id: string;
  at?: string | null;
}

export interface DecisionsReplySharedItemContradictsItem {
  id: string;
  /** Whether this one was said later than that one */
  newer: boolean;
}

export interface DecisionsReplySharedItem {
  id: string;
  author: string;
  /** The sentence, verbatim */
  decision: string;
  at: string;
  /** Decisions that say the contrary */
  contradicts?: Array<DecisionsReplySharedItemContradictsItem>;
}

export interface DecisionsReply {
  /** Newest first; best first where a topic was given */
  decisions: Array<DecisionsReplyDecisionsItem>;
  /** What colleagues share, newest first: neither side ends the other */
  shared?: Array<DecisionsReplySharedItem>;
  /** How many more there are */
  omitted: number;
  /** Conversations of other projects or of none, not looked through */
  elsewhere?: number | null;
  /** What could not be read, and why */
  degraded?: Array<string>;
}

export interface SessionReplySessionsItem {
  conversation_id: string;
  /** Its number in this store; `#12` names it wherever a conversation is named */
  number: number;
  name: string;
  /** What its source calls it, or the first sentence of a person in it */
  title?: string | null;
  /** `active`, `summarized` or `archived` */
  state: string;
  messages: number;
  tokens: number;
  /** Summaries that stand for stretches of it */
  summaries: number;
  /** When its first message happened */
  first_at: string;
  /** When its newest message happened */
  at: string;
  /** The first words of a person in it */
  opening?: string | null;
  /** Topics, decisions, open questions and context of the whole */
  summary?: string | null;
  /** `extractive`, `fallback` or `model` */
  method?: string | null;
}

export interface SessionReply {
  /** Newest first, as they stand now */
  sessions: Array<SessionReplySessionsItem>;
  /** How many more there are */
  omitted: number;
  /** What did not run */
  degraded?: Array<string>;
}

export interface CompactReplyRunsItemFoldedItem {
  summary_id: string;
  /** `leaf` or `condensed` */
  kind: string;
  depth: number;
  first_seq: number;
  last_seq: number;
  tokens: number;
  /** Tokens of what it took the place of */
  instead_of: number;
  /** `extractive`, `fallback` or `model` */
  method: string;
  model?: string | null;
  /** Facts of what it covers that it still names */
  facts_kept: number;
  facts: number;
}

export interface CompactReplyRunsItemLeftAloneItem {
  first_seq: number;
  last_seq: number;
  why: string;
}

export interface CompactReplyRunsItemDegradedItem {
  reason: string;
  /** What to do about it */
  fix?: string | null;
}

export interface CompactReplyRunsItemPrice {
  model: string;
  calls: number;
  tokens_in: number;
  tokens_out: number;
  dollars?: number | null;
}

export interface CompactReplyRunsItem {
  conversation_id: string;
  name: string;
  /** What its source calls it */
  title?: string | null;
  tokens_before: number;
  tokens_after: number;
  /** How many summaries were made */
  summaries: number;
  folded: Array<CompactReplyRunsItemFoldedItem>;
  /** Stretches that could not be made shorter */
  left_alone?: Array<CompactReplyRunsItemLeftAloneItem>;
  /** Why it ended before it was done */
  stopped?: string | null;
  /** Models that were asked and gave nothing usable */
  degraded?: Array<CompactReplyRunsItemDegradedItem>;
  /** What a model would cost, of a dry run */
  price?: CompactReplyRunsItemPrice | null;
}

export interface CompactReply {
  runs: Array<CompactReplyRunsItem>;
  /** Conversations in which there was nothing to fold */
  unchanged?: number;
  /** Nothing was written */
  dry_run?: boolean;
}

export interface AssembleReplyItemsItem {
  /** `message`, `thread`, `summary`, `facts` or `gap` */
  type: string;
  id: string;
  role: string;
  text: string;
  tokens: number;
}

export interface AssembleReplyOmittedItem {
  first_seq: number;
  last_seq: number;
  /** The summary that expands to them */
  summary_id?: string | null;
}

export interface AssembleReply {
  /** In the order in which a model reads them */
  items: Array<AssembleReplyItemsItem>;
  tokens: number;
  /** What did not fit */
  omitted?: Array<AssembleReplyOmittedItem>;
  /** Instructions, in the shape of the Anthropic API */
  system?: string | null;
  /** The items as the vendor's messages */
  messages?: Array<any> | null;
}

export interface DescribeReplyBytes {
  start: number;
  /** One past the last */
  end: number;
  /** How many the artifact has */
  of: number;
  media_type: string;
  /** Blake3 hash of the whole */
  hash: string;
  /** What is in it, in brief */
  about: string;
  /** Messages that mention it */
  mentioned_by: Array<string>;
  /** Where they are kept, compressed */
  stored_at: string;
  /** The bytes, where they are no text */
  base64?: string | null;
  /** What to describe next to read on */
  continue_with?: string | null;
}

export interface DescribeReplySummary {
  summary_id: string;
  /** `leaf` or `condensed` */
  kind: string;
  depth: number;
  first_seq: number;
  last_seq: number;
  tokens: number;
  /** Tokens of the messages it stands for */
  source_tokens: number;
  from?: string | null;
  until?: string | null;
  /** `extractive`, `fallback` (a model gave nothing usable; can be redone) or `model` */
  method: string;
  model?: string | null;
  prompt?: string | null;
  /** Why the context was folded */
  trigger: string;
  facts_kept: number;
  facts: number;
}

export interface DescribeReplyCoversItem {
  summary_id: string;
  /** `leaf` or `condensed` */
  kind: string;
  depth: number;
  first_seq: number;
  last_seq: number;
  tokens: number;
  /** Tokens of the messages it stands for */
  source_tokens: number;
  from?: string | null;
  until?: string | null;
  /** `extractive`, `fallback` (a model gave nothing usable; can be redone) or `model` */
  method: string;
  model?: string | null;
  prompt?: string | null;
  /** Why the context was folded */
  trigger: string;
  facts_kept: number;
  facts: number;
}

export interface DescribeReplyArtifactsItem {
  id: string;
  name?: string | null;
  media_type: string;
  bytes: number;
}

export interface DescribeReplyPartsItem {
  /** `text`, `reasoning`, `tool`, …, `compaction` */
  kind: string;
  tool?: string | null;
  call_id?: string | null;
  bytes: number;
  /** The summary that took the place of this message and those before it */
  summary_id?: string | null;
  /** Whether the context was folded by itself */
  auto?: boolean | null;
  /** Whether its source kept it from the model */
  is_ignored?: boolean | null;
  /** Whether a program wrote it in the place of a person or a model */
  is_synthetic?: boolean | null;
  /** What else its source said about it */
  metadata?: any;
}

export interface DescribeReplyFactsItem {
  fact_id: string;
  /** `rule`, `task`, `correction`, `decision`, `file`, `command`, `failure`, `test` or `todo` */
  kind: string;
  subject: string;
  state: string;
  exit_code?: number | null;
  /** What a failure or test was seen with */
  seen_with?: string | null;
  /** Files changed and commands run before it ended, or the fact that replaced it */
  ended_by?: string | null;
  /** Whether agents are told it */
  told: boolean;
  times: number;
  first_seq: number;
  last_seq: number;
  /** Messages it is taken from: the first and the newest */
  sources: Array<string>;
}

export interface DescribeReplyFact {
  fact_id: string;
  /** `rule`, `task`, `correction`, `decision`, `file`, `command`, `failure`, `test` or `todo` */
  kind: string;
  subject: string;
  state: string;
  exit_code?: number | null;
  /** What a failure or test was seen with */
  seen_with?: string | null;
  /** Files changed and commands run before it ended, or the fact that replaced it */
  ended_by?: string | null;
  /** Whether agents are told it */
  told: boolean;
  times: number;
  first_seq: number;
  last_seq: number;
  /** Messages it is taken from: the first and the newest */
  sources: Array<string>;
}

export interface DescribeReplyMemoryContradictsItem {
  id: string;
  /** Whether this one was said later than that one */
  newer: boolean;
}

export interface DescribeReplyMemory {
  memory_id: string;
  /** `note` (asked for), `rule`, `decision` or `fix` (taken from a conversation), `reflection`, `item` */
  kind: string;
  content: string;
  tags?: Array<string>;
  /** `project` or `me`: told in every project */
  for: string;
  /** The colleague it comes from, where it is not one's own */
  author?: string | null;
  /** `team` where it is shared */
  visibility?: string | null;
  /** Memories of other people that say the contrary */
  contradicts?: Array<DescribeReplyMemoryContradictsItem>;
  /** From 0 to 1; falls while it is neither stated nor recalled */
  confidence?: number | null;
  /** Messages, summaries and facts that it was taken from */
  sources?: Array<string>;
  conversation_id?: string | null;
  depth: number;
  created_at: string;
  last_seen_at: string;
  archived_at?: string | null;
  superseded_by?: string | null;
  /** Where it is about another project than this one */
  project_id?: string | null;
  /** What the caller said about it besides, one for each time */
  metadata?: Array<any>;
}

export interface DescribeReplyFoldsItem {
  summary_id: string;
  depth: number;
  first_seq: number;
  last_seq: number;
  tokens: number;
  /** Tokens of the messages it stands for */
  source_tokens: number;
}

export interface DescribeReply {
  /** `summary`, `message`, `fact`, `memory`, `artifact` or `conversation` */
  type: string;
  id: string;
  /** Whose it is; an artifact may belong to several */
  conversation_id?: string;
  name?: string | null;
  /** What lists call a conversation */
  title?: string | null;
  seq?: number | null;
  role?: string | null;
  at?: string | null;
  /** When a summary was made */
  created?: string | null;
  tokens?: number | null;
  /** Text of a summary or message, or of the bytes of an artifact */
  content?: string | null;
  /** Which bytes of an artifact these are, and how many it has */
  bytes?: DescribeReplyBytes | null;
  summary?: DescribeReplySummary | null;
  /** Whether a summary is part of the active context */
  active?: boolean | null;
  /** The summary that was made anew for it */
  redone?: string | null;
  /** Summaries below it, in order */
  covers?: Array<DescribeReplyCoversItem>;
  /** How many summaries stand below it, over all levels */
  descendants?: number | null;
  /** Messages that a leaf was made from */
  message_ids?: Array<string>;
  /** Artifacts that its messages mention */
  artifacts?: Array<DescribeReplyArtifactsItem>;
  /** Summaries above it, the lowest first */
  covered_by?: Array<string>;
  /** Parts of a message, in order, and where the context was folded behind it */
  parts?: Array<DescribeReplyPartsItem>;
  facts?: Array<DescribeReplyFactsItem>;
  fact?: DescribeReplyFact | null;
  memory?: DescribeReplyMemory | null;
  /** Messages of a conversation */
  messages?: number | null;
  /** Messages that stand for themselves in its context */
  active_messages?: number | null;
  /** Tokens of its context */
  context_tokens?: number | null;
  /** Summaries in its context, in order */
  summaries?: Array<string>;
  /** What each of them stands for */
  folds?: Array<DescribeReplyFoldsItem>;
}

export interface ExpandReplyItemsItem {
  /** `summary` or `message` */
  type: string;
  id: string;
  role?: string | null;
  text: string;
  tokens: number;
  first_seq: number;
  last_seq: number;
  /** When it happened, in its source's words */
  at?: string | null;
  /** Where a piece of a long text begins, in bytes */
  start?: number | null;
  /** How many bytes all of it has */
  total?: number | null;
}

export interface ExpandReply {
  /** In order */
  items: Array<ExpandReplyItemsItem>;
  /** Tokens of the items as they are written, headings included */
  tokens: number;
  /** Whether there is more */
  truncated: boolean;
  /** The id to expand for the rest */
  continue_with: string | null;
}

export interface GrantReply {
  /** What to bring when expanding */
  grant: string;
  issuer: string;
  conversations: Array<string>;
  /** None: all summaries of its conversations */
  summaries: Array<string>;
  max_depth: number;
  tokens: number;
  tokens_used: number;
  /** Milliseconds since 1970 */
  expires_at: number;
  revoked: boolean;
}

export interface RememberReplyMemoryContradictsItem {
  id: string;
  /** Whether this one was said later than that one */
  newer: boolean;
}

export interface RememberReplyMemory {
  memory_id: string;
  /** `note` (asked for), `rule`, `decision` or `fix` (taken from a conversation), `reflection`, `item` */
  kind: string;
  content: string;
  tags?: Array<string>;
  /** `project` or `me`: told in every project */
  for: string;
  /** The colleague it comes from, where it is not one's own */
  author?: string | null;
  /** `team` where it is shared */
  visibility?: string | null;
  /** Memories of other people that say the contrary */
  contradicts?: Array<RememberReplyMemoryContradictsItem>;
  /** From 0 to 1; falls while it is neither stated nor recalled */
  confidence?: number | null;
  /** Messages, summaries and facts that it was taken from */
  sources?: Array<string>;
  conversation_id?: string | null;
  depth: number;
  created_at: string;
  last_seen_at: string;
  archived_at?: string | null;
  superseded_by?: string | null;
  /** Where it is about another project than this one */
  project_id?: string | null;
  /** What the caller said about it besides, one for each time */
  metadata?: Array<any>;
}

export interface RememberReply {
  /** It is durable */
  stored: boolean;
  memory_id: string;
  /** `new`, or `restated` where the same was known */
  outcome: string;
  memory: RememberReplyMemory;
  /** Memories in whose place it counts; they are put aside */
  replaced?: Array<string>;
  /** The rules by which secrets were replaced before it was stored, one for each secret */
  secrets?: Array<string>;
}

export interface MemoriesReplyMemoriesItemContradictsItem {
  id: string;
  /** Whether this one was said later than that one */
  newer: boolean;
}

export interface MemoriesReplyMemoriesItem {
  memory_id: string;
  /** `note` (asked for), `rule`, `decision` or `fix` (taken from a conversation), `reflection`, `item` */
  kind: string;
  content: string;
  tags?: Array<string>;
  /** `project` or `me`: told in every project */
  for: string;
  /** The colleague it comes from, where it is not one's own */
  author?: string | null;
  /** `team` where it is shared */
  visibility?: string | null;
  /** Memories of other people that say the contrary */
  contradicts?: Array<MemoriesReplyMemoriesItemContradictsItem>;
  /** From 0 to 1; falls while it is neither stated nor recalled */
  confidence?: number | null;
  /** Messages, summaries and facts that it was taken from */
  sources?: Array<string>;
  conversation_id?: string | null;
  depth: number;
  created_at: string;
  last_seen_at: string;
  archived_at?: string | null;
  superseded_by?: string | null;
  /** Where it is about another project than this one */
  project_id?: string | null;
  /** What the caller said about it besides, one for each time */
  metadata?: Array<any>;
}

export interface MemoriesReply {
  /** The one that was stated or recalled last first; of `forget`, the one that was put aside */
  memories: Array<MemoriesReplyMemoriesItem>;
  /** How many more fit */
  omitted?: number;
  /** How many more were put aside */
  put_aside?: number;
  /** Memories whose words are not those they were stored with: they are not shown */
  damaged?: Array<string>;
  /** The memory that was put aside */
  forgotten?: string | null;
}

export interface PromoteReplyMemoriesItem {
  memory_id: string;
  /** `rule`, `decision` or `fix` */
  kind: string;
  content: string;
  /** Whether it was known, and is noted as said again */
  known: boolean;
  /** The conversation it was taken from */
  conversation: string;
}

export interface PromoteReply {
  /** Conversations whose facts were looked at */
  processed: number;
  /** Facts that became memories, or that a memory was stated by again */
  promoted: number;
  /** Memories that were put aside: what they say was taken back or replaced */
  ended: Array<string>;
  /** Conversations that belong to no project, of which nothing is promoted */
  without_project?: number;
  /** Conversations that could not be read */
  damaged?: Array<string>;
  /** What was promoted, where it is asked for */
  memories?: Array<PromoteReplyMemoriesItem>;
  /** Nothing was written */
  dry_run?: boolean;
}

export interface ReflectionReplyReflectionsItem {
  id: string;
  session_id?: string | null;
  content: string;
  /** `success`, `failure`, `partial` or `unknown` */
  outcome: string;
  context: string;
  /** The colleague it comes from, where it is not one's own */
  author?: string | null;
  /** From 0 to 1 */
  confidence: number;
  tags: Array<string>;
  /** How often it was found */
  access_count: number;
  created_at: string;
  /** Of `find`: how near it is, from 0 to 1 */
  relevance?: number | null;
}

export interface ReflectionReplySummaryTopTagsItem {
  tag: string;
  count: number;
}

export interface ReflectionReplySummary {
  total: number;
  by_outcome: Record<string, number>;
  top_tags: Array<ReflectionReplySummaryTopTagsItem>;
  average_confidence?: number | null;
}

export interface ReflectionReply {
  reflections: Array<ReflectionReplyReflectionsItem>;
  /** How many more there are */
  omitted?: number;
  /** Of `add`: `new`, or `restated` where the lesson was known */
  outcome?: string | null;
  summary?: ReflectionReplySummary | null;
  /** The rules by which secrets were replaced before it was stored */
  secrets?: Array<string>;
}

export interface TierReplyItemsItem {
  id: string;
  session_id?: string | null;
  content: string;
  type: string;
  tier: string | null;
  /** From 0 to 1; of `recall` how near it is to the question */
  relevance_score: number;
  access_count: number;
  last_accessed_at?: string | null;
  token_count: number;
}

export interface TierReplyHot {
  items: number;
  tokens: number;
}

export interface TierReplyWarm {
  items: number;
  tokens: number;
}

export interface TierReplyCold {
  items: number;
  tokens: number;
}

export interface TierReply {
  items: Array<TierReplyItemsItem>;
  /** How many more there are */
  omitted?: number;
  spilled_count: number;
  spilled_ids: Array<string>;
  target_tier?: string | null;
  /** What became hot */
  promoted: Array<string>;
  hot: TierReplyHot;
  warm: TierReplyWarm;
  cold: TierReplyCold;
  /** The rules by which secrets were replaced before it was stored */
  secrets?: Array<string>;
}

export interface CheckpointReplyCheckpointsItemDetails {
  description?: string | null;
  /** `auto`, `manual` or `error` */
  trigger_type: string;
  duration_ms: number;
  token_usage?: number | null;
}

export interface CheckpointReplyCheckpointsItem {
  id: string;
  session_id: string;
  project_id: string;
  step_number: number;
  created_at: string;
  /** As it was given; not in lists */
  state?: any;
  details: CheckpointReplyCheckpointsItemDetails;
}

export interface CheckpointReply {
  checkpoints: Array<CheckpointReplyCheckpointsItem>;
  /** How many more there are */
  omitted?: number;
  /** Older ones that are listed no more */
  dropped?: Array<string>;
  /** The rules by which secrets were replaced before it was stored */
  secrets?: Array<string>;
}

export interface SubscriptionReplySubscriptionsItemPattern {
  type: string;
  value: string;
  scope?: string | null;
}

export interface SubscriptionReplySubscriptionsItem {
  id: string;
  /** None for every session of the project */
  session_id?: string | null;
  pattern: SubscriptionReplySubscriptionsItemPattern;
  trigger_type: string;
  /** Of a schedule, the seconds between one suggestion and the next */
  every_s?: number | null;
  min_relevance: number;
  /** `active`, `paused` or `completed` */
  status: string;
  created_at: string;
}

export interface SubscriptionReply {
  subscriptions: Array<SubscriptionReplySubscriptionsItem>;
  /** The rules by which secrets were replaced before it was stored */
  secrets?: Array<string>;
}

export interface SuggestionReplySuggestionsItemItemsItem {
  /** `changed`, `removed`, `mentioned`, `near`, `caller` or `test` */
  kind: string;
  /** A path, or the id of a symbol */
  place: string;
}

export interface SuggestionReplySuggestionsItem {
  id: string;
  subscription_id: string;
  session_id?: string | null;
  /** From 0 to 1 */
  relevance_score: number;
  title: string;
  items: Array<SuggestionReplySuggestionsItemItemsItem>;
  /** `pending`, `delivered`, `acted` or `dismissed` */
  status: string;
  created_at: string;
}

export interface SuggestionReply {
  suggestions: Array<SuggestionReplySuggestionsItem>;
  /** How many more there are */
  omitted?: number;
}

export interface TeamReplyItemsItemContradictsItem {
  id: string;
  /** Whether this one was said later than that one */
  newer: boolean;
}

export interface TeamReplyItemsItem {
  id: string;
  kind: string;
  content: string;
  author?: string | null;
  /** `own`, `told`, or `not told`: you did not subscribe to its author */
  standing: string;
  visibility: string;
  shared_at?: string | null;
  said_at: string;
  /** None where it is for every project */
  project_id?: string | null;
  /** Decision, messages and summaries it was taken from */
  sources?: Array<string>;
  conversation_id?: string | null;
  /** Memories of other people that say the contrary */
  contradicts?: Array<TeamReplyItemsItemContradictsItem>;
}

export interface TeamReply {
  /** Shared last first */
  items: Array<TeamReplyItemsItem>;
  /** How many more there are */
  omitted: number;
}

export interface KnowledgeReplyWrittenItem {
  path: string;
  id: string;
  /** `written`, `unchanged`, or `stale`: shared no longer, and not deleted */
  standing: string;
}

export interface KnowledgeReplyFilesItem {
  path: string;
  /** `new`, `changed`, `accepted`, `own` or `unreadable` */
  standing: string;
  hash: string;
  id?: string | null;
  kind?: string | null;
  author: string;
  date?: string | null;
  content: string;
  /** Whether somebody changed it by hand since it was written */
  edited: boolean;
  /** The memory that was accepted from it */
  memory_id?: string | null;
  /** Why it cannot be read */
  reason?: string | null;
}

export interface KnowledgeReply {
  /** Of `export`: a file for each item that is shared */
  written?: Array<KnowledgeReplyWrittenItem>;
  /** Of `import`: text of other people, no memory unless it is accepted */
  files?: Array<KnowledgeReplyFilesItem>;
  /** Memories that were made of files just now */
  accepted?: Array<string>;
  /** Files that were not looked at, because there are too many */
  omitted: number;
  /** The rules by which secrets were replaced */
  secrets?: Array<string>;
}

export interface EntityReplyEntitiesItem {
  id: string;
  type: string;
  name: string;
  qualified_name?: string | null;
  /** What it says, or what is known of it; of a symbol its signature */
  content?: string | null;
  /** The same in short; of a symbol its documentation */
  summary?: string | null;
  /** What else is known: of a symbol `async`, `exported`, `return_type`, `bases`; of a file its exports and imports */
  metadata?: any;
  file_path?: string | null;
  start_line?: number | null;
  end_line?: number | null;
  /** The digest of its text */
  hash?: string | null;
  created_at?: string | null;
  updated_at?: string | null;
}

export interface EntityReplyEntity {
  id: string;
  type: string;
  name: string;
  qualified_name?: string | null;
  /** What it says, or what is known of it; of a symbol its signature */
  content?: string | null;
  /** The same in short; of a symbol its documentation */
  summary?: string | null;
  /** What else is known: of a symbol `async`, `exported`, `return_type`, `bases`; of a file its exports and imports */
  metadata?: any;
  file_path?: string | null;
  start_line?: number | null;
  end_line?: number | null;
  /** The digest of its text */
  hash?: string | null;
  created_at?: string | null;
  updated_at?: string | null;
}

export interface EntityReplyRelationsItemEntity {
  id: string;
  /** `concept`, `function`, `requirement`, `message`, …, or `gone` where it leads nowhere any more */
  type: string;
  name: string;
  path?: string | null;
  start_line?: number | null;
  end_line?: number | null;
}

export interface EntityReplyRelationsItem {
  source_id: string;
  target_id: string;
  relationship: string;
  weight: number;
  /** The link that somebody made, if somebody did */
  link_id?: string | null;
  distance: number;
  /** Its farther end */
  entity: EntityReplyRelationsItemEntity;
}

export interface EntityReplyLink {
  id: string;
  source_id: string;
  target_id: string;
  relationship: string;
  weight: number;
  metadata?: any;
  created_at: string;
}

export interface EntityReply {
  /** Of `list` */
  entities?: Array<EntityReplyEntitiesItem> | null;
  /** Of `add`, `show` and `remove` */
  entity?: EntityReplyEntity | null;
  /** Of `show`: nearest first */
  relations?: Array<EntityReplyRelationsItem> | null;
  /** Of `link` and `remove` */
  link?: EntityReplyLink | null;
  /** `new`, `known`, `removed`, or `removed` with a number of links */
  outcome?: string | null;
  /** How many more are in the list */
  omitted?: number;
  cursor?: string | null;
  /** The rules by which secrets were replaced, one for each secret */
  secrets?: Array<string>;
}

export interface WindowReplyFilesItemSeenItem {
  start_line: number;
  end_line: number;
}

export interface WindowReplyFilesItemChangedItem {
  start_line: number;
  end_line: number;
}

export interface WindowReplyFilesItem {
  path: string;
  /** How many lines the file has now */
  lines: number;
  /** Lines that are in it as they are now */
  seen: Array<WindowReplyFilesItemSeenItem>;
  /** Lines in whose place it has other ones */
  changed: Array<WindowReplyFilesItemChangedItem>;
}

export interface WindowReply {
  /** Whose context it is; none where no session shows one */
  session?: string | null;
  /** Results of tools that are in it */
  results: number;
  tokens: number;
  /** Files that lines of are in it, by path */
  files: Array<WindowReplyFilesItem>;
}

export interface ValueReplyTotalsItem {
  /** Empty for what has none */
  key: string;
  /** Calls, and calls to models */
  entries: number;
  /** When the first and the last call were */
  first?: string | null;
  last?: string | null;
  /** Dispatches of operations */
  calls: number;
  /** Of our texts, to readers */
  bytes_shown: number;
  tokens_shown: number;
  /** Net, measured */
  bytes_avoided: number;
  /** Tokens a reader did not have to read, net, measured; below 0 where it read more */
  tokens_avoided: number;
  /** The price of the tokens avoided */
  dollars_avoided: number;
  /** By formulas, besides what is measured */
  estimated_bytes_avoided: number;
  estimated_tokens_avoided: number;
  /** Into models that Epitome asked */
  tokens_in: number;
  /** Out of them */
  tokens_out: number;
  cache_read: number;
  cache_write: number;
  /** What they cost */
  dollars: number;
}

export interface ValueReplyTotal {
  /** Dispatches of operations */
  calls: number;
  /** Of our texts, to readers */
  bytes_shown: number;
  tokens_shown: number;
  /** Net, measured */
  bytes_avoided: number;
  /** Tokens a reader did not have to read, net, measured; below 0 where it read more */
  tokens_avoided: number;
  /** The price of the tokens avoided */
  dollars_avoided: number;
  /** By formulas, besides what is measured */
  estimated_bytes_avoided: number;
  estimated_tokens_avoided: number;
  /** Into models that Epitome asked */
  tokens_in: number;
  /** Out of them */
  tokens_out: number;
  cache_read: number;
  cache_write: number;
  /** What they cost */
  dollars: number;
}

export interface ValueReplyBefore {
  /** Dispatches of operations */
  calls: number;
  /** Of our texts, to readers */
  bytes_shown: number;
  tokens_shown: number;
  /** Net, measured */
  bytes_avoided: number;
  /** Tokens a reader did not have to read, net, measured; below 0 where it read more */
  tokens_avoided: number;
  /** The price of the tokens avoided */
  dollars_avoided: number;
  /** By formulas, besides what is measured */
  estimated_bytes_avoided: number;
  estimated_tokens_avoided: number;
  /** Into models that Epitome asked */
  tokens_in: number;
  /** Out of them */
  tokens_out: number;
  cache_read: number;
  cache_write: number;
  /** What they cost */
  dollars: number;
}

export interface ValueReplyPrice {
  /** `ledger.model` */
  model: string;
  /** Of tokens that it reads; absent where its price is not known */
  dollars_per_million?: number | null;
}

export interface ValueReplyEntriesItem {
  /** Rises with every call */
  id: number;
  at: string;
  /** `cli`, `mcp`, `http` or `hook` */
  door: string;
  session?: string | null;
  project?: string | null;
  /** As the client names itself */
  agent?: string | null;
  /** The name that was called */
  tool: string;
  operation: string;
  /** How the file was shown */
  mode?: string | null;
  /** The path or symbol that was asked for */
  path?: string | null;
  language?: string | null;
  /** `S`, `M`, `L` or `XL` */
  size_bucket?: string | null;
  /** What counted it: `value --formulas` explains each */
  formula: string;
  /** `measured`, or `estimated` by the formula */
  certainty: string;
  bytes_raw: number;
  bytes_shown: number;
  /** Below 0 where the reader read more for our sake */
  bytes_avoided: number;
  tokens_raw: number;
  tokens_shown: number;
  tokens_avoided: number;
  dollars_avoided: number;
  elapsed_ms: number;
  /** Which call of its session it is */
  turn: number;
  query?: string | null;
  /** What the question was taken to ask for */
  intent?: string | null;
  strategy?: string | null;
  /** `retrieve` or `skip` */
  gate?: string | null;
  /** How many results the reply had */
  results?: number | null;
  /** How many of the places listed were read afterwards */
  used?: number | null;
}

export interface ValueReplyModelCallsItem {
  at: string;
  operation: string;
  project?: string | null;
  session?: string | null;
  model?: string | null;
  /** `reported` by a vendor, `estimated` or `expired`: as reserved; `corrected`; `counted` by us */
  basis: string;
  tokens_in: number;
  tokens_out: number;
  cache_read: number;
  cache_write: number;
  dollars: number;
}

export interface ValueReplyRoiAgentsItem {
  /** Empty for what has none */
  key: string;
  /** Calls, and calls to models */
  entries: number;
  /** When the first and the last call were */
  first?: string | null;
  last?: string | null;
  /** Dispatches of operations */
  calls: number;
  /** Of our texts, to readers */
  bytes_shown: number;
  tokens_shown: number;
  /** Net, measured */
  bytes_avoided: number;
  /** Tokens a reader did not have to read, net, measured; below 0 where it read more */
  tokens_avoided: number;
  /** The price of the tokens avoided */
  dollars_avoided: number;
  /** By formulas, besides what is measured */
  estimated_bytes_avoided: number;
  estimated_tokens_avoided: number;
  /** Into models that Epitome asked */
  tokens_in: number;
  /** Out of them */
  tokens_out: number;
  cache_read: number;
  cache_write: number;
  /** What they cost */
  dollars: number;
}

export interface ValueReplyRoiProjectsItem {
  /** Empty for what has none */
  key: string;
  /** Calls, and calls to models */
  entries: number;
  /** When the first and the last call were */
  first?: string | null;
  last?: string | null;
  /** Dispatches of operations */
  calls: number;
  /** Of our texts, to readers */
  bytes_shown: number;
  tokens_shown: number;
  /** Net, measured */
  bytes_avoided: number;
  /** Tokens a reader did not have to read, net, measured; below 0 where it read more */
  tokens_avoided: number;
  /** The price of the tokens avoided */
  dollars_avoided: number;
  /** By formulas, besides what is measured */
  estimated_bytes_avoided: number;
  estimated_tokens_avoided: number;
  /** Into models that Epitome asked */
  tokens_in: number;
  /** Out of them */
  tokens_out: number;
  cache_read: number;
  cache_write: number;
  /** What they cost */
  dollars: number;
}

export interface ValueReplyRoi {
  agents: Array<ValueReplyRoiAgentsItem>;
  projects: Array<ValueReplyRoiProjectsItem>;
  /** Measured, before anything is taken off */
  spared_tokens: number;
  schema_tokens: number;
  injected_tokens: number;
  reread_tokens: number;
  net_tokens: number;
  dollars_avoided: number;
  /** What models cost */
  dollars_spent: number;
  net_dollars: number;
}

export interface ValueReplyFormulasItem {
  name: string;
  /** What it is for */
  calls: string;
  formula: string;
  certainty: string;
}

export interface ValueReplySpendLimitsCall {
  tokens: number;
  dollars: number;
}

export interface ValueReplySpendLimitsSession {
  tokens: number;
  dollars: number;
}

export interface ValueReplySpendLimitsDay {
  tokens: number;
  dollars: number;
}

export interface ValueReplySpendLimits {
  call: ValueReplySpendLimitsCall;
  session: ValueReplySpendLimitsSession;
  day: ValueReplySpendLimitsDay;
  concurrent: number;
}

export interface ValueReplySpendSpent {
  tokens: number;
  dollars: number;
}

export interface ValueReplySpendReserved {
  tokens: number;
  dollars: number;
}

export interface ValueReplySpendRemaining {
  tokens: number;
  dollars: number;
}

export interface ValueReplySpendSpentSession {
  tokens: number;
  dollars: number;
}

export interface ValueReplySpendReservedSession {
  tokens: number;
  dollars: number;
}

export interface ValueReplySpendProvidersItemPrice {
  input: number;
  output: number;
}

export interface ValueReplySpendProvidersItemSpent {
  tokens: number;
  dollars: number;
}

export interface ValueReplySpendProvidersItem {
  /** `vendor/model` */
  model: string;
  /** Dollars per million tokens in and out; absent where nobody knows, and then it is not asked */
  price?: ValueReplySpendProvidersItemPrice | null;
  /** Ever */
  spent: ValueReplySpendProvidersItemSpent;
}

export interface ValueReplySpend {
  /** Whether models may be called at all: `epitome value --stop` and `--resume` */
  stopped: boolean;
  /** Since when not */
  stopped_since?: string | null;
  /** Whether models may be called without somebody asking for it */
  background: boolean;
  /** The day that counts, by UTC; ahead of today where a clock once was */
  day: string;
  limits: ValueReplySpendLimits;
  /** On that day */
  spent: ValueReplySpendSpent;
  /** On that day, by calls on their way */
  reserved: ValueReplySpendReserved;
  /** Of that day */
  remaining: ValueReplySpendRemaining;
  /** By the session of this process */
  spent_session: ValueReplySpendSpentSession;
  /** By calls of this session on their way */
  reserved_session: ValueReplySpendReservedSession;
  /** Calls on their way */
  in_flight: number;
  /** In the order in which they are asked */
  providers: Array<ValueReplySpendProvidersItem>;
  /** When the built-in prices were looked up */
  prices_seen: string;
}

export interface ValueReplyCompactions {
  times: number;
  /** Facts that the agent's own summary had */
  kept: number;
  /** Facts that it did not have */
  lost: number;
  /** Facts among those that the session was told again */
  restored: number;
}

export interface ValueReplyWindowEntriesItem {
  /** As the agent names it */
  tool: string;
  /** What it was asked for, where that is a place: a file, a symbol, ids of messages and summaries */
  about?: string | null;
  tokens: number;
}

export interface ValueReplyWindow {
  /** How many results */
  results: number;
  tokens: number;
  /** Oldest first */
  entries: Array<ValueReplyWindowEntriesItem>;
}

export interface ValueReply {
  /** What the totals are by */
  by: string;
  /** Of agents' calls */
  totals: Array<ValueReplyTotalsItem>;
  /** What they add up to */
  total: ValueReplyTotal;
  /** The same over the days before */
  before?: ValueReplyBefore | null;
  /** A person's own commands, which are in no sum */
  own_calls: number;
  /** What tokens are counted at */
  price: ValueReplyPrice;
  /** Calls of everybody, newest first */
  entries: Array<ValueReplyEntriesItem>;
  /** Calls to models, newest first */
  model_calls: Array<ValueReplyModelCallsItem>;
  /** What was gained, less what that cost */
  roi?: ValueReplyRoi | null;
  formulas?: Array<ValueReplyFormulasItem>;
  spend?: ValueReplySpend | null;
  /** What agents' own summaries did to what their conversations held for certain */
  compactions?: ValueReplyCompactions | null;
  /** Results of tools that are in the context of the session's model since it was last emptied */
  window?: ValueReplyWindow | null;
}

export interface ModesReplySlotsItemArmsItem {
  mode: string;
  samples: number;
  rereads: number;
  /** Mean reward, from -1 (always read again) to 1 (10 KB spared each time) */
  mean: number;
}

export interface ModesReplySlotsItem {
  /** `language/size/pattern` */
  slot: string;
  language: string;
  /** `S`, `M`, `L` or `XL` */
  size_bucket: string;
  /** `explore`, `edit`, `review` or `unknown` */
  pattern: string;
  samples: number;
  /** How often a file was read again in a wider mode */
  rereads: number;
  arms: Array<ModesReplySlotsItemArmsItem>;
  /** The mode that is taken now; absent where the table decides */
  chosen?: string | null;
  /** Whether one mode is better than all others beyond doubt */
  converged: boolean;
  /** Whether the mode with most samples is not the best one */
  suspect: boolean;
}

export interface ModesReply {
  /** Whether modes are chosen by it (`read.adaptive`) */
  adaptive: boolean;
  /** The mode that is always taken (`read.mode`) */
  default_mode?: string | null;
  /** A slot with fewer samples goes by the table of kinds and sizes */
  min_samples: number;
  /** Turns within which reading a file again, wider, counts against its mode */
  window_turns: number;
  slots: Array<ModesReplySlotsItem>;
  /** How many modes of slots were forgotten just now */
  forgotten: number;
}

export interface StatsReplySecrets {
  total: number;
  /** By the rules that are built in */
  built_in: number;
  /** By your rules */
  yours: number;
  /** By the rules of this project */
  project: number;
  /** By rules that are gone, or that another project has */
  other: number;
  /** Whether all messages were looked through in time */
  complete: boolean;
}

export interface StatsReplyDetailsItem {
  conversation_id: string;
  name: string;
  /** What its source calls it */
  title?: string | null;
  messages: number;
  raw_tokens: number;
  summaries: number;
  max_depth?: number | null;
  folded_tokens: number;
  summary_tokens: number;
  ratio?: number | null;
  facts: number;
  /** When its newest message happened */
  last_at: string;
}

export interface StatsReply {
  /** Projects that the conversations belong to */
  projects: number;
  conversations: number;
  messages: number;
  /** Tokens of all messages */
  raw_tokens: number;
  /** Conversations that were folded */
  folded_conversations: number;
  summaries: number;
  /** The greatest depth of a summary */
  max_depth?: number | null;
  /** Tokens of the messages that summaries stand for in contexts */
  folded_tokens: number;
  /** Tokens of those summaries */
  summary_tokens: number;
  /** How many tokens of messages one token of a summary stands for */
  ratio?: number | null;
  /** How much of the folded tokens is spared, of 100 */
  compressed_percent?: number | null;
  facts: number;
  /** What later sessions are told */
  memories: number;
  /** Secrets that were replaced in messages */
  secrets: StatsReplySecrets;
  /** Tokens that readers were spared, less those they read for our sake */
  net_tokens: number;
  /** Of all projects */
  artifacts: number;
  artifact_bytes: number;
  /** Work that waits, of all projects */
  jobs: number;
  details?: Array<StatsReplyDetailsItem>;
}

export interface StatusReplyEverything {
  conversations: number;
  messages: number;
  message_tokens: number;
}

export interface StatusReplyFeedback {
  /** Answers that are kept */
  answers: number;
  /** Those of which something was read afterwards */
  used: number;
  /** Places that were read */
  places: number;
}

export interface StatusReplyEmbeddingModelsItem {
  id: string;
  name: string;
  provider: string;
  /** How many numbers a vector has */
  dimensions: number;
  /** When it embedded the first text */
  created_at: string;
  /** Texts that it embedded */
  vectors: number;
}

export interface StatusReplyDaemon {
  running: boolean;
  version?: string | null;
  uptime_s?: number | null;
}

export interface StatusReply {
  project_id: string;
  /** What the project is called */
  name: string;
  root: string;
  /** When its index was last brought up to date */
  last_indexed_at?: string | null;
  /** The commit that it was compared at */
  last_sync_commit?: string | null;
  /** Commits of the checkout that it has not seen */
  commits_behind?: number | null;
  /** Whether the index is whole; a question builds it when it is not */
  index_ready: boolean;
  files: number;
  symbols: number;
  edges: number;
  /** Conversations of the project */
  conversations: number;
  /** Their messages */
  messages: number;
  message_tokens: number;
  /** Summaries that stand for stretches of them */
  summaries: number;
  summary_tokens: number;
  /** What sessions of the project are told */
  memories: number;
  /** When a message of the project was last stored */
  last_ingest?: string | null;
  /** When messages of it were last folded */
  last_compact?: string | null;
  /** When a fact of it last became a memory */
  last_promote?: string | null;
  /** What is stored of all projects */
  everything: StatusReplyEverything;
  /** Imported transcripts */
  sources: number;
  /** Lines of them in the archive, of all generations */
  lines: number;
  /** Bytes those lines had */
  archived_bytes: number;
  /** Bytes that keep them */
  stored_bytes: number;
  /** Large contents kept beside their messages */
  artifacts: number;
  artifact_bytes: number;
  /** Transcripts on this machine with more than was taken in of them */
  transcripts_behind?: number | null;
  /** Bytes of them that were not taken in, about */
  behind_bytes?: number | null;
  /** Transcripts whose lines are kept and gave no message, each with what its lines are */
  without_messages?: Array<string>;
  /** What is noted of how answers were used, where anything is */
  feedback?: StatusReplyFeedback | null;
  /** Models that embedded texts of the project */
  embedding_models?: Array<StatusReplyEmbeddingModelsItem>;
  /** The process that answers hooks; not told to callers of elsewhere */
  daemon?: StatusReplyDaemon | null;
  /** Agents that are connected on this machine; not told to callers of elsewhere */
  agents?: Array<string> | null;
  /** Who writes summaries: `built in`, or `vendor/model` in the order in which they are asked */
  summarizer: string;
  /** Which store runs */
  store: string;
}

export interface ProjectReplyProjectsItem {
  id: string;
  /** What it is called; no other has the same name */
  name: string;
  /** Where it is, or was last */
  path?: string | null;
  description?: string | null;
  /** What its own `.epitome.toml` has a say in */
  config?: Record<string, string>;
  /** Whether it is the project of the caller */
  current: boolean;
  /** `here`, `missing` (moved, deleted or on another machine), `replaced` (another project is there now) or `unknown` */
  state: string;
  /** Directories in which it was looked at, the one that was indexed last first */
  roots: Array<string>;
  /** Those of them that are gone */
  former?: Array<string>;
  /** When it was first known */
  created_at?: string | null;
  /** When something was last said of it, or it was last indexed */
  updated_at?: string | null;
  last_indexed_at?: string | null;
  /** The commit that the index was compared at */
  last_sync_commit?: string | null;
  /** Commits of the checkout that it has not seen */
  commits_behind?: number | null;
  files: number;
  symbols: number;
  edges: number;
  conversations: number;
  messages: number;
  /** Tokens of all messages */
  tokens: number;
  summaries: number;
  /** Tokens of the messages that summaries stand for in contexts */
  folded_tokens: number;
  /** Tokens of those summaries */
  summary_tokens: number;
  facts: number;
  /** When the newest message happened */
  last_at?: string | null;
}

export interface ProjectReplyTotals {
  conversations: number;
  messages: number;
  /** Tokens of all messages */
  tokens: number;
  summaries: number;
  /** Tokens of the messages that summaries stand for in contexts */
  folded_tokens: number;
  /** Tokens of those summaries */
  summary_tokens: number;
  facts: number;
  /** When the newest message happened */
  last_at?: string | null;
}

export interface ProjectReplyCrossProjectLinksItem {
  source_project: string;
  target_project: string;
  /** The project that was linked, or the manifest that names the other */
  source_entity: string;
  /** The project, or its package */
  target_entity: string;
  relationship: string;
  weight: number;
}

export interface ProjectReplySharedEntitiesItem {
  type: string;
  name: string;
  /** The other projects, by name */
  projects: Array<string>;
}

export interface ProjectReply {
  /** The one that was worked in last first */
  projects: Array<ProjectReplyProjectsItem>;
  /** Of all conversations, those of no project included */
  totals: ProjectReplyTotals;
  /** Which projects depend on which others */
  cross_project_links?: Array<ProjectReplyCrossProjectLinksItem>;
  /** Of `show`: entities that other projects name, too */
  shared_entities?: Array<ProjectReplySharedEntitiesItem>;
  /** `linked`, `unlinked` or `known` */
  outcome?: string | null;
}

export interface VerifyReplySourcesItem {
  agent: string;
  path: string;
  conversation_id: string;
  /** How often the file was written anew while we read it, and once */
  generation: number;
  lines: number;
  messages: number;
  bytes: number;
  /** Hash of all its frames */
  hash: string;
  /** Lines in which secrets were replaced */
  scrubbed: number;
  /** Lines that could not be read; their bytes are kept */
  quarantined: number;
  /** The file now, compared byte for byte: `same`, `grown`, `changed`, `gone`, or `not compared` */
  on_disk: string;
}

export interface VerifyReplyRewritesItem {
  at: string;
  /** `purged` or `forgotten` */
  reason: string;
  /** An id, or the path of a transcript */
  subject: string;
  /** Messages or frames that were changed or removed */
  items: number;
  /** The hash that stood for it before */
  before: string;
  /** The same afterwards; absent where it was removed */
  after?: string | null;
}

export interface VerifyReplyProblemsItem {
  /** An id, or `database` */
  subject: string;
  what: string;
  /** What could be done about it */
  remedy?: string | null;
}

export interface VerifyReplyRemovedItem {
  subject: string;
  reason: string;
  at: string;
  /** Messages or frames that it had */
  before?: number | null;
  /** Those of what stands in its place */
  after?: number | null;
}

export interface VerifyReplyRestoredItem {
  name: string;
  at: string;
}

export interface VerifyReplyGivenUpItem {
  /** An id, or `database` */
  subject: string;
  what: string;
  /** What could be done about it */
  remedy?: string | null;
}

export interface VerifyReplyPlanItem {
  subject: string;
  remedy: string;
  /** The command that does it; none where only a backup helps */
  command?: string | null;
}

export interface VerifyReply {
  ok: boolean;
  conversations: number;
  /** Lines of imported transcripts, of all generations */
  lines: number;
  messages: number;
  summaries: number;
  /** Messages that are missing, and lines that are missing or that nobody read */
  gaps: number;
  /** Secrets that were replaced in messages, by the rule that found them */
  secrets?: Record<string, number>;
  /** Where transcripts were imported from */
  sources: Array<VerifyReplySourcesItem>;
  artifacts: number;
  memories: number;
  /** Checkpoints, subscriptions and suggestions of sessions */
  records: number;
  /** Files among the artifacts that belong to none; left by a process that was stopped, harmless */
  stray?: Array<string>;
  /** What was changed on purpose: secrets purged, a project's data removed */
  rewrites?: Array<VerifyReplyRewritesItem>;
  problems: Array<VerifyReplyProblemsItem>;
  /** With `anchor`: the hash of the anchor, the file outside of the database that repeats what was acknowledged */
  anchor?: string | null;
  /** What to keep elsewhere, for a later `expect` */
  statement?: string | null;
  /** What was removed on purpose */
  removed?: Array<VerifyReplyRemovedItem>;
  /** Backups that were accepted */
  restored?: Array<VerifyReplyRestoredItem>;
  /** Points that the anchor lacked, because a process was stopped, and has now */
  caught_up?: number;
  /** What is given up by accepting a backup now */
  given_up?: Array<VerifyReplyGivenUpItem>;
  /** What would mend the problems; nothing is done */
  plan?: Array<VerifyReplyPlanItem> | null;
}

export interface RepairReplyProblemsItem {
  conversation_id: string;
  /** The id of a summary, a fact or a conversation */
  subject: string;
  what: string;
  remedy: string;
  mended: boolean;
}

export interface RepairReply {
  /** How many were looked at */
  conversations: number;
  problems: Array<RepairReplyProblemsItem>;
  /** Nothing was changed */
  dry_run?: boolean;
}

export interface IndexParams {
  /** Forget the index and build it anew */
  rebuild?: boolean;
  /** Count what reading skeletons instead of whole files saves, by language and directory */
  report?: boolean;
  /** Parse only these languages in this run (`index.languages` keeps it so) */
  languages?: Array<string>;
  /** Look only at files that one of these patterns fits in this run (`index.include` keeps it so) */
  include?: Array<string>;
  /** Leave out files that one of these patterns fits in this run (`index.ignore` keeps it so) */
  exclude?: Array<string>;
  /** How much of each file to keep in this run (`index.depth` keeps it so) */
  depth?: "full" | "signatures" | null;
}

export interface SearchParams {
  /** What to look for: words, identifiers or a path; `path:`, `lang:` and `kind:` narrow it */
  query?: string | null;
  /** Find what is related to this instead: a symbol, a file, or the id of a message, summary or fact */
  related?: string | null;
  /** Most results to return (default: `search.limit`, 10 unless set) */
  limit?: number | null;
  /** Show every part of each score */
  explain?: boolean;
  /** How files are ranked */
  strategy?: "linear" | "rrf" | "keyword" | "semantic" | "graph" | null;
  /** What to show with each result */
  expand?: Array<"parents" | "imports" | "types">;
  /** Have a model guess an answer to search with */
  hyde?: boolean;
  /** Show the signature of each result and its best line */
  preview?: boolean;
  /** How the results are written */
  format?: "text" | "markdown";
  /** Only places that are at least this near in meaning: a cosine from -1 to 1 */
  threshold?: number | null;
  /** Other projects to ask, by name; `all` */
  projects?: Array<string>;
}

export interface ContextParams {
  /** The question; `path:`, `lang:` and `kind:` narrow the code, `role:`, `since:` and `until:` the conversations */
  query: string;
  /** Most tokens to return (default: `context.budget`, 4000 unless set) */
  budget?: number | null;
  /** How the answer is written */
  format?: "markdown" | "text" | "xml";
  /** Look even if nothing seems to be needed */
  anyway?: boolean;
  /** How files are ranked */
  strategy?: "linear" | "rrf" | "keyword" | "semantic" | "graph" | null;
  /** What to show beside each place */
  expand?: Array<"parents" | "imports" | "types">;
  /** Steps to follow calls (0 to 3) */
  depth?: number | null;
  /** Have a model guess an answer to search with */
  hyde?: boolean;
  /** Other projects to ask, by name; `all` */
  projects?: Array<string>;
}

export interface ReadParams {
  /** What to read: `path`, `path:10-20`, a symbol id such as `src/lib.rs#Session.login`, its handle or its name */
  targets: Array<string>;
  /** How to show it (default: `read.mode`, or raw) */
  mode?: "raw" | "lightweight" | "aggressive" | "map" | "auto" | null;
  /** Most tokens to return; what does not fit is shown shorter, or named */
  budget?: number | null;
  /** Steps to follow what symbols depend on: types first, then what is called */
  depth?: number;
}

export interface SymbolParams {
  /** A name, a qualified name such as `Session.login`, an id, the beginning of a name, or one with a typing error */
  name: string;
  /** Only this kind: function, method, class, struct, enum, interface, trait, type, constant, field, macro, module, section */
  kind?: string | null;
  /** Only files whose path contains this */
  path?: string | null;
  /** Most results to return (default: 10) */
  limit?: number | null;
  /** Other projects to ask, by name; `all` */
  projects?: Array<string>;
}

export interface RelationsParams {
  /** The symbol, file or requirement: id, path, `path:line` or name */
  symbol: string;
  /** Only these (default: all but members and container) */
  only?: Array<"callers" | "callees" | "types" | "imports" | "hierarchy" | "overrides" | "members" | "container" | "documents">;
  /** Which way (default: both) */
  direction?: "in" | "out" | "both";
  /** How many steps away, 1 to 10 (default: 1) */
  depth?: number | null;
  /** 0 to 1 (default: 0.5) */
  min_confidence?: number | null;
  /** Most relations (default: 50) */
  limit?: number | null;
  /** Most symbols of that name (default: 5) */
  matches?: number | null;
  /** Most unlinked mentions (default: 10) */
  mentions?: number | null;
  /** Show the shortest way to this symbol instead */
  to?: string | null;
  projects?: Array<string>;
}

export interface ImpactParams {
  /** What is about to change: symbol ids, handles, paths, `path:line` or unique names */
  symbols?: Array<string>;
  /** Take what differs from this git revision, or within a range such as main...HEAD */
  diff?: string | null;
  /** How many steps away (default: 3) */
  depth?: number | null;
  /** Leave out what is less sure, 0 to 1 (default: 0.5) */
  min_confidence?: number | null;
  /** Most affected symbols to return (default: 30) */
  limit?: number | null;
  /** Most test files to return (default: 12) */
  tests?: number | null;
  /** Most lines to list that mention a changed name and are not linked (default: 5) */
  mentions?: number | null;
  /** Other projects to ask, by name; `all` */
  projects?: Array<string>;
}

export interface CritiqueParams {
  /** The text to check */
  draft: string;
  /** The question it answers, to look up a context for */
  query?: string | null;
  /** What it was written from */
  context?: string | null;
  /** Tokens of the context to look up */
  budget?: number | null;
  /** Have a model correct it */
  revise?: boolean;
  /** Checks at most (default: 3) */
  max_iterations?: number | null;
}

export interface TreeParams {
  /** A directory (default: the whole project) */
  path?: string | null;
  /** How to draw it (default: compact) */
  mode?: "compact" | "verbose" | "map" | null;
  /** Levels of directories to open (default: 4) */
  max_depth?: number | null;
  /** Entries to show of one directory (default: 30) */
  max_entries_per_dir?: number | null;
  /** Bytes of the reply (default: 4096) */
  max_bytes?: number | null;
}

export interface BriefingParams {
  /** Tokens of the page (default: 1500) */
  budget?: number | null;
}

export interface DocumentParams {
  /** What to do */
  action?: "list" | "show" | "index";
  /** The document; of a list only those whose path contains this */
  path?: string | null;
  /** Most entries of each list (default: 50) */
  limit?: number | null;
  /** Continue a list where an earlier reply ended: its `cursor` */
  cursor?: string | null;
}

export interface CoverageParams {
  /** Only requirements of documents whose path contains this */
  path?: string | null;
  /** Also sentences without a key */
  sentences?: boolean;
  /** Only requirements that lack code or tests */
  missing?: boolean;
  /** Most requirements, and most tests (default: 50) */
  limit?: number | null;
  /** Continue where an earlier reply ended: its `cursor` */
  cursor?: string | null;
}

export interface ImportParams {
  /** Transcripts, or places to look for them; none: those of the agents that are installed here */
  paths?: Array<string>;
  /** Whose they are; `auto` lets them say it themselves */
  agent?: string;
  /** Make the messages of everything in the archive anew: equal ones stay, others are kept beside them */
  rebuild?: boolean;
  /** Say what would be stored, and store nothing */
  dry_run?: boolean;
  /** Show every transcript with its path, also those with nothing new */
  verbose?: boolean;
}

export interface IngestParams {
  /** The conversation's name or id; a new name starts one. `current` is the session of the project */
  conversation: string;
  /** The messages, in order */
  messages: Array<IngestParamsMessagesItem>;
}

export interface HistoryParams {
  /** The conversation's name or id, or `latest`; none: the conversations there are, newest first */
  conversation?: string | null;
  /** Which conversations to list */
  within?: "project" | "all";
  /** Only conversations that stand so */
  state?: "active" | "summarized" | "archived" | null;
  /** How many of the newest messages, or conversations */
  limit?: number;
}

export interface RecallParams {
  /** A question, words or identifiers */
  query: string;
  /** Name, id or `latest` */
  conversation?: string | null;
  /** Where to search */
  within?: "project" | "all";
  /** Only what these summaries cover */
  summaries?: Array<string>;
  /** Only of this role */
  role?: "system" | "user" | "assistant" | "tool";
  /** Only from this time on: a day, or RFC 3339 */
  since?: string | null;
  /** Only up to this time */
  until?: string | null;
  /** Most results */
  limit?: number;
  /** Most tokens */
  budget?: number | null;
  /** `messages` or `memories` */
  layers?: Array<string>;
  /** Tags of memories */
  tags?: Array<string>;
  /** Have a model write the answer */
  answer?: boolean;
  /** Show parts of scores */
  explain?: boolean;
}

export interface GrepParams {
  /** The pattern */
  pattern: string;
  /** How to read the pattern */
  mode?: "regex" | "full_text";
  /** What to look through */
  scope?: "messages" | "summaries" | "both";
  /** Only this conversation, by name or id, or `latest` */
  conversation?: string | null;
  /** Which conversations to look through */
  within?: "project" | "all";
  /** Only what happened from this time on: a day, or RFC 3339 */
  since?: string | null;
  /** Only what happened up to this time */
  until?: string | null;
  /** Continue where an earlier reply ended: its `cursor` */
  cursor?: string | null;
  /** Most matches to return */
  limit?: number;
}

export interface DecisionsParams {
  /** This decision, by its id or the beginning of it */
  id?: string | null;
  /** Only decisions about this, best first */
  about?: string | null;
  /** Only those stated from this time on: a day, or RFC 3339 */
  since?: string | null;
  /** Only those of this conversation, by name or id, or `latest` */
  conversation?: string | null;
  /** Only those that name this file or symbol */
  entity?: string | null;
  /** Only those that stand so */
  status?: "proposed" | "in_force" | "superseded" | "withdrawn" | null;
  /** Which conversations to look through */
  within?: "project" | "all";
  /** Most decisions to return */
  limit?: number;
}

export interface SessionParams {
  /** What to do */
  action: "current" | "create" | "list" | "summarize" | "archive" | "resume";
  /** The conversation's name or id, or `latest`; of a new session its name */
  session?: string | null;
  /** With `list`: only those that stand so */
  state?: "active" | "summarized" | "archived" | null;
  /** With `list`: how many of the newest */
  limit?: number;
}

export interface CompactParams {
  /** The conversation's name or id */
  conversation?: string | null;
  /** Fold every conversation */
  all?: boolean;
  /** Fold until the context has no more tokens than this, and no further */
  until?: number | null;
  /** Fold only the oldest full chunk, and what is ready to be condensed then */
  incremental?: boolean;
  /** Who writes the summaries, as `vendor` or `vendor/model`, or `builtin` (default: `providers.chain`, else built in) */
  provider?: string | null;
  /** Write summaries anew that a model was asked for and could not write, and fold nothing */
  redo?: boolean;
  /** Show what would be folded and what it would cost, and fold nothing */
  dry_run?: boolean;
  /** Show each summary, also with `all` */
  verbose?: boolean;
}

export interface AssembleParams {
  /** The conversation's name or id */
  conversation: string;
  /** Most tokens to return (default: `memory.context_tokens`, 200000 unless set) */
  budget?: number | null;
  /** What it is about, where summaries have to be chosen between */
  query?: string | null;
  /** Also give the items as a vendor's messages */
  shape?: "plain" | "anthropic" | "openai";
  /** How summaries are set off from messages (default: `xml` in the shape of Anthropic, else `fence`) */
  form?: "fence" | "xml" | null;
}

export interface DescribeParams {
  /** A summary, message, fact, memory or artifact by id, a message by its place (`conversation#8`), or a conversation by name or id; `art_…:1000-2000` for bytes of an artifact */
  id: string;
}

export interface ExpandParams {
  /** Summary or message by id, message by its place (`conversation#8`), or the handle in `continue_with` of an earlier reply */
  id: string;
  /** Levels to go down */
  depth?: number;
  /** Give the messages of every leaf that is reached, word for word */
  messages?: boolean;
  /** Most tokens to return (default: `memory.expand_tokens`, 4000 unless set) */
  budget?: number | null;
  /** Grant that allows it, where somebody was given one */
  grant?: string | null;
}

export interface GrantParams {
  /** Conversations it is for, by name or id */
  conversations?: Array<string>;
  /** Summaries it is for, with all they cover; none for all of its conversations */
  summaries?: Array<string>;
  /** Most levels that an expansion may go down */
  max_depth?: number;
  /** Tokens it is good for */
  tokens?: number;
  /** Seconds it lasts */
  seconds?: number;
  /** Who gives it */
  issuer?: string;
  /** The grant that the caller itself works under, if it does: no other can be given then */
  under?: string | null;
  /** Show how this grant stands instead */
  show?: string | null;
  /** Take this grant back instead */
  revoke?: string | null;
}

export interface RememberParams {
  /** What later sessions shall know, in a sentence or two */
  text: string;
  /** Words to find it by */
  tags?: Array<string>;
  /** For all sessions, in every project */
  for_me?: boolean;
  /** What else is to be kept with it */
  metadata?: any | null;
}

export interface MemoriesParams {
  /** What to do */
  action?: "list" | "forget";
  /** Which memory to forget, by id */
  id?: string | null;
  /** Only memories with this tag; with all of several */
  tags?: Array<string>;
  /** Also those that were put aside, and those of other projects */
  all?: boolean;
  /** Most memories to list (default: all) */
  limit?: number | null;
}

export interface PromoteParams {
  /** The conversation's name or id; none: those of the project */
  conversation?: string | null;
  /** Conversations of every project */
  all?: boolean;
  /** Show each memory */
  verbose?: boolean;
  /** Show what would be promoted, and promote nothing */
  dry_run?: boolean;
}

export interface ReflectionParams {
  /** What to do */
  action: "add" | "find" | "list" | "summary";
  /** With `add` the lesson, with `find` what lessons shall be about */
  text?: string | null;
  /** With `add` how it went; else only those that went so */
  outcome?: "success" | "failure" | "partial" | "unknown";
  /** With `add`: where the lesson applies */
  context?: string | null;
  /** With `add`: how certain it is, from 0 to 1 */
  confidence?: number | null;
  /** With `add` words to find it by; else only those with all of them */
  tags?: Array<string>;
  /** The session, by name or id (default: the latest) */
  session?: string | null;
  /** Only lessons of that session */
  own_session?: boolean;
  /** How many at most */
  limit?: number;
}

export interface TierParams {
  /** What to do */
  action: "add" | "spill" | "recall" | "promote" | "status";
  /** Words to keep or to look for */
  text?: string | null;
  /** Name or id (default: the project) */
  session?: string | null;
  /** To spill or promote */
  item_ids?: Array<string>;
  /** How many to spill */
  count?: number | null;
  /** Where to spill to or to recall from */
  tier?: "hot" | "warm" | "cold";
  /** What it is */
  type?: string | null;
  /** From 0 to 1 */
  relevance?: number | null;
  /** Words to find it by */
  tags?: Array<string>;
  /** What is recalled may become hot */
  auto_promote?: boolean | null;
  /** How many at most */
  limit?: number;
}

export interface CheckpointParams {
  /** What to do */
  action: "save" | "load" | "resume" | "list" | "prune";
  /** With `load` and `resume`: which one, by id (default: `latest`) */
  id?: string | null;
  /** The session, by name or id (default: the latest) */
  session?: string | null;
  /** With `save`: {query, plan, currentStepIndex, results, context, lastError} (default: the state before) */
  state?: any | null;
  /** With `save`: what it is for */
  description?: string | null;
  /** With `save`: who makes it */
  trigger?: "manual" | "auto" | "error";
  /** With `save`: how long the step took */
  duration_ms?: number | null;
  /** With `save`: the tokens it took */
  token_usage?: number | null;
  /** With `list` how many, with `prune` how many stay */
  limit?: number | null;
}

export interface SubscriptionParams {
  /** What to do */
  action: "add" | "list" | "pause" | "remove";
  /** With `add` what to look for, else which one, by id */
  value?: string | null;
  /** With `add`: what the value is */
  pattern?: "file_pattern" | "entity_type" | "keyword" | "author";
  /** With `add`: only below this folder */
  scope?: string | null;
  /** With `add`: when to tell (default: as suits the pattern) */
  trigger?: "file_change" | "cursor_proximity" | "context_mention" | "schedule" | "share";
  /** With `add`: at most once in `6h`, `1d` */
  every?: string | null;
  /** With `add`: tell nothing that matters less, from 0 to 1 */
  min_relevance?: number | null;
  /** The session, by name or id (default: every session of the project) */
  session?: string | null;
  /** With `list`: also those that are over */
  all?: boolean;
}

export interface SuggestionParams {
  /** What to do */
  action?: "list" | "act" | "dismiss" | "near";
  /** Which one, by id; for `near` a `path:line` */
  id?: string | null;
  /** The session, by name or id (default: every session of the project) */
  session?: string | null;
  /** Also those that were told or dealt with */
  include_delivered?: boolean;
  /** How many at most */
  limit?: number;
}

export interface TeamParams {
  /** What to do */
  action?: "list" | "share" | "withdraw";
  /** With `share` and `withdraw`: which, by id (`mem_…`, `fact_…`) */
  ids?: Array<string>;
  /** With `list`: only of this kind */
  kind?: "note" | "rule" | "decision" | "fix" | "reflection";
  /** With `list`: only what was shared from then on: a day, or RFC 3339 */
  since?: string | null;
  /** With `list`: only what this colleague shares */
  author?: string | null;
  /** With `list`: most to return */
  limit?: number;
}

export interface KnowledgeParams {
  /** What to do */
  action: "export" | "import";
}

export interface EntityParams {
  /** What to do */
  action?: "list" | "add" | "link" | "show" | "remove";
  /** Id or name; for `list` a text to find */
  name?: string | null;
  /** Where it leads */
  target?: string | null;
  /** `concept`, `person`, `technology`, … */
  type?: string | null;
  /** What is known of it */
  content?: string | null;
  /** In short */
  summary?: string | null;
  /** More, as JSON */
  metadata?: any | null;
  /** Its file */
  file?: string | null;
  /** `relates_to` by default */
  relationship?: string | null;
  /** 0 to 1 (default: 1) */
  weight?: number | null;
  /** 1 to 10 (default: 1) */
  depth?: number | null;
  /** Which way */
  direction?: "in" | "out" | "both";
  /** Only these relationships or types */
  types?: Array<string>;
  /** Default: 50 */
  limit?: number | null;
  /** Continues a list */
  cursor?: string | null;
}

export interface WindowParams {
  /** Only this file */
  path?: string | null;
  /** The session, by name (default: the newest one that shows it) */
  session?: string | null;
}

export interface ValueParams {
  /** What to show in place of totals */
  view?: "roi" | "queries" | null;
  /** What to total by (default: operation) */
  by?: "day" | "session" | "project" | "operation" | "agent" | "door" | "formula" | "model";
  /** Only the last so many days, today included (default: all) */
  days?: number | null;
  /** Compare with as many days before */
  compare?: boolean;
  /** Everything, not only this project */
  all?: boolean;
  /** Only this session */
  session?: string | null;
  /** Show so many of the newest calls */
  entries?: number;
  /** Show what models may cost, have cost, and what is left */
  spend?: boolean;
  /** Explain how each kind of call is counted */
  formulas?: boolean;
  /** Write the totals as CSV */
  csv?: boolean;
}

export interface ModesParams {
  /** Forget what was learned of this slot (`rust/M/edit`), or of `all` */
  reset?: string | null;
}

export interface StatsParams {
  /** Each conversation, too, the longest first */
  verbose?: boolean;
  /** Of all projects */
  all?: boolean;
}

export interface StatusParams {
}

export interface ProjectParams {
  /** What to do */
  action?: any;
  /** Name, id or path (default: this project) */
  which?: string | null;
  /** The project that it depends on */
  target?: string | null;
  /** What to call it */
  name?: string | null;
  /** What it is */
  description?: string | null;
}

export interface VerifyParams {
  /** Only this conversation, by its name or id (default: all, and the database itself) */
  conversation?: string | null;
  /** Say for each problem what would mend it */
  plan?: boolean;
  /** A state that the store must have gone on from: the hash of an anchor, or on the command line a file with what `verify --anchor` printed */
  expect?: string | null;
  /** Print what to keep elsewhere, for a later --expect: how far every conversation and archive is */
  anchor?: boolean;
}

export interface RepairParams {
  /** The conversation's name or id (default: all) */
  conversation?: string | null;
  /** Show what is wrong and what would be done, and change nothing */
  dry_run?: boolean;
}

/** A way to run an operation in the program. */
export interface Transport {
  call(operation: string, parameters: object): Promise<any>;
  close(): Promise<void>;
}

/** Every operation of the program as a method. */
export declare class Operations {
  constructor(transport: Transport);
  /** Index the project, or bring its index up to date. */
  index(parameters?: IndexParams): Promise<IndexReply>;
  /** Find the places of the project that a question is about. */
  search(parameters?: SearchParams): Promise<SearchReply>;
  /** Answer a question about the project with cited source text that fits a token budget. */
  context(parameters: ContextParams): Promise<ContextReply>;
  /** Read files, line ranges or symbols: exactly, shortened, as skeleton or as map. */
  read(parameters: ReadParams): Promise<ReadReply>;
  /** Find where a name is defined. */
  symbol(parameters: SymbolParams): Promise<SymbolReply>;
  /** Show callers, callees, types, imports and hierarchy of a symbol, or the way to another. */
  relations(parameters: RelationsParams): Promise<RelationsReply>;
  /** Show what a change touches, tests included. */
  impact(parameters?: ImpactParams): Promise<ImpactReply>;
  /** Check what a text claims about the code. */
  critique(parameters: CritiqueParams): Promise<CritiqueReply>;
  /** Show the directories and files of the project, in at most 4 KB. */
  tree(parameters?: TreeParams): Promise<TreeReply>;
  /** Introduce the project on one page. */
  briefing(parameters?: BriefingParams): Promise<BriefingReply>;
  /** List documents, or show what one says: sections, requirements, stories, questions, links. */
  document(parameters?: DocumentParams): Promise<DocumentReply>;
  /** Say which requirements have code and tests, and which tests have no requirement. */
  coverage(parameters?: CoverageParams): Promise<CoverageReply>;
  /** Import transcripts of agents, every line kept. */
  import(parameters?: ImportParams): Promise<ImportReply>;
  /** Store messages of a conversation, acknowledged only when durable. */
  ingest(parameters: IngestParams): Promise<IngestReply>;
  /** Show the newest messages of a conversation, verbatim, or which conversations there are. */
  history(parameters?: HistoryParams): Promise<HistoryReply>;
  /** Answer a question with what was said, verbatim and with message ids. */
  recall(parameters: RecallParams): Promise<RecallReply>;
  /** Find messages, summaries and artifacts by regular expression or by words. */
  grep(parameters: GrepParams): Promise<GrepReply>;
  /** List what was decided in conversations, why, and whether it still holds. */
  decisions(parameters?: DecisionsParams): Promise<DecisionsReply>;
  /** Make, list, sum up, archive and resume conversations. */
  session(parameters: SessionParams): Promise<SessionReply>;
  /** Fold older messages into summaries that expand back to them. */
  compact(parameters?: CompactParams): Promise<CompactReply>;
  /** Give the context of a conversation within a budget: summaries, facts, newest messages. */
  assemble(parameters: AssembleParams): Promise<AssembleReply>;
  /** Describe a summary, message, fact, memory, artifact or conversation with where it comes from. */
  describe(parameters: DescribeParams): Promise<DescribeReply>;
  /** Expand a summary to the summaries and messages it covers. */
  expand(parameters: ExpandParams): Promise<ExpandReply>;
  /** Let a delegate expand some summaries, within tokens and time. */
  grant(parameters?: GrantParams): Promise<GrantReply>;
  /** Keep a text that later sessions are told. */
  remember(parameters: RememberParams): Promise<RememberReply>;
  /** List what is remembered for later sessions, or forget one of it. */
  memories(parameters?: MemoriesParams): Promise<MemoriesReply>;
  /** Remember the rules, decisions and fixes of conversations. */
  promote(parameters?: PromoteParams): Promise<PromoteReply>;
  /** Keep lessons of what worked and what failed, and find them. */
  reflection(parameters: ReflectionParams): Promise<ReflectionReply>;
  /** Keep what sessions work with hot, warm or cold. */
  tier(parameters: TierParams): Promise<TierReply>;
  /** Keep the state of the work, and go on from it. */
  checkpoint(parameters: CheckpointParams): Promise<CheckpointReply>;
  /** Ask to be told of changes, mentions and what a cursor is near. */
  subscription(parameters: SubscriptionParams): Promise<SubscriptionReply>;
  /** List what subscriptions led to, and say what was of use. */
  suggestion(parameters?: SuggestionParams): Promise<SuggestionReply>;
  /** Share memories and decisions with colleagues, and list what they share. */
  team(parameters?: TeamParams): Promise<TeamReply>;
  /** Carry shared memories in the repository, and show those of colleagues. */
  knowledge(parameters: KnowledgeParams): Promise<KnowledgeReply>;
  /** Keep, link, list, show or remove entities that are in no file: concepts, people, technologies. */
  entity(parameters?: EntityParams): Promise<EntityReply>;
  /** Show which lines of files an agent has in its context now. */
  window(parameters?: WindowParams): Promise<WindowReply>;
  /** Show the ledger: tokens spared and added, what models cost and may cost. */
  value(parameters?: ValueParams): Promise<ValueReply>;
  /** Show what was learned of how files are best shown, and forget it. */
  modes(parameters?: ModesParams): Promise<ModesReply>;
  /** Count what memory holds, and how much shorter folding made it. */
  stats(parameters?: StatsParams): Promise<StatsReply>;
  /** Show what is indexed, stored and running. */
  status(parameters?: StatusParams): Promise<StatusReply>;
  /** List, show, name or link the projects that are indexed or spoken about. */
  project(parameters?: ProjectParams): Promise<ProjectReply>;
  /** Prove that nothing stored is missing or changed. */
  verify(parameters?: VerifyParams): Promise<VerifyReply>;
  /** Mend summaries, contexts and facts that do not fit together; messages stay as they are. */
  repair(parameters?: RepairParams): Promise<RepairReply>;
}
