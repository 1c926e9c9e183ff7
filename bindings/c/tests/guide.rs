//! The guide shows the program that lies in the examples, and the tests of the installed library compile and run that one.

const GUIDE: &str = include_str!("../../../docs/c.md");

#[test]
fn the_guide_shows_the_program_of_the_quickstart() {
    let blocks = [
        ("c", include_str!("../examples/quickstart/main.c")),
        ("yaml", include_str!("../examples/quickstart/sqlthrottle.yml")),
    ];
    for (language, content) in blocks {
        assert!(GUIDE.contains(&format!("```{language}\n{content}```\n")), "docs/c.md does not show this:\n{content}");
    }
}
