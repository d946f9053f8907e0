//! What is said to somebody who asks wrongly, or too early.

use super::check;
use super::house::House;
use expect_test::expect;

#[test]
fn a_wrong_command_line_is_a_usage_error_with_the_nearest_name() {
    let house = House::new(&[]);
    check(
        &house,
        &["serach", "x"],
        expect![[r#"
            ! error: unrecognized subcommand 'serach'
            ! 
            !   tip: some similar subcommands exist: 'serve', 'watch', 'search'
            ! 
            ! Usage: epitome [OPTIONS] <COMMAND>
            ! 
            ! For more information, try '--help'.
            (exit 2)
        "#]],
    );
    check(
        &house,
        &["search"],
        expect![[r#"
        ! error: the following required arguments were not provided:
        !   <QUERY>
        ! 
        ! Usage: epitome search <QUERY>
        ! 
        ! For more information, try '--help'.
        (exit 2)
    "#]],
    );
    check(
        &house,
        &["grep", "("],
        expect![[r#"
        ! error: `pattern` `(` is not a regular expression: unclosed group
        (exit 2)
    "#]],
    );
    check(
        &house,
        &["grep", "(", "--json"],
        expect![[r#"
        {"error":{"code":"invalid_parameter","message":"`pattern` `(` is not a regular expression: unclosed group","hint":null}}
        ! error: `pattern` `(` is not a regular expression: unclosed group
        (exit 2)
    "#]],
    );
    check(
        &house,
        &["config", "get", "contxt.budget"],
        expect![[r#"
        ! error: unknown configuration key contxt.budget
        ! hint: did you mean context.budget?
        (exit 2)
    "#]],
    );
    check(
        &house,
        &["--set", "context.budget=many", "status"],
        expect![[r#"
        ! error: cannot set context.budget to "many" (flag): expected a whole number from 1 to 4294967295
        (exit 2)
    "#]],
    );
    check(
        &house,
        &["--project", "no/such/place", "status"],
        expect![[r#"
            ! error: `project` is no/such/place, which does not exist
            (exit 2)
        "#]],
    );
}

#[test]
fn a_usage_error_is_an_object_when_that_is_asked_for() {
    let house = House::new(&[]);
    check(
        &house,
        &["search", "--json"],
        expect![[r#"
            {"error":{"code":"usage","message":"the following required arguments were not provided: <QUERY>","hint":"epitome --help, or --help behind a command"}}
            ! error: the following required arguments were not provided:
            !   <QUERY>
            ! 
            ! Usage: epitome search --json <QUERY>
            ! 
            ! For more information, try '--help'.
            (exit 2)
        "#]],
    );
}

#[test]
fn where_there_is_nothing_yet_that_is_said() {
    let house = House::new(&[]);
    let rows = [
        ("history", "no conversations yet: `import` takes in those of the agents that are installed here\n(exit 3)\n"),
        ("compact --all", "no conversations yet\n"),
        ("briefing", "nothing to introduce: no file of the project is indexed\n"),
        ("search x", "nothing found\n(exit 3)\n"),
        (
            "search how --strategy graph",
            "nothing found\n\
            degraded: the graph alone was asked, and nothing in the question is the name of a symbol or file: name one, or \
            leave the strategy to linear\n(exit 3)\n",
        ),
        (
            "impact --diff",
            "! error: `diff` needs a git repository, and the project is in none: name symbols or files instead\n(exit 2)\n",
        ),
    ];
    for (line, expected) in rows {
        let arguments: Vec<&str> = line.split(' ').collect();
        assert_eq!(house.run(&arguments, "").shown(), expected, "{line}");
    }
}

#[test]
fn configuration_problems_are_told_where_they_are() {
    let house = House::new(&[(".epitome.toml", "[database]\nurl = \"postgres://evil\"\n[index]\nignroe = []\n")]);
    check(
        &house,
        &["config", "get", "database.url"],
        expect![[r#"
        ""
        ! warning: database.url (project file PROJECT/.epitome.toml:2) was ignored because a project file may only narrow: it cannot set database.url
        ! warning: unknown key index.ignroe (project file PROJECT/.epitome.toml:4) was ignored
        ! hint: did you mean index.ignore?
    "#]],
    );
    house.write_home("config/config.toml", b"[context]\nbudget = \n");
    check(
        &house,
        &["status"],
        expect![[r#"
        ! error: cannot parse HOME/config/config.toml at line 2, column 10: string values must be quoted, expected literal string
        !     2 | budget = 
        (exit 2)
    "#]],
    );
}
