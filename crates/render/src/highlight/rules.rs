//! The lexer rules of each language.

/// The lexical rules of a language.
#[derive(Debug)]
pub(super) struct Rules {
    /// Names of the language, file extensions and whole file names, in lower case. The first one is the canonical name.
    pub(super) names: &'static [&'static str],
    /// The starts of line comments.
    pub(super) comments: &'static [&'static str],
    /// Start and end of block comments.
    pub(super) block: Option<(&'static str, &'static str)>,
    /// The kinds of strings. If one opening quote is a prefix of another, the longer one comes first.
    pub(super) strings: &'static [Quote],
    pub(super) keywords: &'static str,
    /// Types that do not start with a capital letter.
    pub(super) types: &'static str,
    /// Named constants of the language.
    pub(super) constants: &'static str,
    /// Characters of names besides letters, digits and `_`.
    pub(super) letters: &'static str,
    pub(super) traits: &'static [Trait],
}

/// A kind of string.
#[derive(Debug)]
pub(super) struct Quote {
    pub(super) open: &'static str,
    pub(super) close: &'static str,
    /// `\` escapes the next character.
    pub(super) escapes: bool,
    /// The string may continue on the next line.
    pub(super) lines: bool,
    /// `${` starts embedded code.
    pub(super) interpolates: bool,
}

/// Syntax that only some languages have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trait {
    /// Keywords are case-insensitive.
    AnyCase,
    /// Names that start with a capital letter are types.
    Capitals,
    /// Lifetimes, raw strings, macros and nested comments.
    Rust,
    /// Regular expressions `/…/` where a value is expected, and tags in code.
    Script,
    /// One or two letters directly before a quote belong to the string.
    Prefixes,
    /// `$name`, `<<END`, and `#` only at the start of a word.
    Shell,
    /// Names before `=` are keys; `[…]` at the start of a line is a table header.
    Settings,
    /// Names before `:` are keys.
    Fields,
    /// Quotes only count at the start of a word.
    WordQuotes,
    /// `@name` is a keyword.
    At,
    /// `#name` at the start of a line is a keyword.
    Hash,
    /// The first word of a line is a keyword if it is all upper case.
    Instructions,
}

use Trait::{AnyCase, At, Capitals, Fields, Hash, Instructions, Prefixes, Rust, Script, Settings, Shell, WordQuotes};

const fn quote(open: &'static str, escapes: bool, lines: bool, interpolates: bool) -> Quote {
    Quote {
        open,
        close: open,
        escapes,
        lines,
        interpolates,
    }
}

const DOUBLE: Quote = quote("\"", true, false, false);
const SINGLE: Quote = quote("'", true, false, false);
const BOTH: &[Quote] = &[DOUBLE, SINGLE];
const TRIPLE: Quote = quote("\"\"\"", true, true, false);
const TEMPLATE: Quote = quote("`", true, true, true);
const RAW_SINGLE: Quote = quote("'", false, false, false);
const SLASHES: Option<(&str, &str)> = Some(("/*", "*/"));

/// The defaults for the following entries.
const DEFAULTS: Rules = Rules {
    names: &[],
    comments: &["//"],
    block: SLASHES,
    strings: BOTH,
    keywords: "",
    types: "",
    constants: "true false null",
    letters: "",
    traits: &[Capitals],
};

const SCRIPT_WORDS: &str = "abstract as asserts async await break case catch class const continue debugger declare \
     default delete do else enum export extends finally for from function get if implements import in infer \
     instanceof interface is keyof let namespace new of package private protected public readonly return satisfies \
     set static super switch this throw try type typeof var void while with yield override";

pub(super) static ALL: &[Rules] = &[
    Rules {
        names: &["rust", "rs", "ron"],
        strings: &[quote("\"", true, true, false)],
        keywords: "as async await break const continue crate dyn else enum extern fn for if impl in let loop match mod \
             move mut pub ref return self static struct super trait type union unsafe use where while yield",
        types: "bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize",
        constants: "true false",
        traits: &[Capitals, Rust],
        ..DEFAULTS
    },
    Rules {
        names: &["typescript", "ts", "tsx", "mts", "cts"],
        strings: &[DOUBLE, SINGLE, TEMPLATE],
        keywords: SCRIPT_WORDS,
        types: "any bigint boolean never number object string symbol unknown",
        constants: "true false null undefined NaN Infinity",
        letters: "$",
        traits: &[Capitals, Script, At],
        ..DEFAULTS
    },
    Rules {
        names: &["javascript", "js", "jsx", "mjs", "cjs", "node", "deno", "bun"],
        strings: &[DOUBLE, SINGLE, TEMPLATE],
        keywords: SCRIPT_WORDS,
        constants: "true false null undefined NaN Infinity",
        letters: "$",
        traits: &[Capitals, Script, At],
        ..DEFAULTS
    },
    Rules {
        names: &[
            "python", "py", "pyi", "pyw", "py3", "python3", "bzl", "bazel", "starlark",
        ],
        comments: &["#"],
        block: None,
        strings: &[TRIPLE, quote("'''", true, true, false), DOUBLE, SINGLE],
        keywords: "and as assert async await break case class continue def del elif else except finally for from \
             global if import in is lambda match nonlocal not or pass raise return self try while with yield",
        types: "bool bytes dict float frozenset int list object set str tuple",
        constants: "True False None",
        traits: &[Capitals, Prefixes, At],
        ..DEFAULTS
    },
    Rules {
        names: &["go", "golang"],
        strings: &[DOUBLE, SINGLE, quote("`", false, true, false)],
        keywords: "break case chan const continue default defer else fallthrough for func go goto if import interface \
             map package range return select struct switch type var",
        types: "any bool byte comparable complex128 complex64 error float32 float64 int int16 int32 int64 int8 rune \
             string uint uint16 uint32 uint64 uint8 uintptr",
        constants: "true false nil iota",
        ..DEFAULTS
    },
    Rules {
        names: &["c", "h"],
        keywords: "auto break case const continue default do else enum extern for goto if inline register restrict \
             return sizeof static struct switch typedef union volatile while",
        types: "bool char double float int int16_t int32_t int64_t int8_t long short signed size_t ssize_t uint16_t \
             uint32_t uint64_t uint8_t unsigned void",
        constants: "true false NULL",
        traits: &[Capitals, Hash],
        ..DEFAULTS
    },
    Rules {
        names: &[
            "cpp", "c++", "cc", "cxx", "hpp", "hh", "hxx", "cu", "glsl", "hlsl", "wgsl",
        ],
        keywords: "alignas alignof and asm auto break case catch class co_await co_return co_yield concept const \
             const_cast consteval constexpr constinit continue decltype default delete do dynamic_cast else enum \
             explicit export extern final for friend goto if inline mutable namespace new noexcept not operator or \
             override private protected public reinterpret_cast requires return sizeof static static_assert \
             static_cast struct switch template this throw try typedef typeid typename union using virtual volatile \
             while",
        types: "bool char char16_t char32_t char8_t double float int int16_t int32_t int64_t int8_t long short signed \
             size_t string uint16_t uint32_t uint64_t uint8_t unsigned void wchar_t",
        constants: "true false nullptr NULL",
        traits: &[Capitals, Hash],
        ..DEFAULTS
    },
    Rules {
        names: &["java", "groovy", "gradle"],
        strings: &[TRIPLE, DOUBLE, SINGLE],
        keywords: "abstract assert break case catch class const continue def default do else enum extends final finally \
             for goto if implements import instanceof interface native new package permits private protected public \
             record return sealed static strictfp super switch synchronized this throw throws transient try var \
             volatile while yield",
        types: "boolean byte char double float int long short void",
        traits: &[Capitals, At],
        ..DEFAULTS
    },
    Rules {
        names: &["csharp", "cs", "c#"],
        strings: &[TRIPLE, DOUBLE, SINGLE],
        keywords: "abstract as async await base break case catch checked class const continue default delegate do else \
             enum event explicit extern finally fixed for foreach get goto if implicit in init interface internal is \
             lock namespace new operator out override params partial private protected public readonly record ref \
             required return sealed set sizeof stackalloc static struct switch this throw try typeof unchecked unsafe \
             using var virtual volatile when where while with yield",
        types: "bool byte char decimal double dynamic float int long nint object sbyte short string uint ulong ushort \
             void",
        traits: &[Capitals, Hash],
        ..DEFAULTS
    },
    Rules {
        names: &["kotlin", "kt", "kts"],
        strings: &[TRIPLE, DOUBLE, SINGLE],
        keywords: "abstract actual annotation as break by catch class companion const constructor continue crossinline \
             data do else enum expect external final finally for fun get if import in infix init inline inner \
             interface internal is lateinit noinline object open operator out override package private protected \
             public reified return sealed set super suspend tailrec this throw try typealias val var vararg when where \
             while",
        traits: &[Capitals, At],
        ..DEFAULTS
    },
    Rules {
        names: &["swift"],
        strings: &[TRIPLE, DOUBLE],
        keywords: "actor any as associatedtype async await break case catch class continue default defer deinit do else \
             enum extension fallthrough fileprivate final for func get guard if import in indirect init inout internal \
             is lazy let mutating nonisolated open operator override private protocol public repeat required rethrows \
             return self set some static struct subscript super switch throw throws try typealias unowned var weak \
             where while",
        constants: "true false nil",
        traits: &[Capitals, At, Hash],
        ..DEFAULTS
    },
    Rules {
        names: &["dart"],
        strings: &[TRIPLE, quote("'''", true, true, false), DOUBLE, SINGLE],
        keywords: "abstract as assert async await break case catch class const continue covariant default deferred do \
             else enum export extends extension external factory final finally for get if implements import in \
             interface is late library mixin new on operator part required rethrow return sealed set show static super \
             switch sync this throw try typedef var when while with yield",
        types: "bool double dynamic int num void",
        traits: &[Capitals, At],
        ..DEFAULTS
    },
    Rules {
        names: &["zig", "zon"],
        block: None,
        keywords: "addrspace align allowzero and anyframe anytype asm async await break callconv catch comptime const \
             continue defer else enum errdefer error export extern fn for if inline noalias noinline nosuspend opaque \
             or orelse packed pub resume return struct suspend switch test threadlocal try union usingnamespace var \
             volatile while",
        types: "anyerror bool comptime_float comptime_int f16 f32 f64 i16 i32 i64 i8 isize noreturn type u16 u32 u64 u8 \
             usize void",
        constants: "true false null undefined",
        traits: &[Capitals, At],
        ..DEFAULTS
    },
    Rules {
        names: &[
            "proto",
            "protobuf",
            "thrift",
            "solidity",
            "sol",
            "graphql",
            "gql",
            "prisma",
            "terraform",
            "tf",
            "hcl",
            "tfvars",
        ],
        comments: &["//", "#"],
        strings: &[TRIPLE, DOUBLE, SINGLE],
        keywords: "constant contract data directive emit enum event extend extends external for fragment function \
             generator if implements import input interface internal locals map mapping message model module modifier \
             mutation on oneof option optional output package pragma private provider public pure query repeated \
             require required reserved resource return returns rpc scalar schema service stream struct subscription \
             syntax throws type union using variable view datasource",
        types: "address bool bytes double fixed32 fixed64 float i16 i32 i64 int int32 int64 number sfixed32 sfixed64 \
             sint32 sint64 string uint uint256 uint32 uint64 uint8",
        traits: &[Capitals, At],
        ..DEFAULTS
    },
    Rules {
        names: &[
            "shell",
            "sh",
            "bash",
            "zsh",
            "ash",
            "dash",
            "ksh",
            "fish",
            "console",
            "shellscript",
            "bashrc",
            ".bashrc",
            ".zshrc",
            ".profile",
            ".bash_profile",
            ".envrc",
            "pkgbuild",
        ],
        comments: &["#"],
        block: None,
        strings: &[quote("\"", true, true, false), quote("'", false, true, false)],
        keywords: "alias break case cd continue declare do done echo elif else end esac eval exec exit export fi for \
             function if in local printf read readonly return select set shift source switch test then time trap \
             unset until while",
        constants: "true false",
        letters: "-",
        traits: &[Shell],
        ..DEFAULTS
    },
    Rules {
        names: &["powershell", "ps1", "psm1", "pwsh"],
        comments: &["#"],
        block: Some(("<#", "#>")),
        strings: &[quote("\"", false, true, false), quote("'", false, true, false)],
        keywords: "begin break catch class continue data do dynamicparam else elseif end enum exit filter finally for \
             foreach function if in param process return switch throw trap try until using while",
        letters: "-",
        traits: &[AnyCase, Shell],
        ..DEFAULTS
    },
    Rules {
        names: &["dockerfile", "docker", "containerfile"],
        comments: &["#"],
        block: None,
        strings: &[DOUBLE, RAW_SINGLE],
        keywords: "AS",
        letters: "-",
        traits: &[Shell, Instructions],
        ..DEFAULTS
    },
    Rules {
        names: &[
            "json",
            "jsonc",
            "json5",
            "webmanifest",
            "map",
            "ipynb",
            "jsonl",
            "ndjson",
            "geojson",
        ],
        traits: &[Fields],
        ..DEFAULTS
    },
    Rules {
        names: &["toml", "cargo.lock", "uv.lock", "poetry.lock", "pdm.lock", "pipfile"],
        comments: &["#"],
        block: None,
        strings: &[TRIPLE, quote("'''", false, true, false), DOUBLE, RAW_SINGLE],
        constants: "true false inf nan",
        letters: "-.",
        traits: &[Settings],
        ..DEFAULTS
    },
    Rules {
        names: &[
            "ini",
            "cfg",
            "conf",
            "env",
            "properties",
            "editorconfig",
            "gitconfig",
            "gitmodules",
            "service",
            "desktop",
            "npmrc",
            "dotenv",
        ],
        comments: &["#", ";"],
        block: None,
        constants: "true false yes no on off",
        letters: "-.",
        traits: &[Settings, WordQuotes, Shell],
        ..DEFAULTS
    },
    Rules {
        names: &["yaml", "yml"],
        comments: &["#"],
        block: None,
        strings: &[DOUBLE, RAW_SINGLE],
        constants: "true false null yes no on off",
        letters: "-./$",
        traits: &[Fields, WordQuotes, Shell],
        ..DEFAULTS
    },
    Rules {
        names: &["css", "pcss", "postcss"],
        comments: &[],
        constants: "",
        letters: "-",
        traits: &[Fields, At],
        ..DEFAULTS
    },
    Rules {
        names: &["scss", "less", "sass"],
        constants: "",
        letters: "-",
        traits: &[Fields, At],
        ..DEFAULTS
    },
    Rules {
        names: &["sql", "ddl", "dml", "psql", "postgresql", "mysql", "sqlite", "plsql"],
        comments: &["--"],
        strings: &[quote("'", false, true, false), DOUBLE, quote("`", false, false, false)],
        keywords: "add all alter and any as asc begin between by case cast check column commit conflict constraint \
             create cross cte database default delete desc distinct do drop else end except exists explain false \
             fetch for foreign from full function group having if ignore in index inner insert intersect into is join \
             key left like limit not nothing of offset on or order outer over partition pragma primary references \
             replace returning returns right rollback row rows schema select set table temp temporary then to \
             transaction trigger true union unique update using values view when where window with without",
        types: "bigint blob bool boolean bytea char date datetime decimal double float int integer interval json jsonb \
             numeric real serial smallint text time timestamp timestamptz uuid varchar",
        constants: "null current_timestamp current_date",
        traits: &[AnyCase],
        ..DEFAULTS
    },
    Rules {
        names: &["elixir", "ex", "exs"],
        comments: &["#"],
        block: None,
        strings: &[TRIPLE, DOUBLE, SINGLE],
        keywords: "after alias and case catch cond def defdelegate defimpl defmacro defmodule defp defprotocol \
             defstruct do else end fn for if import in not or quote raise receive require rescue try unless unquote \
             use when with",
        constants: "true false nil",
        traits: &[Capitals, At],
        ..DEFAULTS
    },
    Rules {
        names: &["nix"],
        comments: &["#"],
        strings: &[quote("''", false, true, true), quote("\"", true, true, true)],
        keywords: "assert else if in inherit let or rec then with import",
        letters: "-",
        traits: &[],
        ..DEFAULTS
    },
    Rules {
        names: &["cmake", "cmakelists.txt"],
        comments: &["#"],
        block: None,
        strings: &[quote("\"", true, true, false)],
        keywords: "if else elseif endif foreach endforeach while endwhile function endfunction macro endmacro return \
             set option include project",
        constants: "on off true false",
        traits: &[AnyCase],
        ..DEFAULTS
    },
];
