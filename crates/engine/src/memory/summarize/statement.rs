//! Reads what a person or a model wrote as statements, and chooses those that tell most within a number of tokens: of a
//! request what is asked, of a report what came out, why, and what is left.
//!
//! Headings, tables, code and talk about the next step are no statements. A list belongs to the sentence in front of it.

use crate::memory::fact::{announces_step, classify_sentence, is_announcement, own_words, split_sentences};
use model::{FactKind, TokenCount, count_tokens};
use regex::Regex;
use std::borrow::Cow;
use std::sync::LazyLock;

/// One sentence, or a list with the sentence that introduces it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Statement {
    text: String,
    items: Vec<String>,
    /// The bold words that an entry of the list begins with; empty for one without.
    titles: Vec<String>,
    /// A heading names what a request is about, and tells nothing of an outcome.
    is_heading: bool,
}

/// What statements are chosen for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StatementPurpose {
    /// What was asked for.
    Request,
    /// What came out of it.
    Report,
}

/// A shorter question of a model leans on what it said before.
const MIN_QUESTION_CHARS: usize = 12;
/// More statements than this are a document; its beginning and its end tell what it is.
const MAX_STATEMENTS: usize = 80;
/// Most tokens of one entry of a list.
const MAX_ITEM_TOKENS: u32 = 32;
/// The points from which on a statement tells an outcome, a cause, a failure or what is left.
pub(super) const TELLING_POINTS: i32 = 4;

/// The statements of a text, in order.
pub(super) fn read_statements(text: &str) -> Vec<Statement> {
    let mut found: Vec<Statement> = Vec::new();
    // Whether the last statement is a lead that its list has to follow.
    let mut is_open_list = false;
    let words = own_words(text);
    let is_long = words.lines().count() > 3;
    for line in words.lines() {
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        if let Some(heading) = line.strip_prefix('#').map(|rest| rest.trim_start_matches('#').trim()) {
            is_open_list = false;
            if heading.split_whitespace().count() > 2 {
                found.push(Statement { is_heading: true, ..Statement::of_text(clean_line(heading)) });
            }
            continue;
        }
        if is_layout(line) || (is_long && is_caption(line)) {
            is_open_list = false;
            continue;
        }
        let is_item = ITEM.is_match(line);
        let title = TITLED_ITEM.captures(line).map(|found| clean_line(&found[1])).unwrap_or_default();
        let line = clean_line(line);
        if is_item {
            let item = split_sentences(&line).into_iter().next().unwrap_or_default();
            let item = item.trim_end_matches(['.', ';', ',']).to_owned();
            if !item.chars().any(char::is_alphanumeric) {
                continue;
            }
            if !is_open_list {
                found.push(Statement::of_text(String::new()));
            }
            if let Some(list) = found.last_mut() {
                list.items.push(item);
                list.titles.push(title);
            }
            is_open_list = true;
            continue;
        }
        // A list that was cut ends with this sign, and the next sentence follows.
        for sentence in line.split_inclusive("… ").flat_map(split_sentences) {
            if sentence.chars().filter(|c| c.is_alphanumeric()).count() > 1 {
                found.push(Statement::of_text(sentence));
            }
        }
        is_open_list = line.ends_with([':', '：']);
    }
    if found.len() > MAX_STATEMENTS {
        found.drain(MAX_STATEMENTS / 2..found.len() - MAX_STATEMENTS / 2);
    }
    found
}

/// The statements of `text` that fit `most` tokens, in order; cut where not even one fits.
pub(crate) fn shorten_text(text: &str, purpose: StatementPurpose, most: u32) -> String {
    select_statements(&read_statements(text), purpose, most)
}

/// The statements that tell most, within `most` tokens, in order.
pub(super) fn select_statements(statements: &[Statement], purpose: StatementPurpose, most: u32) -> String {
    // Places are counted without what tells nothing here, so that the first sentence of a report is the first.
    let is_request = purpose == StatementPurpose::Request;
    let statements: Vec<Cow<'_, Statement>> = statements
        .iter()
        .filter(|it| is_request || !it.is_only_lead())
        .map(|it| if is_request { it.by_titles() } else { Cow::Borrowed(it) })
        .collect();
    let last = statements.len().saturating_sub(1);
    let mut ranked: Vec<(i32, usize)> = statements
        .iter()
        .enumerate()
        .map(|(place, statement)| {
            // "Here is the issue:" says nothing, and what follows it is the issue.
            let follows_lead = is_request && place > 0 && statements[place - 1].is_open_lead();
            let is_lead = is_request && place < last && statement.is_open_lead();
            let points = if is_lead { 1 } else { statement.points(purpose) + place_points(purpose, place, last) };
            (points + 4 * i32::from(follows_lead), place)
        })
        .filter(|(points, _)| *points > 0)
        .collect();
    ranked.sort_by_key(|(points, place)| (-points, *place));
    let mut left = most;
    let mut chosen: Vec<(usize, String)> = Vec::new();
    for (rank, (_, place)) in ranked.into_iter().enumerate() {
        let statement = &statements[place];
        // A list leaves room for the sentences beside it.
        let room = if statements.len() > 1 && !statement.items.is_empty() { left.min(most * 6 / 10) } else { left };
        let text = match statement.render(room) {
            Some(text) => text,
            // What tells most is told, as far as it fits.
            None if rank == 0 => cut_text(&statement.whole_text(), room),
            None => continue,
        };
        if chosen.iter().any(|(_, known)| repeats(known, &text)) {
            continue;
        }
        left = left.saturating_sub(count_tokens(&text).0 + 1);
        chosen.push((place, text));
        if left < 6 {
            break;
        }
    }
    chosen.sort_by_key(|(place, _)| *place);
    chosen.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(" ")
}

/// What the place of a statement adds: people and models put what matters at the beginning and at the end.
fn place_points(purpose: StatementPurpose, place: usize, last: usize) -> i32 {
    // A report of many statements argues in the middle; its ends say what it comes to.
    const LONG_REPORT_STATEMENTS: usize = 12;
    match (purpose, place) {
        (StatementPurpose::Request, 0) => 3,
        (StatementPurpose::Report, 0) => 4,
        (StatementPurpose::Report, 1) => 2,
        (_, place) if place == last => 2,
        (StatementPurpose::Report, place) if last >= LONG_REPORT_STATEMENTS && place + 3 < last && place > 3 => -3,
        (StatementPurpose::Request | StatementPurpose::Report, _) => 0,
    }
}

impl Statement {
    fn of_text(text: String) -> Self {
        Self { text, items: Vec::new(), titles: Vec::new(), is_heading: false }
    }

    /// A list whose entries all have titles by these: they name what is asked, and the rest explains it.
    fn by_titles(&self) -> Cow<'_, Self> {
        if !self.is_titled() {
            return Cow::Borrowed(self);
        }
        Cow::Owned(Self { items: self.titles.clone(), ..self.clone() })
    }

    fn is_titled(&self) -> bool {
        self.titles.len() > 1 && self.titles.iter().all(|title| title.split_whitespace().nth(1).is_some())
    }

    /// Whether it is a list, or was one before it was written into a summary.
    fn is_outline(&self) -> bool {
        self.is_titled() || self.text.matches("; ").count() > 1
    }

    /// What it is worth; nothing for talk that tells neither.
    pub(super) fn points(&self, purpose: StatementPurpose) -> i32 {
        match purpose {
            StatementPurpose::Request => self.request_points(),
            StatementPurpose::Report => self.report_points(),
        }
    }

    fn request_points(&self) -> i32 {
        if self.is_outline() {
            return 6;
        }
        if self.text.is_empty() {
            return 1;
        }
        if self.is_heading {
            return 2;
        }
        // "I am getting this error:" asks for something, and what was pasted below it is left out.
        if self.is_only_lead() {
            return 3;
        }
        let binding = match classify_sentence(&self.text) {
            Some(FactKind::Rule | FactKind::Task | FactKind::Correction | FactKind::Decision) => 4,
            _ => 0,
        };
        let question = if self.text.ends_with(['?', '？']) { 4 } else { 0 };
        let polite = THANKS.is_match(&self.text) && self.text.len() < 40;
        if polite { 0 } else { 1 + binding.max(question) }
    }

    fn report_points(&self) -> i32 {
        let whole = self.whole_text();
        let told = [(&*COMPLETION, 4), (&*CAUSE, 4), (&*LEFT, 2), (&*FAILED, 2), (&*CHECKED, 1)];
        let points: i32 = told.iter().filter(|(pattern, _)| pattern.is_match(&whole)).map(|(_, points)| points).sum();
        let is_question = self.text.ends_with(['?', '？']);
        let is_talk = self.is_only_lead() || OFFER.is_match(&self.text) || ANNOUNCED.is_match(&self.text);
        if is_talk || PRAISE.is_match(&self.text) || (is_progress_talk(&self.text) && points < TELLING_POINTS) {
            return -10;
        }
        if is_question {
            // "Shall I?" asks about something that is not told.
            return if self.text.chars().count() < MIN_QUESTION_CHARS { -10 } else { 1 };
        }
        // "Done." says less than any other sentence, and "It can never fail." nothing without the one before it.
        let is_short = self.items.is_empty() && self.text.split_whitespace().count() < 3 && self.text.len() < 20;
        let leans = LEANING.is_match(&self.text) && !CAUSE.is_match(&self.text);
        1 + points.min(6) - 2 * i32::from(is_short) - 3 * i32::from(leans)
    }

    /// Whether it is a value behind its name, and no sentence.
    pub(super) fn is_label(&self) -> bool {
        LABELLED.is_match(&self.text) && self.items.is_empty() && self.report_points() <= TELLING_POINTS
    }

    /// Whether it only introduces something that is not there: a heading, or a lead whose code or table is left out.
    fn is_only_lead(&self) -> bool {
        self.is_heading || self.is_open_lead()
    }

    fn is_open_lead(&self) -> bool {
        self.items.is_empty() && self.text.ends_with([':', '：'])
    }

    fn whole_text(&self) -> String {
        let lead = if HOLLOW_LEAD.is_match(&self.text) { "" } else { self.text.as_str() };
        let items = self.items.join("; ");
        match (lead.is_empty(), items.is_empty()) {
            (_, true) => self.text.clone(),
            (true, false) => format!("{items}."),
            (false, false) => format!("{lead} {items}."),
        }
    }

    /// Its text within some tokens, with as many entries of its list as fit; `None` where nothing of use fits.
    fn render(&self, most: u32) -> Option<String> {
        if self.items.is_empty() {
            return (count_tokens(&self.text).0 <= most).then(|| self.text.clone());
        }
        for count in (1..=self.items.len()).rev() {
            let items = self.items[..count].iter().map(|item| cut_text(item, MAX_ITEM_TOKENS)).collect();
            let text = Self { items, ..Self::of_text(self.text.clone()) }.whole_text();
            let text = if count < self.items.len() { format!("{} …", text.trim_end_matches('.')) } else { text };
            if count_tokens(&text).0 <= most {
                return Some(text);
            }
        }
        None
    }
}

/// Whether one of two texts says most of what the other does: models tell a result before and after a list.
fn repeats(known: &str, text: &str) -> bool {
    let words = model::terms::distinct_terms(text);
    let there = model::terms::distinct_terms(known);
    let same = words.iter().filter(|word| there.contains(word)).count();
    words.len() > 2 && same * 10 > words.len() * 7
}

/// The beginning of a text, at the end of a word.
pub(crate) fn cut_text(text: &str, most: u32) -> String {
    if count_tokens(text).0 <= most {
        return text.to_owned();
    }
    let room = TokenCount(most.saturating_sub(1));
    let mut end = text.floor_char_boundary(most as usize * 5);
    while end > 0 && count_tokens(&text[..end]) > room {
        // Back to the word before; in a script without blanks by one character.
        let before = text[..end].char_indices().next_back().map_or(0, |(at, _)| at);
        end = text[..before].rfind(' ').filter(|at| before - at < 40).unwrap_or(before);
    }
    format!("{}…", text[..end].trim_end_matches([' ', ',', ';', '(', '—', '-']))
}

/// Whether a sentence only says what its speaker does next, or thinks aloud.
pub(super) fn is_progress_talk(sentence: &str) -> bool {
    announces_step(sentence) || is_announcement(sentence) || PROGRESS.is_match(sentence) || PLANNED.is_match(sentence)
}

/// Headings, tables, rules, and lines of nothing but bold words or a path.
fn is_layout(line: &str) -> bool {
    let is_bold_label = line.starts_with("**") && line.trim_end_matches([':', '：']).ends_with("**") && line.len() < 60;
    let is_rule = line.chars().all(|c| "-=*_─━ ".contains(c));
    // "GSD ► RESEARCHING" is a banner of the program around the agent.
    let is_banner = line.contains(['►', '◆', '━']);
    CODE.is_match(line) || line.starts_with('|') || is_rule || is_bold_label || is_banner || line.starts_with("<!--")
}

/// A word or two without a full stop, above what they name.
fn is_caption(line: &str) -> bool {
    line.len() < 30
        && line.split_whitespace().count() < 3
        && line.starts_with(|c: char| c.is_ascii_uppercase())
        && line.ends_with(|c: char| c.is_ascii_alphabetic())
}

/// A line without the signs of Markdown: bullets, bold, links, boxes.
pub(super) fn clean_line(line: &str) -> String {
    let line = ITEM.replace(line, "");
    let line = LINK.replace_all(&line, "$1");
    let line = TAG.replace_all(&line, "");
    let line = line.replace("**", "").replace("__", "");
    let line = line.trim_start_matches(|c: char| "✅✔☑🎉✨❌⚠️🚀👍→⏺● ".contains(c) || c == '\u{fe0f}');
    line.trim().to_owned()
}

macro_rules! pattern {
    ($name:ident, $text:expr) => {
        static $name: LazyLock<Regex> = LazyLock::new(|| Regex::new($text).expect("the pattern is ours"));
    };
}

pattern!(
    CODE,
    r"^(?:import|export|const|let|var|return|fn|def|class|function|public|private|#include|use)\s.*[;{(]$|^[\w.$]+\(.*\);?$|^</?\w+[^>]*>$"
);
pattern!(ITEM, r"^(?:[-*•+]\s+(?:\[[ x]\]\s+)?|\(?\d{1,2}[.)]\s+)");
pattern!(TITLED_ITEM, r"^(?:[-*•+]|\(?\d{1,2}[.)])\s+\*\*([^*]{4,90})\*\*");
pattern!(LINK, r"!?\[([^\]]*)\]\([^)\s]*\)");
pattern!(LABELLED, r"^\p{Lu}[\w-]*(?: [\w-]+){0,2}: \S[^.!?]*$");
pattern!(TAG, r"</?[a-zA-Z][a-zA-Z0-9-]*(?: [^<>]*)?/?>");
pattern!(
    COMPLETION,
    r"(?ix)\b(?: done | fixed | added | implemented | created | removed | deleted | updated | changed
        | replaced | moved | renamed | refactored | committed | pushed | merged | deployed | installed | published
        | released | completed? | finished | resolved | solved | works | working | pass(?:es|ed|ing)? | green
        | succe(?:eds?|eded|ssful(?:ly)?) | no\slonger | in\splace | applied | rewr(?:ote|itten) | written | wrote
        | reverted | restored | verified | confirmed | ready | set\sup | enabled | disabled | wired | reduced | restarted
        | generated | migrated | opened | closed | split | now\s(?:uses?|shows?|returns?|has|have|is|are|supports?|goes
        | keeps?|does|takes?|reads?|writes?|runs?) )\b
        | 完成 | 已[经]?(?:生成|写入|更新|修改|提交|重写|添加|创建|修复|推送|删除|加) | 改好 | しました | 成功 | 修正し | 済み
        | \bhotov | \b(?:přidal|upravil|změnil|provedl|vytvořil|nastavil|opravil|odstranil) | \bzměn[ay]\s(?:zajist|umožn)
        | \b(?:erledigt|fertig|behoben|hinzugefügt|geändert|aktualisiert|ersetzt|gelöscht)\b | \b(?:terminé|ajouté|corrigé|modifié)
        | \b(?:listo|añadid|agregad|corregid|actualizad|adicionad|atualizad)[oa]?s?\b | добавлен | исправлен | готово | 완료 | 추가했 | 수정했 | 통과"
);
pattern!(
    CAUSE,
    r"(?ix)\b(?: because | root\scause | caused?\sby | due\sto | turn(?:s|ed)\sout | (?:that|which)(?:['’]s|\sis)\swhy
        | the\s(?:real\s|actual\s|only\s)?(?:problem|issue|bug|cause|reason|culprit|mismatch|failure|error)\s(?:is|was|lies|comes|came)
        | stems\sfrom | as\sa\sresult | the\sreason | isn['’]t\swhat | misunder\w+ | artifact )\b
        | 因为 | 原因 | 因此 | ため | \bweil\b | \bprotože\b | \bparce\sque\b"
);
pattern!(
    LEFT,
    r"(?ix)\b(?: not\syet | remain(?:s|ing)? | still\s(?:needs?|open|to|fails?|waiting|missing) | left\s(?:open|to\sdo|out|alone|unchanged)
        | next\ssteps? | waiting | pending | needs?\s(?:your|a|to) | follow-?ups? | unresolved | uncommitted | untouched
        | not\s(?:been\s)?(?:pushed|committed|tested|run|changed|verified|merged|deployed|included)
        | have\s?n['’o]t | before\smerging | you(?:['’]ll|\swill)?\s(?:need|have)\sto | out\sof\sscope | deferred )\b
        | 未 | 还没 | 待 | まだ | 残"
);
pattern!(
    FAILED,
    r"(?ix)\b(?: fail(?:s|ed|ing|ures?)? | errors? | broken | breaks? | blocked | can(?:not|['’]t) | could\s?n['’o]t | unable | crash\w*
        | refused | time[ds]?\s?out | does\s?n['’o]t\swork | wrong | refuted | retracted )\b | 失败 | 失敗 | 错误 | エラー"
);
pattern!(CHECKED, r"(?i)\b(?:tests?|checks?|exit code|build|lint|commit|pr|pull request|branch|version|#\d+)\b|\d|`");
pattern!(
    ANNOUNCED,
    r"(?i)^(?:(?:ok(?:ay)?|good|great|perfect|right|now|so|next|then|first|and)[,.!:—-]*\s+)*(?:let me\b|i(?:'|’)ll\b|i will\b|i(?:'|’)?m (?:going to|about to|doing|now)|i am (?:going to|about to|doing|now))"
);
pattern!(LEANING, r"(?i)^(?:it|they|this|that|these|those|both|one of (?:the|them)|which|also|but)\b");
pattern!(
    PRAISE,
    r"(?i)^(?:perfect|great|excellent|good|nice|awesome|sure|okay|ok|understood|got it|you'?re (?:absolutely )?right)[.!]*$|^(?:you raise|(?:that'?s )?an? (?:good|great|fair|excellent) (?:point|question|catch|idea)|good (?:point|question|catch|idea)|this is a new task)\b.{0,90}$|^(?:i (?:understand|apologize)|thank(?:s| you)|rozumím|děkuji|díky|jasně|jistě|dobře|omlouvám se|verstanden|danke|entendido|gracias|compris|merci|понял|спасибо|好的|了解|承知|알겠습니다)\b.{0,90}$"
);
pattern!(
    OFFER,
    r"(?i)^(?:let me know|happy to|feel free|if you(?:'d| would)? (?:like|want|prefer)|just (?:say|tell)|say the word|i can also|tell me|would you like|ping me|告诉我|如果你)"
);
pattern!(
    PROGRESS,
    r"(?i)^(?:(?:ok(?:ay)?|alright|good|great|perfect|right|now|so|next|then|first|and|hmm+|wait)[,.!:—-]*\s+)*(?:let me|let's (?:see|look|check|try|start|first)|i(?:'|’)?ll\b|i will\b|i(?:'m| am|’m) (?:going|checking|reading|looking|running|waiting|starting|mapping|about)|i(?: still)? (?:need|want|have) to\b|checking|looking|reading|running|waiting|starting|searching|reviewing|now (?:the|item|i|for|to|reviewing|checking|fixing|updating|adding)\b|next[,:]|hold on|one moment|actually,|wait\b|here(?:'|’)s (?:what|the|a|where)\b.*:$|here is (?:what|the|a)\b.*:$|下面|接下来|我先|先|现在(?:在|更新)|まず|続けて|これから)"
);
pattern!(
    PLANNED,
    r"(?:確認|コミット|修正|追加|実行|調査|検証|対応|整理|置き換え|切り分け)(?:して|し)?[^。]{0,12}ます。?$"
);
pattern!(
    HOLLOW_LEAD,
    r"(?i)^(?:(?:done|all done|ok)[.!]?\s*)?(?:here(?:'|’)?s?\s.*|(?:the |what )?(?:changes?|summary|changed|fixed|results?|what (?:i|was|got|changed).*|files? (?:changed|updated|created)|updated files|new files|details|verification|highlights|overview)(?: made| are| is)?)\s*[:：]$"
);
pattern!(THANKS, r"(?i)^(?:thanks|thank you|thx|great|nice|perfect|cool|ok(?:ay)?|good|hi|hello|hey)\b");

#[cfg(test)]
mod tests {
    use super::*;
    use StatementPurpose::{Report, Request};

    #[test]
    fn headings_tables_and_progress_talk_are_no_statements_of_a_report() {
        let text = "## Summary\n\nLet me wait a bit longer.\n| file | fix |\n|---|---|\n| a.rs | none |\n\
                    The loader was slow because it read every file twice.\n\n**Fixed:**\n- `a.rs` keeps what it read\n\
                    - `b.rs` asks `a.rs`\n\nAll 12 tests pass. Let me know if you want more.";
        assert_eq!(
            shorten_text(text, Report, 80),
            "The loader was slow because it read every file twice. `a.rs` keeps what it read; `b.rs` asks `a.rs`. \
             All 12 tests pass."
        );
        assert_eq!(shorten_text(text, Report, 14), "The loader was slow because it read every file twice.");
    }

    #[test]
    fn of_a_long_request_the_orders_and_questions_are_kept() {
        let text = "Hello there. I looked at the page for a long while yesterday and something is odd about it all. \
                    The spinner never stops when the network is gone. Please show an error instead. \
                    I like the colours by the way, they are nice and my colleagues like them as well.";
        assert_eq!(shorten_text(text, Request, 12), "Please show an error instead.");
    }

    #[test]
    fn a_list_goes_with_the_sentence_in_front_of_it() {
        let text = "I added three limits:\n1. one request a second\n2. ten a minute\n3. a thousand a day";
        assert_eq!(
            shorten_text(text, Report, 60),
            "I added three limits: one request a second; ten a minute; a thousand a day."
        );
        assert_eq!(shorten_text(text, Report, 12), "I added three limits: one request a second …");
    }

    #[test]
    fn a_text_that_does_not_fit_is_cut_at_a_word() {
        let text = "The cache was removed because nobody could say which of the two copies was the newer one";
        let cut = shorten_text(text, Report, 10);
        assert!(cut.ends_with('…') && text.starts_with(cut.trim_end_matches('…')), "{cut}");
        assert!(count_tokens(&cut).0 <= 11, "{cut}");
        assert!(count_tokens(&cut_text("数据已经全部写入对象存储并且登记了版本信息", 8)).0 <= 9);
    }
}
