//! What an import says of files that are no transcripts.

use super::house::House;
use expect_test::expect;

#[test]
fn what_lies_beside_transcripts_is_counted() {
    let house = House::new(&[("talks/notes.md", "no transcript")]);
    expect![[r#"
        1 file beside the transcripts left alone: PROJECT/talks/notes.md
        0 transcripts, 0 lines and 0 messages new
        took N s
        (exit 3)
    "#]]
    .assert_eq(&house.run(&["import", "talks"], "").shown());
}
