//! The rows: name, options, what else it takes, whether any word may stand among its arguments.

use super::Takes::{Compared, Directories, Files, Nothing, OneFile, PatternFiles, PatternTree, Text};
use super::{Program, deep, numbered, program};

/// Not `--check`, which reads whatever files another one names.
const SUMS: &str = "binary text tag zero version";
const GREP_SHORT: &str = "EFGPe:f%ivwxycm:bHhnoqsaA:B:C:D:d:IlLrRTUZzu";
const GREP_LONG: &str = "extended-regexp fixed-strings basic-regexp perl-regexp regexp= file% ignore-case \
    no-ignore-case invert-match word-regexp line-regexp count color? colour? \
    files-without-match files-with-matches max-count= only-matching quiet silent \
    no-messages byte-offset with-filename no-filename label= line-number initial-tab \
    null null-data after-context= before-context= context= group-separator= \
    no-group-separator text binary-files= devices= directories= exclude= exclude-from% \
    exclude-dir= include= recursive dereference-recursive line-buffered binary";
const RECURSIVE: &[&str] = &["r", "R", "recursive", "dereference-recursive"];
const FOLLOWING: &[&str] = &["R", "dereference-recursive"];
const LED_OUT: &[&str] = &["L", "dereference"];
const LS_SHORT: &str = "aAbBcCdDfFgGhHiI:klLmnNopqQrRsStT:uUvw:xXZ1";
const LS_LONG: &str = "all almost-all author block-size= color? directory classify? file-type format= \
    full-time group-directories-first no-group human-readable si hide= hyperlink? \
    indicator-style= inode ignore= kibibytes dereference literal numeric-uid-gid \
    quote-name reverse recursive size sort= time= time-style= width= zero version";

pub(super) const PROGRAMS: &[Program] = &[
    program("echo", "neE", "", Text, true),
    program("printf", "", "", Text, false),
    program("true", "", "", Text, true),
    program("false", "", "", Text, true),
    program(":", "", "", Text, true),
    program("break", "", "", Text, true),
    program("continue", "", "", Text, true),
    program("pwd", "LP", "", Nothing, true),
    program("jobs", "lnprs", "", Nothing, false),
    program("ulimit", "SHa", "", Nothing, false),
    program("umask", "pS", "", Nothing, false),
    program("times", "", "", Nothing, true),
    program("whoami", "", "version", Nothing, true),
    program("arch", "", "version", Nothing, true),
    program("nproc", "", "all ignore= version", Nothing, true),
    program("tty", "s", "silent quiet version", Nothing, true),
    program("logname", "", "version", Nothing, true),
    program(
        "id",
        "anGgruzZ",
        "name group groups real user zero context version",
        Text,
        true,
    ),
    program("groups", "", "version", Text, true),
    program(
        "uname",
        "asnrvmpio",
        "all kernel-name nodename kernel-release kernel-version machine processor hardware-platform \
        operating-system version",
        Nothing,
        true,
    ),
    // Not `-f`, `-i`, `-d`, `-A`, which ask a server for names.
    program("hostname", "sI", "short all-ip-addresses", Nothing, false),
    program("uptime", "ps", "pretty since version", Nothing, true),
    program(
        "date",
        "uRI?d:",
        "utc universal rfc-email iso-8601? rfc-3339= date= version",
        Text,
        false,
    ),
    program("cal", "13jmy", "", Text, true),
    program("sleep", "", "version", Text, true),
    program("seq", "ws:f:", "equal-width separator= format= version", Text, true),
    program("expr", "", "", Text, true),
    // They tell whether a file is there.
    program("which", "as", "", Files, true),
    program("type", "aptfP", "", Files, true),
    program("basename", "azs:", "multiple suffix= zero version", Text, true),
    program("dirname", "z", "zero version", Text, true),
    program(
        "realpath",
        "eLmPqsz",
        "canonicalize-existing canonicalize-missing logical physical quiet strip no-symlinks zero relative-to% \
        relative-base% version",
        Files,
        true,
    ),
    program(
        "readlink",
        "efmnqsvz",
        "canonicalize canonicalize-existing canonicalize-missing no-newline quiet silent verbose zero version",
        Files,
        true,
    ),
    deep(program("ls", LS_SHORT, LS_LONG, Directories, true), LED_OUT, LED_OUT),
    deep(program("dir", LS_SHORT, LS_LONG, Directories, true), LED_OUT, LED_OUT),
    deep(program("vdir", LS_SHORT, LS_LONG, Directories, true), LED_OUT, LED_OUT),
    // Not `-o`, `--fromfile`, `--infofile`, `--info`, `-R`.
    program(
        "tree",
        "adfigpsuhDFNQrtcUCnAL:P:I:xvSXJq",
        "dirsfirst filesfirst noreport gitignore prune du si charset= sort= matchdirs \
        ignore-case filelimit= timefmt= inodes device version",
        Directories,
        false,
    ),
    program(
        "cat",
        "AbeEnstTuv",
        "show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting version",
        Files,
        true,
    ),
    program("tac", "brs:", "before regex separator= version", Files, true),
    program(
        "nl",
        "b:d:f:h:i:l:n:ps:v:w:",
        "body-numbering= section-delimiter= footer-numbering= header-numbering= line-increment= join-blank-lines= \
        number-format= no-renumber number-separator= starting-line-number= number-width= version",
        Files,
        true,
    ),
    program("rev", "", "version", Files, true),
    numbered(program(
        "head",
        "n:c:qvz",
        "lines= bytes= quiet silent verbose zero-terminated version",
        Files,
        true,
    )),
    numbered(program(
        "tail",
        "n:c:qvfFs:z",
        "lines= bytes= quiet silent verbose zero-terminated follow? retry pid= sleep-interval= version",
        Files,
        true,
    )),
    // Not `--files0-from`: nor in `du` and `sort`.
    program(
        "wc",
        "clLmw",
        "bytes chars lines max-line-length words total= version",
        Files,
        true,
    ),
    program(
        "stat",
        "Lfc:t",
        "dereference file-system format= printf= terse version",
        Files,
        true,
    ),
    // Not `-m`, `-f`, `-C`, `-z`, `-Z`.
    program(
        "file",
        "bihkLNrsv0E",
        "brief mime mime-type mime-encoding keep-going dereference no-dereference no-pad raw version print0",
        Files,
        false,
    ),
    program(
        "du",
        "abchHklmPsSxd:t:B:0",
        "all apparent-size bytes total human-readable si summarize max-depth= \
        exclude= one-file-system time? threshold= block-size= separate-dirs null inodes version",
        Directories,
        true,
    ),
    program(
        "df",
        "ahHiklPTt:x:B:",
        "all human-readable si inodes local portability print-type type= exclude-type= total \
        output? block-size= no-sync version",
        Files,
        true,
    ),
    program("md5sum", "btz", SUMS, Files, true),
    program("sha1sum", "btz", SUMS, Files, true),
    program("sha224sum", "btz", SUMS, Files, true),
    program("sha256sum", "btz", SUMS, Files, true),
    program("sha384sum", "btz", SUMS, Files, true),
    program("sha512sum", "btz", SUMS, Files, true),
    program("b2sum", "btzl:", SUMS, Files, true),
    program("cksum", "a:z", "algorithm= tag untagged zero version", Files, true),
    program("sum", "rs", "sysv", Files, true),
    program(
        "cmp",
        "bi:ln:s",
        "print-bytes ignore-initial= verbose bytes= quiet silent version",
        Files,
        true,
    ),
    deep(
        numbered(program(
            "diff",
            "qscC:uU:enyW:pF:tTrNx:S:iEbwBI:adX%",
            "normal brief report-identical-files context? unified? ed rcs side-by-side width= \
            left-column suppress-common-lines show-c-function show-function-line= label= \
            expand-tabs initial-tab tabsize= suppress-blank-empty recursive no-dereference \
            new-file unidirectional-new-file ignore-file-name-case exclude= exclude-from% \
            ignore-case ignore-tab-expansion ignore-trailing-space ignore-space-change \
            ignore-all-space ignore-blank-lines ignore-matching-lines= text strip-trailing-cr \
            minimal horizon-lines= speed-large-files color? palette= starting-file= version",
            Compared,
            // `-l` runs `pr`.
            false,
        )),
        &["r", "recursive"],
        &["r", "recursive"],
    ),
    program(
        "comm",
        "123z",
        "check-order nocheck-order output-delimiter= total zero-terminated version",
        Files,
        true,
    ),
    program(
        "join",
        "a:e:i1:2:j:o:t:v:z",
        "ignore-case check-order nocheck-order header zero-terminated version",
        Files,
        true,
    ),
    program(
        "paste",
        "d:sz",
        "delimiters= serial zero-terminated version",
        Files,
        true,
    ),
    program(
        "cut",
        "b:c:d:f:nsz",
        "bytes= characters= delimiter= fields= complement only-delimited output-delimiter= \
        zero-terminated version",
        Files,
        true,
    ),
    program(
        "tr",
        "cCdst",
        "complement delete squeeze-repeats truncate-set1 version",
        Text,
        true,
    ),
    // Not `-o`. A name of an encoding with a slash in it may be that of a file.
    program(
        "iconv",
        "f%t%lcs",
        "from-code% to-code% list silent verbose version",
        Files,
        false,
    ),
    program("fold", "bsw:", "bytes spaces width= version", Files, true),
    program(
        "fmt",
        "ctsuw:g:p:",
        "crown-margin tagged-paragraph split-only uniform-spacing width= goal= prefix= version",
        Files,
        true,
    ),
    program("expand", "it:", "initial tabs= version", Files, true),
    program("unexpand", "at:", "all first-only tabs= version", Files, true),
    program(
        "column",
        "tns:o:c:xeLN:R:J",
        "table separator= output-separator= output-width= fillrows table-columns= json table-right= version",
        Files,
        true,
    ),
    // Not `-o`, `-T`, `--compress-program`, `--files0-from`, `--random-source`, `-S`, which makes it use files.
    program(
        "sort",
        "bdfghiMnRrVcCk:st:uz",
        "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort \
        ignore-nonprinting month-sort human-numeric-sort numeric-sort random-sort reverse \
        sort= version-sort check? key= stable field-separator= unique \
        zero-terminated parallel= version",
        Files,
        false,
    ),
    program(
        "uniq",
        "cdDf:is:uw:z",
        "count repeated all-repeated? skip-fields= group? ignore-case skip-chars= unique \
        check-chars= zero-terminated version",
        OneFile,
        false,
    ),
    deep(
        numbered(program("grep", GREP_SHORT, GREP_LONG, PatternFiles, true)),
        RECURSIVE,
        FOLLOWING,
    ),
    deep(
        numbered(program("egrep", GREP_SHORT, GREP_LONG, PatternFiles, true)),
        RECURSIVE,
        FOLLOWING,
    ),
    deep(
        numbered(program("fgrep", GREP_SHORT, GREP_LONG, PatternFiles, true)),
        RECURSIVE,
        FOLLOWING,
    ),
    // Not `--pre`, `--pre-glob`, `--hostname-bin`, `-z`/`--search-zip`, `--ignore-file`, `--config`.
    deep(
        program(
            "rg",
            "A:B:C:ce:f%Fg:hHiIlLm:M:nNopPqr:sSt:T:uUvVwxj:d:E:.0a",
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
        ),
        &[],
        &["L", "follow"],
    ),
    // Not `-x`/`--exec`, `-X`/`--exec-batch`, `-l`, which runs `ls`, `-L`, which leads out, `--ignore-file`.
    program("fd", "HIusigFapE:t:e:d:S:o:c:j:q01", FD_LONG, PatternTree, false),
    program("fdfind", "HIusigFapE:t:e:d:S:o:c:j:q01", FD_LONG, PatternTree, false),
    program(
        "strings",
        "an:t:ofe:w",
        "all bytes= radix= print-file-name encoding= include-all-whitespace version",
        Files,
        false,
    ),
    program("xxd", "abc:Ceg:il:o:ps:u", "", OneFile, false),
    program(
        "hexdump",
        "bcCdovxn:s:e:",
        "canonical length= skip= no-squeezing one-byte-octal one-byte-char version",
        Files,
        false,
    ),
    program("hd", "bcCdovxn:s:", "", Files, false),
    program(
        "od",
        "A:j:N:S:t:vw?abcdfhilosx",
        "address-radix= skip-bytes= read-bytes= strings? format= output-duplicates width? traditional version",
        Files,
        true,
    ),
    program("base64", "diw:", "decode ignore-garbage wrap= version", Files, true),
    program("base32", "diw:", "decode ignore-garbage wrap= version", Files, true),
    // Not `@file`, which holds more options: see `look_up`; not `--plugin`.
    program(
        "nm",
        "aABCDgnoprSuv",
        "debug-syms print-file-name demangle? dynamic defined-only undefined-only extern-only numeric-sort no-sort \
        print-size reverse-sort size-sort portability version",
        Files,
        false,
    ),
    program("size", "ABdoxt", "totals common version", Files, false),
    program(
        "readelf",
        "ahlSsdnrVW",
        "all file-header program-headers sections symbols dynamic notes relocs version-info wide version",
        Files,
        false,
    ),
    program(
        "ps",
        "AaeflFjLmTuxwHo:C:p:u:U:t:",
        "forest sort= pid= user= no-headers headers cols= width= version",
        Text,
        true,
    ),
    // Not `-F`/`--pidfile`, which reads a file.
    program(
        "pgrep",
        "lafnoxcu:U:P:t:viw",
        "list-name list-full full newest oldest exact count uid= euid= parent= terminal= inverse ignore-case version",
        Text,
        false,
    ),
    program(
        "free",
        "bkmghltwvs:c:",
        "bytes kilo mega giga human wide total lohi si version",
        Nothing,
        true,
    ),
    // Not `-K`, which closes sockets, nor `-F`, `-D`.
    program(
        "ss",
        "nlaoempiTsHt4uxwd0S6Oz",
        "numeric listening all options extended memory processes info summary no-header tcp udp unix raw \
        ipv4 ipv6 oneline version",
        Nothing,
        false,
    ),
    // Only with `-i`: see `lists_sockets`.
    program("lsof", "i?nPtals?", "", Text, false),
    program(
        "netstat",
        "tulnpaxrsieW46",
        "tcp udp listening numeric programs all unix route statistics interfaces extend wide",
        Nothing,
        false,
    ),
    program(
        "lscpu",
        "abceJpxy",
        "all online json bytes hex physical version",
        Nothing,
        true,
    ),
    program(
        "lsblk",
        "abdfilmnpPrSstxJoO",
        "all bytes nodeps fs ascii list perms noheadings paths pairs raw scsi inverse json version",
        Nothing,
        false,
    ),
    program("lsmod", "", "", Nothing, true),
    program("getconf", "a", "", Files, true),
    // Not `-m`, which unpacks.
    program("locale", "akc", "all-locales category-name keyword-name", Text, false),
];

const FD_LONG: &str = "hidden no-ignore no-ignore-vcs unrestricted case-sensitive ignore-case glob regex \
    fixed-strings absolute-path full-path exclude= type= extension= \
    max-depth= min-depth= exact-depth= size= changed-within= changed-before= owner= \
    color= threads= quiet max-results= print0 strip-cwd-prefix version";
