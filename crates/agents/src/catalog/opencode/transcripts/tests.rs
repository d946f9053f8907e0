//! Tests of the OpenCode transcript reader: sample rows and files, and snapshots of the messages they give.

use std::path::Path;

use expect_test::{Expect, expect};

use super::build_projection;
use crate::transcript::projection_snapshot::render_projection;

fn check(lines: &str, expected: &Expect) {
    expected.assert_eq(&render_projection(build_projection(Path::new("opencode.db")).as_mut(), lines));
}

const ROWS: &str = r#"{"table":"session","id":"ses_1","parent_id":"ses_0","directory":"/home/user/app","title":"Fix it","version":"1.4.0","time_created":1785578400000}
{"table":"message","id":"msg_1","session_id":"ses_1","time_created":1785578400001,"data":{"role":"user","time":{"created":1785578400001},"agent":"build","model":{"providerID":"p","modelID":"m"}}}
{"table":"part","id":"prt_1","session_id":"ses_1","message_id":"msg_1","data":{"type":"text","text":"fix it"}}
{"table":"part","id":"prt_2","message_id":"msg_1","data":{"type":"file","mime":"image/png","filename":"a.png","url":"data:image/png;base64,AAAA"}}
{"table":"part","id":"prt_3","message_id":"msg_1","data":{"type":"agent","name":"plan"}}
{"table":"part","id":"prt_4","message_id":"msg_1","data":{"type":"subtask","prompt":"look","description":"Look around","agent":"explore"}}
{"table":"message","id":"msg_2","data":{"role":"assistant","parentID":"msg_1","time":{"created":1785578400002,"completed":1785578400009},"cost":0.25,"tokens":{"input":1}}}
{"table":"part","id":"prt_5","message_id":"msg_2","data":{"type":"step-start","snapshot":"s1"}}
{"table":"part","id":"prt_6","message_id":"msg_2","data":{"type":"reasoning","text":"hm","time":{"start":1}}}
{"table":"part","id":"prt_7","message_id":"msg_2","data":{"type":"tool","callID":"c1","tool":"bash","state":{"status":"completed","input":{"command": "ls"},"output":"a.rs","title":"List","metadata":{},"time":{"start":1,"end":2},"attachments":[{"type":"file","mime":"image/png","url":"data:image/png;base64,BBBB"}]}}}
{"table":"part","id":"prt_8","message_id":"msg_2","data":{"type":"tool","callID":"c2","tool":"read","state":{"status":"error","input":{},"error":"no such file","time":{"start":1,"end":2}}}}
{"table":"part","id":"prt_9","message_id":"msg_2","data":{"type":"patch","hash":"abc","files":["/home/user/app/a.rs"]}}
{"table":"part","id":"prt_a","message_id":"msg_2","data":{"type":"snapshot","snapshot":"s2"}}
{"table":"part","id":"prt_b","message_id":"msg_2","data":{"type":"retry","attempt":1,"error":{"name":"APIError","data":{"message":"overloaded"}}}}
{"table":"part","id":"prt_c","message_id":"msg_2","data":{"type":"step-finish","reason":"stop","cost":0.25,"tokens":{"input":10,"output":5,"reasoning":2,"cache":{"read":100,"write":7}}}}
{"table":"part","id":"prt_d","message_id":"msg_2","data":{"type":"dance","steps":3}}
{"table":"message","id":"msg_3","data":{"role":"user","time":{"created":3}}}
{"table":"part","id":"prt_e","message_id":"msg_3","data":{"type":"compaction","auto":true}}
{"table":"message","id":"msg_4","data":{"role":"assistant","parentID":"msg_3","summary":true,"error":{"name":"MessageAbortedError","data":{"message":"aborted"}}}}
{"table":"part","id":"prt_f","message_id":"msg_4","data":{"type":"text","text":"What happened: …"}}
{"table":"message","id":"msg_5","data":{"role":"user"}}
{"table":"part","id":"prt_g","message_id":"msg_5","data":{"type":"text","text":"Continue","synthetic":true}}
{"table":"message","id":"msg_6","data":{"role":"assistant"}}
{"table":"part","id":"prt_h","message_id":"msg_gone","data":{"type":"text","text":"orphan"}}
{"table":"account","id":"x"}
"#;

#[test]
fn rows_of_messages_and_parts_are_put_together() {
    check(
        ROWS,
        &expect![[r#"
            0 event session
            1 event message
            2 message
            3 message
            4 message
            5 message
            6 event message
            7 message
            8 message
            9 message
            10 message
            11 message
            12 message
            13 message
            14 message
            15 unknown part dance
            16 event message
            17 message
            18 event message
            19 message
            20 event message
            21 message
            22 event message
            23 message
            24 unknown row of "account"
            # msg_1 user by program [1, 2, 3, 4, 5]
                text "fix it"
                file mime="image/png" name="a.png" url="data:image/png;base64,AAAA"
                Agent { name: Some("plan") }
                Subtask { prompt: Some("look"), description: Some("Look around"), agent: Some("explore") }
            # msg_2 assistant under msg_1 [6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
                StepStart
                reasoning "hm"
                tool id="c1" name="bash" status="completed" title="List" output="a.rs" input={"command": "ls"}
                file mime="image/png" url="data:image/png;base64,BBBB"
                tool id="c2" name="read" status="error" error="no such file" input={}
                Patch { hash: Some("abc"), files: ["/home/user/app/a.rs"] }
                Snapshot { hash: Some("s2") }
                Retry { error: Some("overloaded") }
                StepFinish { reason: Some("stop"), cost_micros: Some(250000), tokens_in: Some(117), tokens_out: Some(7) }
                text "{\"type\":\"dance\",\"steps\":3}"
            # msg_3 user by program under msg_2 [16, 17]
                Compaction { auto: true }
            # msg_4 assistant by summary under msg_3 [18, 19]
                Retry { error: Some("aborted") }
                text "What happened: …"
            # msg_5 user by program under msg_4 [20, 21]
                text "Continue" (synthetic)
            # prt_h assistant by program [23]
                text "orphan"
            = opencode ses_1 «Fix it» in /home/user/app subagent of ses_0
        "#]],
    );
}

#[test]
fn files_are_read_like_rows() {
    check(
        r#"{"table":"session","id":"ses_1","file":"session/p/ses_1.json","text":"{\n  \"id\": \"ses_1\",\n  \"title\": \"Old\",\n  \"directory\": \"/a\"\n}"}
{"table":"message","id":"msg_1","file":"message/ses_1/msg_1.json","text":"{\n  \"role\": \"user\"\n}"}
{"table":"part","id":"prt_1","file":"part/msg_1/prt_1.json","text":"{\n  \"messageID\": \"msg_1\",\n  \"type\": \"text\",\n  \"text\": \"hi\"\n}"}
{"table":"part","id":"prt_2","file":"part/msg_1/prt_2.json","text":"{ cut"}
"#,
        &expect![[r#"
            0 event session
            1 event message
            2 message
            3 malformed: the file is not JSON: key must be a string at line 1 column 3
            # msg_1 user [1, 2]
                text "hi"
            = opencode ses_1 «Old» in /a
        "#]],
    );
}

#[test]
fn the_newer_table_holds_whole_messages() {
    check(
        r#"{"table":"session_message","id":"e1","type":"user","time_created":1,"data":{"text":"hi","files":[{"uri":"file:///a","mime":"text/plain","name":"a"}]}}
{"table":"session_message","id":"e2","type":"assistant","time_created":2,"data":{"content":[{"type":"reasoning","text":"hm"},{"type":"text","text":"hello"},{"type":"tool","id":"c1","name":"shell","state":{"status":"completed","input":{"command":"ls"},"content":[{"type":"text","text":"a.rs"}]}}],"finish":"stop","cost":0.5,"tokens":{"input":3,"output":2,"reasoning":0,"cache":{"read":0,"write":0}}}}
{"table":"session_message","id":"e3","type":"model-switched","data":{"model":{"id":"x"}}}
{"table":"session_message","id":"e4","type":"compaction","data":{"reason":"manual","summary":"So far"}}
{"table":"session_message","id":"e5","type":"shell","data":{"command":"pwd","output":"/a"}}
{"table":"session_message","id":"e6","type":"synthetic","data":{"text":"note"}}
"#,
        &expect![[r#"
            0 message
            1 message
            2 event session_message model-switched
            3 message
            4 message
            5 message
            # e1 user [0]
                text "hi"
                file mime="text/plain" name="a" url="file:///a"
            # e2 assistant under e1 [1]
                reasoning "hm"
                text "hello"
                tool id="c1" name="shell" status="completed" output="a.rs" input={"command":"ls"}
                StepFinish { reason: Some("stop"), cost_micros: Some(500000), tokens_in: Some(3), tokens_out: Some(2) }
            # e4 system by summary under e2 [3]
                Compaction { auto: false }
                text "So far"
            # e5 user under e4 [4]
                tool name="shell" output="/a" input=pwd
            # e6 system by program under e5 [5]
                text "note"
            = opencode opencode «-» in -
        "#]],
    );
}

#[test]
fn what_the_host_adds_to_a_prompt_is_the_hosts() {
    check(
        r#"{"table":"session","id":"ses_1","directory":"/home/user/app"}
{"table":"message","id":"msg_1","data":{"role":"user"}}
{"table":"part","id":"prt_1","message_id":"msg_1","data":{"type":"text","text":"<epitome>\nnever push\n</epitome>\nread @a.rs"}}
{"table":"part","id":"prt_2","message_id":"msg_1","data":{"type":"text","text":"Called the Read tool","synthetic":true}}
{"table":"part","id":"prt_3","message_id":"msg_1","data":{"type":"text","text":"fn a() {}","synthetic":true}}
{"table":"part","id":"prt_4","message_id":"msg_1","data":{"type":"telegram","text":"never push"}}
{"table":"message","id":"msg_2","data":{"role":"assistant","parentID":"msg_1"}}
{"table":"part","id":"prt_5","message_id":"msg_2","data":{"type":"text","text":"One function."}}
{"table":"message","id":"msg_3","data":{"role":"user"}}
{"table":"part","id":"prt_6","message_id":"msg_3","data":{"type":"text","text":"<epitome>\nnever push\n</epitome>","synthetic":true}}
"#,
        &expect![[r#"
            0 event session
            1 event message
            2 message
            3 message
            4 message
            5 unknown part telegram
            6 event message
            7 message
            8 event message
            9 event part of ours
            # msg_1 user [1, 2]
                text "read @a.rs"
            # msg_1:added user by program under msg_1 [3, 4, 5]
                text "Called the Read tool" (synthetic)
                text "fn a() {}" (synthetic)
                text "{\"type\":\"telegram\",\"text\":\"never push\"}"
            # msg_2 assistant under msg_1 [6, 7]
                text "One function."
            = opencode ses_1 «-» in /home/user/app
        "#]],
    );
}

#[test]
fn what_the_model_was_not_shown_is_marked() {
    check(
        r#"{"table":"session","id":"ses_1","directory":"/home/user/app"}
{"table":"message","id":"msg_1","data":{"role":"user"}}
{"table":"part","id":"prt_1","message_id":"msg_1","data":{"type":"text","text":"fix it","synthetic":false}}
{"table":"part","id":"prt_2","message_id":"msg_1","data":{"type":"text","text":"a note to myself","ignored":true}}
{"table":"message","id":"msg_2","data":{"role":"assistant","parentID":"msg_1"}}
{"table":"part","id":"prt_3","message_id":"msg_2","data":{"type":"text","text":"Done."}}
{"table":"part","id":"prt_4","message_id":"msg_1","data":{"type":"text","text":"too late","synthetic":true}}
"#,
        &expect![[r#"
            0 event session
            1 event message
            2 message
            3 message
            4 event message
            5 message
            6 message
            # msg_1 user [1, 2, 3]
                text "fix it"
                text "a note to myself" (ignored)
            # msg_2 assistant under msg_1 [4, 5]
                text "Done."
            # prt_4 user by program under msg_1 continues msg_1 [6]
                text "too late" (synthetic)
            = opencode ses_1 «-» in /home/user/app
        "#]],
    );
}
