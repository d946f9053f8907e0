//! The table of abbreviations and their long forms (`cfg`, configuration), by which the terms of a question are
//! expanded as by synonyms.
//!
//! Only forms that people use for each other wherever they write code: one that means two things would lead astray more
//! often than it helps.

use search::StemRules;
use std::collections::HashMap;
use std::sync::OnceLock;

/// The weight of another form of a term, compared with the term itself.
pub(crate) const OTHER_FORM: f32 = 0.5;

/// Forms of one word, one group a line.
const GROUPS: &str = "
addr address
admin administrator
alloc allocate allocation
app application
arg argument
async asynchronous
attr attribute
auth authentication authorization authenticate authorize
bool boolean
buf buffer
calc calculate calculation
cert certificate
cfg config configuration configure
char character
cmd command
cmp compare comparison
concat concatenate
conn connection
cred credential
ctx context
db database
decl declaration declare
deps dependencies dependency
dest dst destination
dir directory folder
doc documentation
elem element
env environment
err error
eval evaluate evaluation
exec execute execution
expr expression
ext extension
fmt format
fn func function
freq frequency
gen generate generator generation
id identifier
idx index
img image
impl implementation implement
info information
init initialize initialization initialise
int integer
iter iterate iterator iteration
lang language
len length
lib library
max maximum
mem memory
mgr manager
min minimum
msg message
num number
obj object
opt option
param parameter
perm permission
pkg package
pos position
prev previous
prop property
ptr pointer
pwd passwd password
rand random
rect rectangle
ref reference
regex regexp
repo repository
req request
resp response
sep separator
seq sequence
spec specification
src source
stat statistic
stmt statement
str string
sync synchronize synchronization
sys system
tmp temp temporary
tok token
tx txn transaction
util utility
val value
var variable
vec vector
";

/// The stems of other forms of a term, by its stem.
pub(crate) fn other_forms(of: &str) -> &'static [String] {
    static FORMS: OnceLock<HashMap<String, Vec<String>>> = OnceLock::new();
    // Stemmed once for the process: forms are looked up for every term of every question.
    FORMS.get_or_init(parse_groups).get(of).map_or(&[], Vec::as_slice)
}

fn parse_groups() -> HashMap<String, Vec<String>> {
    let mut forms: HashMap<String, Vec<String>> = HashMap::new();
    for group in GROUPS.lines() {
        let mut stems: Vec<String> = Vec::new();
        for word in group.split(' ').filter(|word| !word.is_empty()) {
            let mut room = String::new();
            StemRules::Code.stem_word(word, &mut room);
            // Two words of a group may share a stem, and a stem must not find itself at half its worth.
            if !stems.contains(&room) {
                stems.push(room);
            }
        }
        for of in &stems {
            let others = forms.entry(of.clone()).or_default();
            others.extend(stems.iter().filter(|other| *other != of).cloned());
        }
    }
    forms
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(word: &str, wanted: &[&str]) {
        let mut room = String::new();
        StemRules::Code.stem_word(word, &mut room);
        assert_eq!(other_forms(&room), wanted, "{word}");
    }

    #[test]
    fn short_and_long_forms_know_each_other() {
        check("database", &["db"]);
        check("db", &["databas"]);
        check("messages", &["msg"]);
        check("parser", &[]);
        let mut all: Vec<&str> = GROUPS.split_whitespace().collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count, "a form stands in one group only");
    }
}
