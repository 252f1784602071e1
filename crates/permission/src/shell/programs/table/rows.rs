//! The rows of the table: names, what the other arguments are, the letters of options, their long names.
//!
//! `tame`: no option of the program does more than read files of the working directory; only then may a word whose
//! value is unknown stand where an option could. `numbers`: `-5` is a number of lines. `deep=` and `follows=`: options
//! with which it reads whole trees, and follows the links in them. `unlisted`: not run by the oracle.

/// Programs that only read with these options, and those that change nothing but the files they name.
pub(super) const PROGRAMS: &[&str] = &[
    "echo | text tame | neE |",
    "printf | text | |",
    "true,false,:,break,continue | text tame | |",
    "pwd | nothing tame | LP |",
    "jobs | nothing | lnprs |",
    "ulimit | nothing | SHa |",
    "umask | nothing | pS |",
    "times | nothing tame | |",
    "whoami,arch | nothing tame | | version",
    "nproc | nothing tame | | all ignore= version",
    "tty | nothing tame | s | silent quiet version",
    "logname | nothing tame | | version",
    "id | text tame | anGgruzZ | name group groups real user zero context version",
    "groups | text tame | | version",
    "uname | nothing tame | asnrvmpio | all kernel-name nodename kernel-release kernel-version machine processor \
        hardware-platform operating-system version",
    // Not `-f`, `-i`, `-d`, `-A`, which ask a server for names.
    "hostname | nothing | sI | short all-ip-addresses",
    "uptime | nothing tame | ps | pretty since version",
    "date | text | uRI?d: | utc universal rfc-email iso-8601? rfc-3339= date= version",
    "cal | text tame | 13jmy |",
    "sleep | text tame | | version",
    "seq | text tame | ws:f: | equal-width separator= format= version",
    "expr | text tame | |",
    // They tell whether a file is there.
    "which | files tame | as |",
    "type | files tame | aptfP |",
    "basename | text tame | azs: | multiple suffix= zero version",
    "dirname | text tame | z | zero version",
    "realpath | files tame | eLmPqsz | canonicalize-existing canonicalize-missing logical physical quiet strip \
        no-symlinks zero relative-to% relative-base% version",
    "readlink | files tame | efmnqsvz | canonicalize canonicalize-existing canonicalize-missing no-newline quiet \
        silent verbose zero version",
    "ls,dir,vdir | directories tame deep=L,dereference follows=L,dereference | \
        aAbBcCdDfFgGhHiI:klLmnNopqQrRsStT:uUvw:xXZ1 | all almost-all author block-size= color? directory classify? \
        file-type format= full-time group-directories-first no-group human-readable si hide= hyperlink? \
        indicator-style= inode ignore= kibibytes dereference literal numeric-uid-gid quote-name reverse recursive \
        size sort= time= time-style= width= zero version",
    // Not `-o`, `--fromfile`, `--infofile`, `--info`, `-R`.
    "tree | directories | adfigpsuhDFNQrtcUCnAL:P:I:xvSXJq | dirsfirst filesfirst noreport gitignore prune du si \
        charset= sort= matchdirs ignore-case filelimit= timefmt= inodes device version",
    "cat | files tame | AbeEnstTuv | show-all number-nonblank show-ends number squeeze-blank show-tabs \
        show-nonprinting version",
    "tac | files tame | brs: | before regex separator= version",
    "nl | files tame | b:d:f:h:i:l:n:ps:v:w: | body-numbering= section-delimiter= footer-numbering= \
        header-numbering= line-increment= join-blank-lines= number-format= no-renumber number-separator= \
        starting-line-number= number-width= version",
    "rev | files tame | | version",
    "head | files tame numbers | n:c:qvz | lines= bytes= quiet silent verbose zero-terminated version",
    "tail | files tame numbers | n:c:qvfFs:z | lines= bytes= quiet silent verbose zero-terminated follow? retry \
        pid= sleep-interval= version",
    // Not `--files0-from`: nor in `du` and `sort`.
    "wc | files tame | clLmw | bytes chars lines max-line-length words total= version",
    "stat | files tame | Lfc:t | dereference file-system format= printf= terse version",
    // Not `-m`, `-f`, `-C`, `-z`, `-Z`.
    "file | files | bihkLNrsv0E | brief mime mime-type mime-encoding keep-going dereference no-dereference no-pad \
        raw version print0",
    "du | directories tame | abchHklmPsSxd:t:B:0 | all apparent-size bytes total human-readable si summarize \
        max-depth= exclude= one-file-system time? threshold= block-size= separate-dirs null inodes version",
    "df | files tame | ahHiklPTt:x:B: | all human-readable si inodes local portability print-type type= \
        exclude-type= total output? block-size= no-sync version",
    "md5sum,sha1sum,sha224sum,sha256sum,sha384sum,sha512sum | files tame | btz | binary text tag zero version",
    "b2sum | files tame | btzl: | binary text tag zero version",
    "cksum | files tame | a:z | algorithm= tag untagged zero version",
    "sum | files tame | rs | sysv",
    "cmp | files tame | bi:ln:s | print-bytes ignore-initial= verbose bytes= quiet silent version",
    // `-l` runs `pr`.
    "diff | compared numbers deep=r,recursive follows=r,recursive | qscC:uU:enyW:pF:tTrNx:S:iEbwBI:adX% | normal \
        brief report-identical-files context? unified? ed rcs side-by-side width= left-column suppress-common-lines \
        show-c-function show-function-line= label= expand-tabs initial-tab tabsize= suppress-blank-empty recursive \
        no-dereference new-file unidirectional-new-file ignore-file-name-case exclude= exclude-from% ignore-case \
        ignore-tab-expansion ignore-trailing-space ignore-space-change ignore-all-space ignore-blank-lines \
        ignore-matching-lines= text strip-trailing-cr minimal horizon-lines= speed-large-files color? palette= \
        starting-file= version",
    "comm | files tame | 123z | check-order nocheck-order output-delimiter= total zero-terminated version",
    "join | files tame | a:e:i1:2:j:o:t:v:z | ignore-case check-order nocheck-order header zero-terminated \
        version",
    "paste | files tame | d:sz | delimiters= serial zero-terminated version",
    "cut | files tame | b:c:d:f:nsz | bytes= characters= delimiter= fields= complement only-delimited \
        output-delimiter= zero-terminated version",
    "tr | text tame | cCdst | complement delete squeeze-repeats truncate-set1 version",
    // Not `-o`. A name of an encoding with a slash in it may be that of a file.
    "iconv | files | f%t%lcs | from-code% to-code% list silent verbose version",
    "fold | files tame | bsw: | bytes spaces width= version",
    "fmt | files tame | ctsuw:g:p: | crown-margin tagged-paragraph split-only uniform-spacing width= goal= \
        prefix= version",
    "expand | files tame | it: | initial tabs= version",
    "unexpand | files tame | at: | all first-only tabs= version",
    "column | files tame | tns:o:c:xeLN:R:J | table separator= output-separator= output-width= fillrows \
        table-columns= json table-right= version",
    // Not `-o`, `-T`, `--compress-program`, `--files0-from`, `--random-source`, `-S`, which makes it use files.
    "sort | files | bdfghiMnRrVcCk:st:uz | ignore-leading-blanks dictionary-order ignore-case \
        general-numeric-sort ignore-nonprinting month-sort human-numeric-sort numeric-sort random-sort reverse sort= \
        version-sort check? key= stable field-separator= unique zero-terminated parallel= version",
    "uniq | one-file | cdDf:is:uw:z | count repeated all-repeated? skip-fields= group? ignore-case skip-chars= \
        unique check-chars= zero-terminated version",
    "grep,egrep,fgrep | pattern-files tame numbers deep=r,R,recursive,dereference-recursive \
        follows=R,dereference-recursive | EFGPe:f%ivwxycm:bHhnoqsaA:B:C:D:d:IlLrRTUZzu | extended-regexp \
        fixed-strings basic-regexp perl-regexp regexp= file% ignore-case no-ignore-case invert-match word-regexp \
        line-regexp count color? colour? files-without-match files-with-matches max-count= only-matching quiet \
        silent no-messages byte-offset with-filename no-filename label= line-number initial-tab null null-data \
        after-context= before-context= context= group-separator= no-group-separator text binary-files= devices= \
        directories= exclude= exclude-from% exclude-dir= include= recursive dereference-recursive line-buffered \
        binary",
    // Not `--pre`, `--pre-glob`, `--hostname-bin`, `-z`/`--search-zip`, `--ignore-file`, `--config`.
    "rg | pattern-tree follows=L,follow | A:B:C:ce:f%Fg:hHiIlLm:M:nNopPqr:sSt:T:uUvVwxj:d:E:.0a | after-context= \
        before-context= context= count count-matches regexp= file% fixed-strings glob= iglob= glob-case-insensitive \
        hidden no-hidden ignore-case case-sensitive smart-case files files-with-matches files-without-match \
        line-number no-line-number only-matching passthru pcre2 pretty quiet replace= sort= sortr= stats text trim \
        type= type-not= type-list unrestricted multiline multiline-dotall invert-match version with-filename \
        no-filename word-regexp line-regexp max-count= max-columns= max-depth= max-filesize= no-ignore no-ignore-vcs \
        no-messages no-heading heading color= colors= column no-column json vimgrep null threads= follow encoding= \
        crlf one-file-system no-config engine= path-separator=",
    // Not `-x`/`--exec`, `-X`/`--exec-batch`, `-l`, which runs `ls`, `-L`, which leads out, `--ignore-file`.
    "fd,fdfind | pattern-tree | HIusigFapE:t:e:d:S:o:c:j:q01 | hidden no-ignore no-ignore-vcs unrestricted \
        case-sensitive ignore-case glob regex fixed-strings absolute-path full-path exclude= type= extension= \
        max-depth= min-depth= exact-depth= size= changed-within= changed-before= owner= color= threads= quiet \
        max-results= print0 strip-cwd-prefix version",
    "strings | files | an:t:ofe:w | all bytes= radix= print-file-name encoding= include-all-whitespace version",
    "xxd | one-file | abc:Ceg:il:o:ps:u |",
    "hexdump | files | bcCdovxn:s:e: | canonical length= skip= no-squeezing one-byte-octal one-byte-char version",
    "hd | files | bcCdovxn:s: |",
    "od | files tame | A:j:N:S:t:vw?abcdfhilosx | address-radix= skip-bytes= read-bytes= strings? format= \
        output-duplicates width? traditional version",
    "base64,base32 | files tame | diw: | decode ignore-garbage wrap= version",
    // Not `@file`, which holds more options: see `look_up`; not `--plugin`.
    "nm | files | aABCDgnoprSuv | debug-syms print-file-name demangle? dynamic defined-only undefined-only \
        extern-only numeric-sort no-sort print-size reverse-sort size-sort portability version",
    "size | files | ABdoxt | totals common version",
    "readelf | files | ahlSsdnrVW | all file-header program-headers sections symbols dynamic notes relocs \
        version-info wide version",
    "ps | text tame | AaeflFjLmTuxwHo:C:p:u:U:t: | forest sort= pid= user= no-headers headers cols= width= \
        version",
    // Not `-F`/`--pidfile`, which reads a file.
    "pgrep | text | lafnoxcu:U:P:t:viw | list-name list-full full newest oldest exact count uid= euid= parent= \
        terminal= inverse ignore-case version",
    "free | nothing tame | bkmghltwvs:c: | bytes kilo mega giga human wide total lohi si version",
    // Not `-K`, which closes sockets, nor `-F`, `-D`.
    "ss | nothing | nlaoempiTsHt4uxwd0S6Oz | numeric listening all options extended memory processes info summary \
        no-header tcp udp unix raw ipv4 ipv6 oneline version",
    // Only with `-i`: see `lists_sockets`.
    "lsof | text | i?nPtals? |",
    "netstat | nothing | tulnpaxrsieW46 | tcp udp listening numeric programs all unix route statistics interfaces \
        extend wide",
    "lscpu | nothing tame | abceJpxy | all online json bytes hex physical version",
    "lsblk | nothing | abdfilmnpPrSstxJoO | all bytes nodeps fs ascii list perms noheadings paths pairs raw scsi \
        inverse json version",
    "lsmod | nothing tame | |",
    "getconf | files tame | a |",
    // Not `-m`, which unpacks.
    "locale | text | akc | all-locales category-name keyword-name",
    "docker ps | own | aqlsn:f: | all quiet latest size no-trunc last= filter= format=",
    "docker images | own | aqf: | all quiet digests no-trunc filter= format=",
    // Not `-I`, `-F`, `--to-command`, `--checkpoint-action` and `--rsh-command`, which run something, nor `-C`, `-T`,
    // `-X` and `-g`, which name other files.
    "tar | own | tvzjJZf% | list verbose gzip bzip2 xz zstd lzma lzip file% wildcards no-wildcards exclude= \
        strip-components= full-time numeric-owner utc",
    // Not `-p`, which shows the contents, and nothing that unpacks.
    "unzip | own | lvqz |",
    "zcat | own | f | force",
    "xargs | own | 0rtxn:L:P:d:I:s:E: | null no-run-if-empty verbose exit max-args= max-lines= max-procs= \
        delimiter= replace= max-chars= version",
    // Not `-o`, `-k`, `-T`, `-t`.
    "less | own | SNRrFXEeiIn | chop-long-lines LINE-NUMBERS RAW-CONTROL-CHARS quit-if-one-screen no-init version",
    "sed | own | nErsuze:i?l: | quiet silent regexp-extended separate unbuffered null-data expression= in-place? \
        posix sandbox debug line-length= version",
    "awk | own | F:v: | field-separator= assign= version",
    "jq | own | rcsSenRaCMjh | raw-output compact-output slurp sort-keys exit-status null-input raw-input \
        ascii-output color-output monochrome-output join-output tab indent= version",
    // Programs that create, move and remove files.
    "mkdir | changes | pvm: | parents verbose mode=",
    "touch | changes | acmt:d:r% | no-create date= time= reference%",
    "rm | changes | firRdvI | force recursive dir verbose interactive? one-file-system preserve-root",
    "rmdir | changes | pv | parents verbose ignore-fail-on-non-empty",
    "mv | changes | finuvT | force interactive no-clobber update? verbose no-target-directory",
    // Not recursive: the content of a tree, a `.git` for example, is not known.
    "cp | changes | finupvTL | force interactive no-clobber update? preserve? verbose no-target-directory \
        dereference",
    "tee | changes | aip | append ignore-interrupts output-error?",
    "git log,git show,git rev-list,git diff,git diff-tree,git diff-index,git diff-files,git reflog | own numbers \
        | pusn:S:G:L:iEFPwbzcmgqtrRaWU?M?C?B?D | oneline graph all stat? shortstat numstat dirstat? summary \
        name-only name-status patch no-patch raw decorate? no-decorate abbrev-commit no-abbrev-commit abbrev? \
        pretty? format? date= since= after= until= before= author= committer= grep= all-match invert-grep \
        regexp-ignore-case extended-regexp fixed-strings perl-regexp max-count= skip= first-parent merges no-merges \
        min-parents= max-parents= branches? tags? remotes? reverse topo-order date-order author-date-order follow \
        full-history cc combined-all-paths full-diff left-right cherry cherry-pick boundary simplify-by-decoration \
        walk-reflogs source color? no-color color-words? word-diff? word-diff-regex= unified? minimal patience \
        histogram diff-algorithm= diff-filter= find-renames? find-copies? find-copies-harder no-renames \
        ignore-all-space ignore-space-change ignore-space-at-eol ignore-blank-lines function-context \
        inter-hunk-context= pickaxe-all pickaxe-regex text binary full-index compact-summary check no-index \
        no-ext-diff no-textconv cached staged merge-base quiet exit-code relative? submodule? no-prefix src-prefix= \
        dst-prefix= cherry-mark patch-with-stat no-notes notes? parents children count objects ours theirs base root \
        no-commit-id always mailmap use-mailmap encoding= not glob= exclude= remove-empty dense sparse topo",
    "git status | own numbers | sbu?z | short branch porcelain? long untracked-files? ignored? show-stash \
        ahead-behind no-ahead-behind renames no-renames column? null",
    "git shortlog | own numbers | nsec | numbered summary email committer all no-merges since= until= group=",
    "git blame,git annotate | own numbers | wlsetnfpcL:M?C? | date= porcelain line-porcelain show-email root \
        since= abbrev?",
    "git rev-parse | own numbers | q | show-toplevel show-prefix show-cdup git-dir git-common-dir \
        absolute-git-dir is-inside-work-tree is-inside-git-dir is-bare-repository abbrev-ref? short? verify symbolic \
        symbolic-full-name all branches tags remotes quiet show-superproject-working-tree show-object-format",
    // With `--dirty` it gets a copy of the index, see `quiet`. Not `--broken`, which runs git once more.
    "git describe | own numbers | | dirty? all tags contains abbrev= always long exact-match first-parent match= \
        exclude= candidates=",
    "git ls-files | own numbers | cdomiuskzvtfx: | cached deleted modified others ignored stage unmerged killed \
        directory exclude-standard full-name error-unmatch exclude= abbrev? deduplicate",
    "git ls-tree | own numbers | drtlz | long name-only name-status full-name full-tree abbrev? object-only \
        format=",
    "git cat-file | own numbers | tsep |",
    "git merge-base | own numbers | a | all octopus independent is-ancestor fork-point",
    "git name-rev | own numbers | | tags name-only refs= always",
    "git for-each-ref | own numbers | | format= sort= count= contains? no-contains? merged? no-merged? points-at=",
    "git count-objects | own numbers | vH | verbose human-readable",
    "git cherry | own numbers | v | abbrev?",
    "git show-ref | own numbers | dq | head heads tags branches dereference hash? abbrev? quiet",
    "git symbolic-ref | own numbers | q | short quiet",
    "git check-ignore | own numbers | qvzn | quiet verbose non-matching no-index",
    "git grep | own numbers | acEFGPHhiIlLnovwWzqe:f%A:B:C:m: | text ignore-case word-regexp invert-match \
        line-number column files-with-matches name-only files-without-match count color? no-color break heading \
        show-function function-context after-context= before-context= context= and or not all-match quiet max-depth= \
        recursive cached untracked no-index extended-regexp fixed-strings perl-regexp basic-regexp only-matching \
        max-count= full-name",
    "git branch | own numbers | avrl | all remotes list verbose show-current merged? no-merged? contains? \
        no-contains? sort= format= points-at= color? no-color column? no-column abbrev? no-abbrev ignore-case",
    "git tag | own numbers | ln? | list sort= format= contains? no-contains? merged? no-merged? points-at= \
        column? no-column color? ignore-case",
    "git remote | own numbers | v | verbose",
    "git worktree list | own numbers unlisted | vz | porcelain verbose",
    "git remote get-url | own numbers unlisted | | push all",
    "git notes list | own numbers unlisted | |",
    "git config | own numbers unlisted | lz | get get-all get-regexp list local global system show-origin \
        show-scope name-only null type= default=",
];

/// Programs that read the folder to find out which version they are: the programs, the arguments that ask for the
/// version, and the files of the folder that they would obey. `managers`: those of version managers.
pub(super) const TOOLCHAINS: &[[&str; 3]] = &[
    ["node", "--version, -v", ".node-version .nvmrc managers"],
    ["python python3", "--version, -V", ".python-version managers"],
    ["pip pip3", "--version", ".python-version managers"],
    ["ruby", "--version", ".ruby-version managers"],
    // The machine's options may also come from a file, as may the instructions for its compiler.
    [
        "java",
        "--version, -version",
        ".java-version .hotspotrc .hotspot_compiler managers",
    ],
    ["psql", "--version, -V", "managers"],
    ["kubectl", "version --client, version --client=true", "managers"],
    // It prints the plugins of the folder, as they are written in the lock file, and runs none.
    [
        "terraform",
        "version, --version, -version",
        ".terraform-version managers",
    ],
    ["npm", "--version, -v", ".npmrc"],
    [
        "pnpm",
        "--version",
        ".npmrc package.json pnpm-workspace.yaml .pnpmfile.cjs",
    ],
    ["bun", "--version", "bunfig.toml .env"],
    ["deno tsc", "--version", ""],
    ["rustc rustup", "--version", "rust-toolchain rust-toolchain.toml"],
    [
        "cargo",
        "--version",
        "rust-toolchain rust-toolchain.toml .cargo/config .cargo/config.toml",
    ],
];
