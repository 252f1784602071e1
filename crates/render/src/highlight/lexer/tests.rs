//! Tests of each family of languages. Results are written as `«class text»`.

use super::super::rules::ALL;
use super::*;

fn shown(name: &str, text: &str) -> String {
    let mut lexer = Lexer::new(ALL.iter().find(|rules| rules.names.contains(&name)).unwrap());
    let mut line = |line: &str| -> String {
        let run = |run: &Run| match run.class {
            Class::Plain => run.text.clone(),
            class => format!("«{} {}»", class.as_str(), run.text),
        };
        lexer.line(line).iter().map(run).collect()
    };
    text.split('\n').map(&mut line).collect::<Vec<_>>().join("\n")
}

#[test]
fn rust_is_highlighted() {
    assert_eq!(
        shown("rust", "pub fn go<'a>(x: &'a str) -> Option<u8> { // why"),
        "«key pub» «key fn» «fn go»<«type 'a»>(x: &«type 'a» «type str») -> «type Option»<«type u8»> { «com // why»"
    );
    assert_eq!(
        shown(
            "rust",
            r#"let c = ['x', '\'']; println!("{c}", 1.5e-3, 0xFF_u8, 1..2);"#
        ),
        r#"«key let» c = [«str 'x'», «str '\''»]; «fn println»!(«str "{c}"», «num 1.5e-3», «num 0xFF_u8», «num 1»..«num 2»);"#
    );
    assert_eq!(
        shown("rust", "/* a /* b\n*/ c */ x r#\"raw \"\nstill\"# MOST.len()"),
        "«com /* a /* b»\n«com */ c */» x «str r#\"raw \"»\n«str still\"#» MOST.«fn len»()"
    );
}

#[test]
fn typescript_is_highlighted() {
    assert_eq!(
        shown(
            "ts",
            "const a = `x ${f({b: 1})} y\nz` as string; a.replace(/[/'\"]/g, '')"
        ),
        "«key const» a = «str `x »${«fn f»({b: «num 1»})}«str  y»\n«str z`» «key as» «type string»; \
         a.«fn replace»(«str /[/'\"]/g», «str ''»)"
    );
    assert_eq!(
        shown("tsx", "return <Foo bar=\"1\"><b>don't</b></Foo>; x = a / b / c"),
        "«key return» <«type Foo» bar=«str \"1\"»><«key b»>don't</«key b»></«type Foo»>; x = a / b / c"
    );
}

#[test]
fn python_is_highlighted() {
    assert_eq!(
        shown(
            "py",
            "@wraps\ndef f(a: int = None):  # c\n    \"\"\"doc\n    it's\"\"\"\n    return rb'x' + f\"{a}\""
        ),
        "«key @wraps»\n«key def» «fn f»(a: «type int» = «num None»):  «com # c»\n    «str \"\"\"doc»\n\
         «str     it's\"\"\"»\n    «key return» «str rb'x'» + «str f\"{a}\"»"
    );
}

#[test]
fn shell_is_highlighted() {
    assert_eq!(
        shown(
            "sh",
            "if [ \"$A\" = 'b' ]; then cat <<'EOF' > ${B}#x # c\nit's\nEOF\nfi"
        ),
        "«key if» [ «str \"$A\"» = «str 'b'» ]; «key then» cat <<«str 'EOF'» > «type ${B»}#x «com # c»\n\
         «str it's»\n«str EOF»\n«key fi»"
    );
}

#[test]
fn settings_files_are_highlighted() {
    assert_eq!(
        shown("toml", "[a.b] # c\nkey-1 = [\"x\", 2, true]\n\"k\" = '''a\nb'''"),
        "«type [a.b]» «com # c»\n«key key-1» = [«str \"x\"», «num 2», «num true»]\n«key \"k\"» = «str '''a»\n«str b'''»"
    );
    assert_eq!(
        shown("yaml", "a: don't # c\n- b-c: \"x\"\n  d: true"),
        "«key a»: don't «com # c»\n- «key b-c»: «str \"x\"»\n  «key d»: «num true»"
    );
    assert_eq!(
        shown("json", r#"{"a": [1, null, "b"]}"#),
        r#"{«key "a"»: [«num 1», «num null», «str "b"»]}"#
    );
    assert_eq!(
        shown("dockerfile", "FROM node:20 AS build\nRUN echo $A"),
        "«key FROM» node:«num 20» «key AS» build\n«key RUN» echo «type $A»"
    );
}

#[test]
fn sql_is_highlighted_in_any_case() {
    assert_eq!(
        shown("sql", "SELECT count(*) from t where a = 'x' -- c"),
        "«key SELECT» «fn count»(*) «key from» t «key where» a = «str 'x'» «com -- c»"
    );
}
