//! Programs that only read, with the options under which that is true.

use super::super::Word;
use super::{Doing, Options, Reach};

/// What the arguments that are no options mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// None are taken.
    Nothing,
    /// Text that is no path.
    Text,
    /// Files.
    Files,
    /// Directories, `.` when there is none; only names are read.
    Directories,
    /// A pattern, then files.
    PatternFiles,
    /// A pattern, then directories that are searched, `.` when there is none.
    PatternTree,
    /// At most one file: a second would be written.
    OneFile,
}

struct Program {
    /// Separated by spaces.
    names: &'static str,
    options: Options,
    takes: Takes,
    /// No option of the program, known here or not, does more than read. Only then may a pattern
    /// such as `*` stand where an option could.
    tame: bool,
}

const fn program(names: &'static str, short: &'static str, long: &'static str, takes: Takes, tame: bool) -> Program {
    Program {
        names,
        options: Options {
            short,
            long,
            numbers: false,
        },
        takes,
        tame,
    }
}

const fn numbered(mut program: Program) -> Program {
    program.options.numbers = true;
    program
}

use Takes::{Directories, Files, Nothing, OneFile, PatternFiles, PatternTree, Text};

const PROGRAMS: &[Program] = &[
    program("echo", "neE", "", Text, true),
    program("printf", "", "", Text, false),
    program("true false :", "", "", Text, true),
    program("pwd", "LP", "", Nothing, true),
    program("whoami arch nproc tty logname", "", "all version", Nothing, true),
    program("id groups", "unGgrz", "user group groups name real zero", Text, true),
    program(
        "uname",
        "asnrvmpio",
        "all kernel-name nodename kernel-release machine operating-system",
        Nothing,
        true,
    ),
    program(
        "hostname",
        "sfiId",
        "short fqdn ip-address all-ip-addresses",
        Nothing,
        false,
    ),
    program("uptime", "ps", "pretty since", Nothing, true),
    program(
        "date",
        "uR:I?d:",
        "utc universal rfc-email iso-8601? rfc-3339= date=",
        Text,
        false,
    ),
    program("cal", "13jmy", "", Text, true),
    program("sleep", "", "", Text, true),
    program("seq", "ws:f:", "equal-width separator= format=", Text, true),
    program("expr", "", "", Text, true),
    program("which type", "aptfP", "all", Text, true),
    program("basename", "azs:", "multiple suffix= zero", Text, true),
    program("dirname", "z", "zero", Text, true),
    program(
        "realpath readlink",
        "efmnqsvzLP",
        "canonicalize canonicalize-existing canonicalize-missing no-newline quiet silent zero \
        relative-to= relative-base= strip no-symlinks",
        Files,
        true,
    ),
    program(
        "ls dir vdir",
        "aAbBcCdDfFgGhHiI:klLmnNopqQrRsStT:uUvw:xXZ1",
        "all almost-all author block-size= color? directory classify? file-type format= \
        full-time group-directories-first no-group human-readable si hide= hyperlink? \
        indicator-style= inode ignore= kibibytes dereference literal numeric-uid-gid \
        quote-name reverse recursive size sort= time= time-style= width= zero",
        Directories,
        true,
    ),
    program(
        "tree",
        "adfigpsuhDFNQrtcUCnALP:I:xvlSXJq",
        "dirsfirst filesfirst noreport gitignore prune du si charset= sort= matchdirs \
        ignore-case filelimit= timefmt= inodes device",
        Directories,
        false,
    ),
    program(
        "cat tac nl rev",
        "AbeEnstTuvb:d:f:h:i:l:v:w:",
        "show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting \
        separator=",
        Files,
        true,
    ),
    numbered(program(
        "head tail",
        "n:c:qvfFs:z",
        "lines= bytes= quiet silent verbose zero-terminated follow? retry pid= \
        sleep-interval=",
        Files,
        true,
    )),
    program(
        "wc",
        "clLmw",
        "bytes chars lines max-line-length words total=",
        Files,
        true,
    ),
    program(
        "stat",
        "Lfc:t",
        "dereference file-system format= printf= terse",
        Files,
        true,
    ),
    program(
        "file",
        "bihkLNprsv0",
        "brief mime mime-type mime-encoding keep-going dereference no-pad raw version",
        Files,
        false,
    ),
    program(
        "du",
        "abchHklLmPsSxd:t:B:0",
        "all apparent-size bytes total dereference human-readable si summarize max-depth= \
        exclude= one-file-system time? threshold= block-size=",
        Directories,
        true,
    ),
    program(
        "df",
        "ahHiklmPTt:x:B:",
        "all human-readable si inodes local portability print-type type= exclude-type= total \
        output? block-size=",
        Files,
        true,
    ),
    program(
        "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum",
        "btzc",
        "binary text check tag zero quiet status strict warn ignore-missing algorithm= \
        untagged",
        Files,
        true,
    ),
    program(
        "cmp",
        "bi:ln:sv",
        "print-bytes ignore-initial= verbose bytes= quiet silent",
        Files,
        true,
    ),
    numbered(program(
        "diff",
        "qscC:uU:enyW:pF:tTlrNX%x:S:iEbwBI:aHd",
        "normal brief report-identical-files context? unified? ed rcs side-by-side width= \
        left-column suppress-common-lines show-c-function show-function-line= label= \
        expand-tabs initial-tab tabsize= suppress-blank-empty recursive no-dereference \
        new-file unidirectional-new-file ignore-file-name-case exclude= exclude-from% \
        ignore-case ignore-tab-expansion ignore-trailing-space ignore-space-change \
        ignore-all-space ignore-blank-lines ignore-matching-lines= text strip-trailing-cr \
        minimal horizon-lines= speed-large-files color? palette=",
        Files,
        true,
    )),
    program(
        "comm",
        "123z",
        "check-order nocheck-order output-delimiter= total zero-terminated",
        Files,
        true,
    ),
    program(
        "join",
        "a:e:i1:2:j:o:t:v:z",
        "ignore-case check-order nocheck-order header zero-terminated",
        Files,
        true,
    ),
    program("paste", "d:sz", "delimiters= serial zero-terminated", Files, true),
    program(
        "cut",
        "b:c:d:f:nsz",
        "bytes= characters= delimiter= fields= complement only-delimited output-delimiter= \
        zero-terminated",
        Files,
        true,
    ),
    program(
        "tr",
        "cCdst",
        "complement delete squeeze-repeats truncate-set1",
        Text,
        true,
    ),
    program(
        "fold fmt expand unexpand",
        "bsw:ct:iau",
        "bytes spaces width= tabs= initial all first-only uniform-spacing goal=",
        Files,
        true,
    ),
    program(
        "column",
        "tns:o:c:xeLN:R:J",
        "table separator= output-separator= output-width= fillrows table-columns= json",
        Files,
        true,
    ),
    // Not `-o`, `-T`, `--compress-program`, `--files0-from`.
    program(
        "sort",
        "bdfghiMnRrVcCk:msS:t:uz",
        "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort \
        ignore-nonprinting month-sort human-numeric-sort numeric-sort random-sort reverse \
        sort= version-sort check? key= merge stable buffer-size= field-separator= unique \
        zero-terminated parallel=",
        Files,
        false,
    ),
    program(
        "uniq",
        "cdDf:is:uw:z",
        "count repeated all-repeated? skip-fields= group? ignore-case skip-chars= unique \
        check-chars= zero-terminated",
        OneFile,
        false,
    ),
    numbered(program(
        "grep egrep fgrep",
        "EFGPe:f%ivwxycm:bHhnoqsaA:B:C:D:d:IlLrRTUZzu",
        "extended-regexp fixed-strings basic-regexp perl-regexp regexp= file% ignore-case \
        no-ignore-case invert-match word-regexp line-regexp count color? colour? \
        files-without-match files-with-matches max-count= only-matching quiet silent \
        no-messages byte-offset with-filename no-filename label= line-number initial-tab \
        null null-data after-context= before-context= context= group-separator= \
        no-group-separator text binary-files= devices= directories= exclude= exclude-from% \
        exclude-dir= include= recursive dereference-recursive line-buffered binary",
        PatternFiles,
        true,
    )),
    // Not `--pre`, `--pre-glob`, `--hostname-bin`, `-z`/`--search-zip`, `--ignore-file`, `--config`.
    numbered(program(
        "rg",
        "A:B:C:ce:f%Fg:hHiIlLm:M:nNopqr:sSt:T:uUvVwxj:d:E:.0",
        "after-context= before-context= context= count count-matches regexp= file% \
        fixed-strings glob= iglob= glob-case-insensitive hidden no-hidden ignore-case \
        case-sensitive smart-case files files-with-matches files-without-match line-number \
        no-line-number only-matching passthru pcre2 pretty quiet replace= sort= sortr= stats \
        text trim type= type-not= type-list unrestricted multiline multiline-dotall \
        invert-match version with-filename no-filename word-regexp line-regexp max-count= \
        max-columns= max-depth= max-filesize= no-ignore no-ignore-vcs no-messages no-heading \
        heading color= colors= column no-column json vimgrep null threads= follow encoding= \
        crlf one-file-system no-config engine= path-separator=",
        PatternTree,
        false,
    )),
    // Not `-x`/`--exec`.
    program(
        "fd fdfind",
        "HIuUsigFaLlpE:t:e:d:S:o:c:j:q01",
        "hidden no-ignore no-ignore-vcs unrestricted case-sensitive ignore-case glob regex \
        fixed-strings absolute-path list-details follow full-path exclude= type= extension= \
        max-depth= min-depth= exact-depth= size= changed-within= changed-before= owner= \
        color= threads= quiet max-results= print0 strip-cwd-prefix",
        PatternTree,
        false,
    ),
    program(
        "jq",
        "rcsSenRaCMj",
        "raw-output compact-output slurp sort-keys exit-status null-input raw-input \
        ascii-output color-output monochrome-output join-output tab indent=",
        PatternFiles,
        false,
    ),
    program(
        "strings",
        "an:t:ode:w",
        "all bytes= radix= print-file-name encoding= include-all-whitespace",
        Files,
        false,
    ),
    program("xxd", "bceg:il:ps:uE", "", OneFile, false),
    program(
        "hexdump hd",
        "bcCdovxn:s:",
        "canonical length= skip= no-squeezing",
        Files,
        true,
    ),
    program(
        "od",
        "A:j:N:S:t:vw?abcdDfFhHiIlLoOsx",
        "address-radix= skip-bytes= read-bytes= strings? format= output-duplicates width?",
        Files,
        true,
    ),
    program("base64 base32", "diw:", "decode ignore-garbage wrap=", Files, true),
    program(
        "nm size objdump readelf",
        "aABCDghlnprSsuTtWwxdfjhH",
        "all demangle? dynamic defined-only undefined-only headers sections symbols \
        file-header disassemble",
        Files,
        false,
    ),
    program(
        "ps",
        "AaeflFjLmTuxwHo:C:p:u:U:t:",
        "forest sort= pid= user= no-headers headers cols= width=",
        Text,
        true,
    ),
    program(
        "pgrep",
        "lafnoxcu:U:P:t:vi",
        "list-name list-full full newest oldest exact count user= ignore-case",
        Text,
        true,
    ),
    program("free", "bkmghltws:c:", "human wide total si mega giga", Nothing, true),
    program(
        "lscpu lsblk lsmod lsusb lspci",
        "abeflnoptvxyJS",
        "all json list extended? output= verbose tree",
        Text,
        false,
    ),
    program("getconf", "a", "", Text, true),
    program("locale", "akc", "all-locales", Text, true),
    program("tput", "", "", Text, false),
    program("sync", "", "", Nothing, true),
];

/// Programs that are asked one thing only: which version they are.
const VERSIONED: &str = "node npm pnpm bun deno python python3 pip pip3 ruby gem go rustc cargo rustup java javac \
    gcc g++ clang make cmake docker kubectl terraform rg fd jq bash git tsc uv php perl \
    swift curl wget tar gzip sed awk grep find ls cat nextest mvn";

/// What `name` with these arguments does.
pub(super) fn look_up(name: &str, arguments: &[Word]) -> Option<Doing> {
    if let [only] = arguments
        && VERSIONED.split(' ').any(|known| known == name)
        && matches!(only.literal(), Some("--version" | "-V"))
    {
        return Some(Doing::read_only());
    }
    if let ("command", [flag, rest @ ..]) = (name, arguments)
        && matches!(flag.literal(), Some("-v" | "-V"))
    {
        let names = rest.iter().all(|word| word.literal().is_some());
        return names.then(Doing::read_only);
    }
    if name == "go" && matches!(arguments, [only] if only.literal() == Some("version")) {
        return Some(Doing::read_only());
    }
    let program = PROGRAMS
        .iter()
        .find(|program| program.names.split(' ').any(|known| known == name))?;
    if !program.tame && arguments.iter().any(may_become_an_option) {
        return None;
    }
    if name == "echo" || name == "printf" || name == "expr" {
        // Their arguments are text whatever they begin with; `printf -v` is the one exception.
        let sets = name == "printf" && arguments.first().is_some_and(|word| word.raw.starts_with('-'));
        return (!sets).then(Doing::read_only);
    }
    if name == "date"
        && arguments
            .iter()
            .any(|word| !word.raw.trim_start_matches(['"', '\'']).starts_with(['-', '+']))
    {
        return date(arguments);
    }
    let parsed = program.options.parse_of(arguments, program.tame)?;
    let mut doing = Doing::read_only();
    doing
        .reads
        .extend(parsed.paths.iter().cloned().map(|path| (path, Reach::File)));
    let positionals = parsed.positionals.as_slice();
    let here = || Word::plain(".");
    match program.takes {
        Takes::Nothing => {
            if !positionals.is_empty() {
                return None;
            }
        }
        Takes::Text => {}
        Takes::OneFile => {
            if positionals.len() > 1 {
                return None;
            }
            read(&mut doing, positionals, Reach::File);
        }
        Takes::Files => read(&mut doing, positionals, Reach::File),
        Takes::Directories => {
            if positionals.is_empty() {
                doing.reads.push((here(), Reach::Names));
            }
            read(&mut doing, positionals, Reach::Names);
        }
        Takes::PatternFiles | Takes::PatternTree => {
            let given = parsed.has(&["e", "f", "regexp", "file", "files", "type-list"]);
            let files = if given {
                positionals
            } else {
                positionals.get(1..).unwrap_or_default()
            };
            let tree =
                program.takes == Takes::PatternTree || parsed.has(&["r", "R", "recursive", "dereference-recursive"]);
            let reach = if tree { Reach::Tree } else { Reach::File };
            if tree && files.is_empty() {
                doing.reads.push((here(), reach));
            }
            read(&mut doing, files, reach);
        }
    }
    Some(doing)
}

fn read(doing: &mut Doing, words: &[Word], reach: Reach) {
    let files = words.iter().filter(|word| word.text.as_deref() != Some("-"));
    doing.reads.extend(files.cloned().map(|word| (word, reach)));
}

/// A date given as text sets the clock; after `-d` it does not.
fn date(arguments: &[Word]) -> Option<Doing> {
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        match word.literal()? {
            "-d" | "--date" => {
                rest.next()?;
            }
            "-u" | "-R" | "-I" | "--utc" => {}
            text if text.starts_with('+') || text.starts_with("--date=") || text.starts_with("-I") => {}
            _ => return None,
        }
    }
    Some(Doing::read_only())
}

/// An unquoted pattern at the front of a word may expand to a name that begins with a dash.
fn may_become_an_option(word: &Word) -> bool {
    word.glob && word.raw.starts_with(['*', '?', '['])
}
