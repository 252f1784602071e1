"""Generates command lines for the oracle: every option of every program that counts as read-only, and random bash syntax."""
import re
import subprocess

FILES = ["a.txt", "b.txt", "src", "src/main.rs", ".", "a.json", "a.bin", "*.txt", "*", "src/*", "./a.txt", "a b"]
VALUES = ["1", "x", "a.txt", "out", "--output=out", "-oout", "@opts", "/etc/hostname", "%s", "e1e zap", "-e1ezap", "zap", "5,1", "{at}/outside/key"]
LEADS = {"sed": ["p", "-n 1p", "'s/a/b/'"], "awk": ["1", "'{print $1}'"], "jq": [".", "-n 1"], "grep": ["a"], "egrep": ["a"], "fgrep": ["a"],
         "rg": ["a"], "fd": ["a"], "fdfind": ["a"], "git grep": ["a"], "find": [".", "src"], "xargs": ["", "-I{} ls {}"], "git show": ["HEAD"],
         "git cat-file": ["HEAD"], "git blame": ["a.txt"], "git merge-base": ["HEAD main"], "git symbolic-ref": ["HEAD"], "tr": ["a b"],
         "date": ["+%s"], "seq": ["3"], "sleep": ["0"], "expr": ["1"], "printf": ["x"], "basename": ["a/b"], "tail": ["a.txt"], "base64": ["a.txt"],
         "tar": ["-tf a.tgz", "-tzf a.tgz"], "unzip": ["-l"], "zcat": ["b.gz"], "lsof": ["-i"]}
# Programs whose options are only valid after their first arguments.
LEAD_FIRST = ("find", "unzip")


def of_help(program):
    """Returns the options in the help text of a program."""
    try:
        words = program.split()
        told = subprocess.run([*words, "-h" if words[0] == "git" else "--help"], capture_output=True, text=True, timeout=5,
                              stdin=subprocess.DEVNULL, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return sorted(set(re.findall(r"(?<![\w-])(--[a-z][a-z0-9-]+|-[A-Za-z0-9])(?=[\s=,\[]|$)", told.stdout + told.stderr)))


def spelled(option, mark, chance, at):
    """Generates the ways to write an option."""
    values = [value.replace("{at}", at) for value in chance.sample(VALUES, 5)]
    value = lambda: "'" + chance.choice(values) + "'"
    glue = "=" if option.startswith("--") else ""
    yield option
    yield f"{option} {option}"
    yield f"{option} {value()}"
    yield f"{option}{glue}{value()}"
    yield f"{option} '--output=out'"
    yield f"{option} -oout"
    yield f"'{option}'"
    yield f"{option[:1]}''{option[1:]}"
    if option.startswith("--") and len(option) > 5:
        yield option[:-1]
        yield f"{option[:len(option) // 2 + 1]}{glue}{value()}"
    if mark in ":=%":
        yield f"{option}{glue}1"
        yield f"{option} 1"
        yield f"{option} a.txt"
        yield f"{option}{glue}a.txt"


def briefly(corpus, installed):
    """Generates every option of every program once or twice, with correct syntax."""
    for program, options in corpus:
        if not installed(program.split()[0]) and program not in (":", "type", "jobs", "break", "continue", "times", "ulimit", "umask"):
            continue
        lead = LEADS.get(program, [""])[0]
        for option, mark in options:
            if program == "tail" and option in ("-f", "-F", "--follow", "--retry"):
                continue
            glue = "=" if option.startswith("--") else ""
            if mark == " ":
                written = [option]
            elif mark == "?":
                written = [option, f"{option}{glue}1"]
            else:
                value = "a.txt" if mark == "%" else "1"
                written = [f"{option} {value}"] if program == "find" else [f"{option}{glue}{value}", f"{option} {value}"]
            for one in written:
                first, last = (lead, one) if program in LEAD_FIRST else (one, lead)
                file = "" if program in NO_FILE else "a.txt"
                yield f"{program} {first} {last} {file}".strip(), (program, option)


def wholly(corpus, installed):
    """Generates every option of the table and of the help text of a program, in several ways to write it."""
    for program, options in corpus:
        if not installed(program.split()[0]):
            continue
        lead = LEADS.get(program, [""])[0]
        file = "" if program in NO_FILE else "a.txt"
        marks = dict(options)
        told = [] if program in ("find", "xargs", "docker ps", "docker images") else of_help(program)
        for option in [*marks, *(one for one in told if one not in marks)]:
            if program == "tail" and option in ("-f", "-F", "--follow", "--retry"):
                continue
            glue = "=" if option.startswith("--") else ""
            written = [option, f"{option} {option}", f"{option} 1", f"{option}{glue}1", f"{option}{glue}a.txt", f"{option} --output=out", f"-- {option}"]
            if option.startswith("--") and len(option) > 5:
                written += [option[:-1], f"{option[:-2]}=zap"]
            for one in written:
                first, last = (lead, one) if program in LEAD_FIRST else (one, lead)
                yield f"{program} {first} {last} {file}".strip(), (program, option)


NO_FILE = ("find", "xargs", "pwd", "whoami", "arch", "nproc", "tty", "logname", "uname", "hostname", "uptime", "date", "free", "lscpu", "lsblk",
           "lsmod", "netstat", "jobs", "ulimit", "umask", "times", "git branch", "git tag", "git remote", "git reflog", "git symbolic-ref", "jq",
           "docker ps", "docker images", "git merge-base", "git for-each-ref", "git count-objects", "ps", "ss", "lsof", "zcat", "sleep", "seq", "git status")


def of_programs(corpus, chance, at, installed):
    """Generates every option of every program, combinations of options, and options from help texts that the table lacks."""
    present = [(program, options) for program, options in corpus if installed(program.split()[0]) or program in ("echo", ":", "type", "jobs")]
    chance.shuffle(present)
    for program, options in present:
        lead = LEADS.get(program, [""])
        if program in ("sleep", "tail"):
            options = [one for one in options if one[0] not in ("-f", "-F", "--follow", "--retry")]
        for option, mark in options:
            for written in spelled(option, mark, chance, at):
                file = chance.choice(FILES)
                first = chance.choice(lead)
                for line in (f"{program} {written} {first} {file}", f"{program} {first} {file} {written}", f"{program} {first} {written}"):
                    yield line.strip(), (program, option)
            yield f"{program} {chance.choice(lead)} -- {option} a.txt", None
            other = chance.choice(options)[0]
            yield f"{program} {option} {other} {chance.choice(lead)} a.txt", (program, option)
        for option in of_help(program):
            for written in spelled(option, "=", chance, at):
                yield f"{program} {written} {chance.choice(lead)} {chance.choice(FILES)}".strip(), None


ZAP = ["zap", "z''ap", "\\zap", "$'zap'", "z\\\nap", "{zap,x}", "./link", "./r.sh", "$(echo zap)", "${x:-zap}", "'zap'", "command zap", "zap\\", "z?p"]
QUOTES = ["'{}'", "\"{}\"", "$'{}'", "{}", "\\{}", "\"$({})\"", "`{}`", "$({})", "<({})", "${{x:-{}}}", "${{x:-$({})}}", "$(({}))", "$[{}]", "\"$[{}]\"",
          "a[$({})]", "'a[$({})]'", "\"${{a[$({})]}}\"", "${{x@P}}", "{{{},b}}", "\"${{x/{}/y}}\"", "$\"{}\"", "${{!{}}}", "~{}", "{}*", "[{}]"]
WRAPS = ["{}", "{}; ls", "ls; {}", "({})", "{{ {}; }}", "if true; then {}; fi", "for f in a b; do {}; done", "while {}; do break; done",
         "case x in x) {};; esac", "! {}", "{} &", "{} && ls", "ls | {}", "{} | cat", "time {}", "x=1; {}", "f() {{ {}; }}; f", "coproc {}",
         "cat <<E\n{}\nE", "cat <<'E'\n{}\nE", "cat <<E\n$({})\nE", "cat <<-E\n\t{}\n\tE", "cat <<E\nE\\\n{}\nE", "cat <<< \"{}\"", "[[ -n {} ]]",
         "[[ x == {} ]]", "[ -n {} ]", "test -v {}", "(( {} ))", "let {}", "eval {}", "trap {} EXIT", "env {}", "timeout 1 {}", "nice {}", "exec {}",
         "bash -c {}", "sh -c {}", "xargs {} < name", "find . -maxdepth 0 -exec {} \\;", "for f in *; do {} \"$f\"; done", "{} > /dev/null",
         "{} 2>&1", "{} {{fd}}>/dev/null", "{} {{a[x]}}>/dev/null", "export x={}", "declare x={}", "declare -i x={}", "x={} ls", "LC_ALL={} ls",
         "printf -v {} x", "read -r {} < name", "mapfile {} < name", "select f in {}; do break; done", "until {}; do break; done", "{} # c\nls",
         "ls # {}\n", "ls \\\n{}", "for ((i=0;i<1;i++)); do {}; done", "function g {{ {}; }}", "diff <({}) a.txt", "echo $({})", "echo \"$({})\"",
         "while read -r l; do {}; done < a.txt", "f={}; cat \"$f\"", "cat {}", "head -n {} a.txt", "sed -n {} a.txt", "grep -r {} .", "awk {} a.txt",
         "sort {} a.txt", "git log {}", "git {} status", "find {} -name x", "find . -name {} | xargs wc -l", "ls {}"]
READS = ["ls", "cat a.txt", "head -n 1 a.txt", "sed -n 1p a.txt", "awk '{print $1}' a.txt", "grep -n a a.txt", "git status", "git log -1", "git diff",
         "find . -name '*.rs'", "wc -l a.txt", "sort a.txt", "echo hi", "sed -n p *", "cat *.txt", "git show HEAD:a.txt", "git show $(git rev-parse HEAD) --stat", "git diff $(git merge-base HEAD other)", "pushd src && ls && popd", "tar tzf a.tgz", "jq . a.json", "du -sh .",
         "git grep a", "grep -r a src", "grep -R a .", "find . -type f | xargs head -1", "cat src/*", "git diff --stat", "tail -1 \"$f\"", "diff -r a b",
         "for f in *; do head -1 \"$f\"; done", "less a.txt", "git -C sub status", "cd sub && git log", "cargo --version", "sort *", "file *", "stat *",
         "echo ../outside/*", "echo ~/.ssh/*", "printf '%s\\n' ../outside/*", "for f in ../outside/*; do echo x; done", "[[ -f ../outside/key ]]", "[[ -e ~/.ssh/id ]]",
         "test -e ../outside/key", "[[ ../outside/key -nt a.txt ]]", "[[ -f $f ]]", "basename $(cat list)", "which $(cat list)", "for f in $(cat globs); do echo \"$f\"; done",
         "printf '%s\\n' $(cat globs)", "basename -a $(cat globs)", "x=$(cat globs); echo $x", "x=$(cat globs); dirname $x", "ls ..", "ls ~", "echo ~", "go version", "python3 --version",
         "find . -exec xargs cat {} \\;", "cat list | find . -maxdepth 0 -exec xargs cat {} \\;", "git diff --no-index .. src", "git describe --dirty", "git branch -l --format='%(signature)'",
         "git log --format=%GG", "read -r f < globs; basename $f", "for f in *; do [[ -f $f ]] && head -1 \"$f\"; done", "seq $(wc -l < a.txt)", "ls $(ls)", "cat $(ls src)"]


def of_grammar(corpus, chance):
    """Generates endless random lines: a harmless command or `zap`, randomly quoted, wrapped and joined."""
    programs = [program for program, _ in corpus]
    pieces = "ls zap ; & | && || ( ) { } < > << <<< >& $( ) ` ' \" \\ $ * ? [ ] ~ # ! = a.txt x -n -e \n [[ ]] (( )) if then fi do done in case esac".split(" ")
    while True:
        roll = chance.random()
        if roll < 0.12:
            yield " ".join(chance.choice(pieces) for _ in range(chance.randint(2, 9))), None
            continue
        core = chance.choice(ZAP) if chance.random() < 0.45 else chance.choice(READS)
        if roll > 0.9:
            core = f"{chance.choice(programs)} {chance.choice(ZAP)}"
        for _ in range(chance.randint(0, 2)):
            core = chance.choice(QUOTES).format(core)
        line = core
        for _ in range(chance.randint(1, 3)):
            line = chance.choice(WRAPS).format(line)
        if chance.random() < 0.1 and len(line) > 4:
            cut = chance.randrange(len(line))
            line = line[:cut] + chance.choice(["", "\\\n", "'", "\"", "\\", "$", " ", ";", "\n", "`", "{", "}"]) + line[cut + chance.randint(0, 1):]
        yield line, None


# Commands that print names or file contents, filters, and commands that read the named files.
PRINT = ["find .", "find src -type f", "find . -name '*.txt'", "cat list", "git ls-files", "git ls-files src", "rg -l hello", "rg --files", "grep -rl hello .",
         "grep -l hello a.txt list", "ls", "ls src", "echo a.txt", "find . -type f -print0", "head list", "sort list", "find . -exec cat list {} +",
         "git diff --name-only", "git log --name-only", "git ls-tree -r --name-only HEAD", "grep -h . list", "find . -name list -exec cat {} \\;",
         "tail -1 list", "sed -n p list", "awk 1 list", "find b", "find a b", "git ls-files -s", "rg . list", "rg -l . --json list", "fdfind .",
         "printf '%s\\n' ../outside/key", "echo ../outside/key", "find . -printf '../outside/%f\\n'", "grep -e -l list", "seq 3", "git show --name-only"]
PASS = ["sort", "sort -u", "head -3", "tail -2", "grep -v x", "grep a", "uniq", "head -c 9", "grep -o '/.*'", "sort < list", "grep . <<< ../outside/key", "sed 's,^,../,'",
        "cut -c2-", "tr a b", "sort list", "cat", "cat list", "tee", "{ find .; sort; }", "{ cat; cat list; }", "(cd src; cat)", "nl", "rev", "uniq -c", "tac",
        "while read -r x; do echo \"$x\"; done", "awk '{print $1}'", "sort - list", "xargs echo", "xargs -n1 dirname", "head -n1 - list", "grep -h . - list"]
TAKE = ["xargs cat", "xargs wc -l", "xargs -0 cat", "xargs grep a", "xargs -I{} cat {}", "xargs -I{} cat src/{}", "xargs ls -l", "xargs -n 1 head -1", "xargs stat", "xargs",
        "while read -r f; do cat \"$f\"; done", "while read f; do wc -l $f; done", "while IFS= read -r f; do head -1 \"$f\"; done", "xargs cat < list",
        "while read -r f; do cat \"$f\"; done < list", "(cd src && xargs cat)", "while read -r f g; do cat \"$g\"; done", "while read -r f; do cat ../$f; done",
        "{ read -r f; cat \"$f\"; }", "xargs sed -n 1p", "xargs sort", "xargs diff a.txt", "xargs file", "(cd sub; while read -r f; do cat \"$f\"; done)",
        "while read -r f; do cat list | xargs cat; done", "while read -r f; do read -r g; cat \"$g\"; done", "xargs cat $(cat list)", "xargs cat $(find .)"]
TAKE_WORDS = ["cat {}", "wc -l {}", "head -1 {}", "ls {}", "cat \"{}\"", "for f in {}; do cat \"$f\"; done", "for f in {}; do wc -l $f; done", "x={}; cat \"$x\"",
              "x={}; cat $x", "x=\"{}\"; for f in $x; do cat $f; done", "diff a.txt {}", "sort {}", "file {}", "grep a {}", "cat a.txt {} b.txt", "cat src/{}", "cat {}/f",
              "sed -n 1p {}", "[ -f {} ] && cat {}", "cat < {}", "stat {}", "cd {} && ls", "git log -1 -- {}", "git show {}", "for f in {} list; do cat $f; done",
              "case {} in *) cat list;; esac", "head -n {} a.txt", "find {} -type f", "test -e {}", "echo {}", "cat $(dirname {})/key", "tail -n 1 -- {}"]
SETS = ["f=a.txt; cat $f", "f=-R; ls $f", "f=list; cat $(cat $f)", "f='a b'; cat $f", "f=*; cat $f", "f=src/*; cat $f", "f=; cat $f a.txt", "f=a.txt; f=list; cat $f",
        "f=a.txt || f=../outside/key; cat $f", "f=../outside/key && cat $f", "true && f=../outside/key; cat \"$f\"", "if ls; then f=../outside/key; fi; cat \"$f\"",
        "for f in a.txt ../outside/key; do cat $f; done", "for f in src/*; do cat $f; done", "for f in *; do sort $f; done", "read -r f < list; cat \"$f\"",
        "for f in a.txt; do f=../outside/key; done; cat $f", "f=a.txt; g=$f; cat $g", "f=~; ls $f", "f=~/.ssh/id; cat $f", "f=a.txt; (f=../outside/key); cat $f",
        "f=a; cat $f.txt", "f=..; cat $f/outside/key", "f=outside; cat ../$f/key", "d=src; cd $d && cat *", "n=3; head -n $n a.txt", "f=a.txt; cat ${f%.txt}.json",
        "while read -r f; do g=$f; done < list; cat $g", "f=a.txt; unset f; cat $f", "f=a.txt; read -r f < list; cat $f", "f=list; while read -r g; do cat $g; done < $f",
        "f=a.txt; export f=../outside/key; cat $f", "f=a.txt; declare f=../outside/key; cat $f", "f=a.txt; printf -v f ../outside/key; cat $f", "f=a.txt; : ${f:=x}; cat $f",
        "f=a.txt; f+=x; cat $f", "x=sort; $x -oout a.txt", "x=-oout; sort $x a.txt", "x=zap; $x", "x=zap; env $x", "x=za; ${x}p", "for x in zap; do $x; done", "cat $(f=list; cat $f)"]


def of_names(chance):
    """Generates endless random lines in which a command reads names that another one prints, or that a variable contains."""
    while True:
        roll = chance.random()
        if roll < 0.45:
            parts = [chance.choice(PRINT), *(chance.choice(PASS) for _ in range(chance.choice([0, 0, 1, 1, 2]))), chance.choice(TAKE)]
            line = " | ".join(parts)
        elif roll < 0.8:
            inner = " | ".join([chance.choice(PRINT), *(chance.choice(PASS) for _ in range(chance.choice([0, 0, 1])))])
            if chance.random() < 0.15:
                inner = chance.choice(["{}; cat list", "cat list; {}", "cd src; {}", "{} || cat list", "x=$(cat list); {}", "{} $(cat list)"]).replace("{}", inner)
            line = chance.choice(TAKE_WORDS).replace("{}", chance.choice(["$({})", "$({})", "`{}`"]).format(inner))
        else:
            line = chance.choice(SETS)
        if chance.random() < 0.2:
            line = chance.choice(WRAPS).format(line)
        yield line, None
