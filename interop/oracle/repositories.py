"""Repositories as a stranger would send them, and the commands that look at them. Law: in `default` mode a line that runs
starts no program of the repository's, shows nothing that lies outside of the folder, and changes nothing."""
import os

import sessions
from sessions import OUTSIDE, RAN

PROGRAMS = ["core.fsmonitor", "core.pager", "core.sshCommand", "core.editor", "core.askPass", "core.gitProxy", "core.alternateRefsCommand",
            "diff.external", "diff.evil.command", "diff.evil.textconv", "filter.evil.clean", "filter.evil.smudge", "filter.evil.process",
            "merge.evil.driver", "gpg.program", "gpg.ssh.program", "gpg.x509.program", "gpg.openpgp.program", "gpg.ssh.defaultKeyCommand",
            "sequence.editor", "interactive.diffFilter", "credential.helper", "uploadpack.packObjectsHook", "gc.recentObjectsHook",
            "pager.log", "pager.status", "pager.diff", "pager.show", "pager.branch", "pager.tag", "pager.blame", "pager.stash", "pager.grep",
            "difftool.x.cmd", "trailer.x.command", "trailer.x.cmd", "lfs.extension.x.clean", "lfs.customtransfer.x.path", "sendemail.smtpserver",
            "remote.origin.uploadpack", "remote.origin.receivepack", "remote.origin.vcs", "remote.origin.proxy", "web.browser", "help.browser",
            "browser.x.cmd", "man.x.cmd", "submodule.sub.update", "ssh.variant", "format.pretty", "tar.x.command", "hook.x.command"]
VERBS = ["log", "status", "diff", "show", "whatchanged", "annotate", "blame", "st", "lg", "stage", "pickaxe", "ls-files", "grep", "branch",
         "describe", "rev-parse", "cat-file", "shortlog", "stash", "config", "remote", "tag", "reflog", "worktree", "notes"]
# Settings that Sluice overrides, or that it takes for harmless: a repository with one of these is not asked about.
PLAIN = ["core.fsmonitor", "core.pager", "core.sshCommand", "core.editor", "core.askPass", "core.hooksPath", "gpg.program", "core.worktree", "core.whitespace", "core.abbrev",
         "core.eol", "core.autocrlf", "core.commentChar", "core.sparseCheckout", "core.untrackedCache", "core.fscache", "core.symlinks", "commit.template", "tag.sort", "log.date", "log.decorate",
         "log.showSignature", "status.showUntrackedFiles", "diff.algorithm", "diff.colorMoved", "gc.recentObjectsHook", "gc.auto", "receive.fsckObjects", "index.threads", "pack.window", "column.ui",
         "maintenance.auto", "color.ui", "color.diff.meta", "push.default", "pull.rebase", "init.templateDir", "init.defaultBranch", "user.signingKey", "user.name", "author.name", "submodule.sub.url", "submodule.sub.active",
         "remote.origin.url", "remote.origin.fetch", "remote.origin.pushurl", "branch.main.merge", "branch.main.remote", "branch.main.description", "alias.st", "alias.lg", "alias.pickaxe", "feature.experimental", "rerere.enabled", "advice.x",
         "lfs.url", "lfs.x.access", "extensions.objectFormat", "fetch.prune", "merge.conflictStyle", "core.sharedRepository", "core.logAllRefUpdates", "core.sparseCheckoutCone", "core.protectNTFS", "core.compression"]
READS = ["core.excludesFile", "core.attributesFile", "mailmap.file", "blame.ignoreRevsFile", "diff.orderFile", "commit.template",
         "include.path", "fsck.skipList", "core.hooksPath", "init.templateDir", "core.worktree", "diff.evil.xfuncname", "http.cookieFile"]
VALUES = ["status.submoduleSummary=true", "log.showSignature=true", "core.bare=true", "submodule.recurse=true", "diff.ignoreSubmodules=none",
          "diff.submodule=diff", "extensions.partialClone=origin", "remote.origin.promisor=true", "remote.origin.url=ext::{trap}",
          "extensions.worktreeConfig=true", "core.untrackedCache=true", "core.splitIndex=true", "index.version=4", "core.symlinks=false",
          "core.sparseCheckout=true", "core.repositoryFormatVersion=1", "url.ext::{trap}.insteadOf=https://", "protocol.ext.allow=always",
          "core.quotePath=false", "diff.noprefix=true", "feature.manyFiles=true", "core.commentChar=x", "fetch.recurseSubmodules=true",
          "submodule.sub.ignore=none", "core.ignoreStat=true", "log.follow=true", "core.precomposeUnicode=true", "alias.st={trap}"]


def setting(world, chance, at):
    roll = chance.random()
    program = chance.choice([world.trap, f"{world.trap};false", f"!{world.trap}", f"sh -c {world.trap}", f"./trap", "../../home/trap"])
    if roll < 0.5:
        program = program if chance.random() < 0.7 else chance.choice([f"{world.at}/outside/key", "../outside/key", "../../outside", "true", "always", "main"])
        world.git(at, "config", chance.choice(PLAIN), program)
    elif roll < 0.65:
        world.git(at, "config", chance.choice(PROGRAMS), program)
    elif roll < 0.7:
        world.git(at, "config", f"alias.{chance.choice(VERBS)}", f"!{world.trap}")
    elif roll < 0.75:
        world.git(at, "config", chance.choice(READS), chance.choice([f"{world.at}/outside/key", "../outside/key", "../../outside/key", "../work/evil"]))
    else:
        world.git(at, "config", *chance.choice(VALUES).format(trap=world.trap).split("=", 1))


EVIL = "[filter \"evil\"]\n\tclean = {t}\n\tprocess = {t}\n[diff \"evil\"]\n\ttextconv = {t}\n\tcommand = {t}\n[core]\n\tfsmonitor = {t}\n[alias]\n\tlog = !{t}\n"
MARKS = ["* filter=evil diff=evil\n", "* diff=evil\n", "* filter=evil\n", "file filter=lfs diff=lfs\n", "* ident working-tree-encoding=UTF-16\n", "[attr]x diff=evil\n* x\n"]


def put_in(world, chance, at):
    """A file of the git folder that leads elsewhere, or says what is to be done."""
    git, outside = f"{at}/.git", f"{world.at}/outside"
    evil = EVIL.format(t=world.trap)
    kind = chance.randrange(16)
    if kind == 0:
        world.put(f"{git}/objects/info/alternates", chance.choice([f"{outside}/repo/.git/objects\n", "../../../outside/repo/.git/objects\n", f"# x\n{outside}/repo/.git/objects\n", f"\"{outside}/repo/.git/objects\"\n"]))
    elif kind == 1:
        name = chance.choice(["HEAD", "packed-refs", "config", "index", "info/exclude", "info/grafts", "shallow", "description", "ORIG_HEAD", "FETCH_HEAD",
                              "logs/HEAD", "refs/heads/x", "info/sparse-checkout", "config.worktree", "info/refs", "objects/info/packs", "refs/notes/commits"])
        path = f"{world.work}/{git}/{name}"
        if os.path.lexists(path) and not os.path.isdir(path):
            os.unlink(path)
        world.link(f"{git}/{name}", f"{outside}/key")
    elif kind == 2:
        name = chance.choice(["objects", "refs", "refs/heads", "info", "logs", "hooks", "modules", "worktrees"])
        world.git(at, "pack-refs", "--all")
        os.rename(f"{world.work}/{git}/{name}", f"{world.at}/outside/moved") if os.path.isdir(f"{world.work}/{git}/{name}") and not os.path.lexists(f"{world.at}/outside/moved") else None
        world.link(f"{git}/{name}", f"{outside}/moved")
    elif kind == 3:
        world.put(f"{git}/commondir", chance.choice([f"{outside}/repo/.git\n", "../../outside/repo/.git\n", f"{outside}/repo/.git", "../../evilrepo/.git\n"]))
    elif kind == 4:
        world.put(f"{git}/config.worktree", evil)
        world.git(at, "config", "extensions.worktreeConfig", "true")
    elif kind == 5:
        for hook in ("post-index-change", "fsmonitor-watchman", "post-checkout", "reference-transaction", "query-watchman", "pre-auto-gc", "update"):
            world.put(f"{git}/hooks/{hook}", f"#!/bin/sh\n{world.trap}\n", 0o755)
    elif kind == 6:
        world.put(f"{git}/info/attributes", chance.choice(MARKS))
    elif kind == 7:
        world.put(f"{at}/evil", evil)
        world.git(at, "config", chance.choice(["include.path", "includeIf.gitdir:**.path", "includeIf.onbranch:**.path", "includeIf.hasconfig:remote.*.url:**.path"]), chance.choice(["../evil", f"{world.work}/evil", "~/evil"]))
    elif kind == 8:
        head = world.git(at, "rev-parse", "HEAD").stdout.decode().strip()
        world.put(f"{git}/HEAD", chance.choice(["ref: refs/heads/../../../outside/key\n", "ref: ../outside/key\n", f"{head}\n", "ref: refs/heads/nothing\n", "", "ref: refs/heads/a b\n"]))
    elif kind == 9:
        world.put(f"{git}/refs/heads/-x", world.git(at, "rev-parse", "HEAD").stdout)
        world.put(f"{git}/refs/heads/x\ny", world.git(at, "rev-parse", "HEAD").stdout)
    elif kind == 10:
        world.put(f"{git}/info/sparse-checkout", "/src\n")
        world.git(at, "config", "core.sparseCheckout", "true")
    elif kind == 11:
        world.git(at, "update-index", "--split-index")
    elif kind == 12:
        world.git(at, "replace", "--graft", "HEAD")
    elif kind == 13:
        world.git(at, "notes", "add", "-m", "x", "HEAD")
    elif kind == 14:
        world.put(f"{git}/gc.log", "x")
        world.put(f"{git}/MERGE_HEAD", world.git(at, "rev-parse", "HEAD").stdout)
    else:
        world.put(f"{git}/config", f"{evil}[core]\n\trepositoryformatversion = 0\n")


def around(world, chance):
    """Where git finds the repository."""
    kind, outside = chance.randrange(14), f"{world.at}/outside/repo/.git"
    evil = EVIL.format(t=world.trap)
    other = lambda at: (world.repository(at), world.put(f"{at}/.git/config", "[core]\n\trepositoryformatversion = 0\n" + evil), world.put(f"{at}/.gitattributes", MARKS[0]), world.put(f"{at}/file", "two\n"))
    if kind == 0:
        os.makedirs(f"{world.work}/sub/.git", exist_ok=True)
    elif kind == 1:
        other("sub")
    elif kind == 2:
        other("sub")
        world.git(".", "add", "sub")
        world.git(".", "commit", "-qm", "sub")
        world.put(".gitmodules", "[submodule \"sub\"]\n\tpath = sub\n\turl = ./sub\n" + chance.choice(["", "\tignore = none\n", "\tignore = dirty\n", "\tupdate = !x\n"]))
    elif kind == 3:
        other("other/deep")
        world.link("a/link", "../other/deep")
    elif kind == 4:
        world.put("sub/.git", chance.choice([f"gitdir: {outside}\n", "gitdir: ../../outside/repo/.git\n", f"gitdir: {outside}", f"gitdir:{outside}\n", "gitdir: ../.git/modules/x\n", "x"]))
    elif kind == 5:
        world.link("sub/.git", chance.choice([outside, "../../outside/repo/.git", "../.git", "../real"]))
    elif kind == 6:
        other("evilrepo")
        os.makedirs(f"{world.work}/.git/worktrees/x", exist_ok=True)
        world.put(".git/worktrees/x/HEAD", "ref: refs/heads/main\n")
        world.put(".git/worktrees/x/commondir", chance.choice(["../..\n", f"{outside}\n", "../../../evilrepo/.git\n"]))
        world.put(".git/worktrees/x/gitdir", chance.choice([f"{world.work}/sub/.git\n", "/\n"]))
        world.put("sub/.git", f"gitdir: {world.work}/.git/worktrees/x\n")
    elif kind == 7:
        # The files of a bare repository, in a folder of another name or in plain sight.
        at = chance.choice(["bare", "sub", "."])
        os.makedirs(f"{world.work}/{at}", exist_ok=True)
        world.git(at, "init", "-q", "--bare", "." if at != "." else "bare")
        world.put(f"{at if at != '.' else 'bare'}/config", f"[core]\n\tbare = {chance.choice(['true', 'false'])}\n\tworktree = {world.work}\n{evil}")
    elif kind == 8:
        os.rename(f"{world.work}/.git", f"{world.work}/real")
        chance.choice([lambda: world.link(".git", "real"), lambda: world.put(".git", "gitdir: real\n"), lambda: world.put(".git", f"gitdir: {outside}\n"), lambda: world.link(".git", outside)])()
    elif kind == 9:
        world.git(".", "worktree", "add", "-q", "linked")
        world.put(chance.choice([".git/worktrees/linked/config.worktree", ".git/config"]), evil + "[extensions]\n\tworktreeConfig = true\n[core]\n\trepositoryformatversion = 0\n")
    elif kind == 10:
        # Its content belongs to the project, so it is not that of the repository outside.
        world.repository("../outside/plain")
        world.git(".", "submodule", "--quiet", "add", f"{world.at}/outside/plain", "module")
        world.put(chance.choice([".git/modules/module/config", "module/.gitattributes"]), chance.choice([evil, MARKS[0]]))
        setting(world, chance, "module")
    elif kind == 11:
        world.put("sub/HEAD", "ref: refs/heads/main\n")
        for name in ("objects", "refs"):
            os.makedirs(f"{world.work}/sub/{name}", exist_ok=True)
        world.put("sub/config", evil)
    elif kind == 12:
        world.git(".", "config", "core.worktree", chance.choice(["..", "../outside", f"{world.at}/outside", "/", "../sub", "../../outside/repo"]))
    else:
        os.makedirs(f"{world.work}/.git/modules/x", exist_ok=True)
        world.git(".git/modules/x", "init", "-q", "--bare", ".")
        world.put(".git/modules/x/config", f"[core]\n\tbare = false\n\tworktree = {world.work}/sub\n{evil}")
        world.put("sub/file", "x\n")


NAMES = ["a b", "a\nb", "a\tb", "-e", "--output=x", "a'b", "a\"b", "a*", "a?", "a\\b", "ä", "a /etc/hostname", "$x", "`x`", "~", ":(top)x", "a;b", " x", "x ",
         b"\xff\xfe", "a\rb", "..x", "{a,b}", "#x", "!x", "%s", "[a]", "a&b", "\x1b[31m"]


def files(world, chance):
    """What is tracked: odd names, links, other formats of the index."""
    for name in chance.sample(NAMES, 3):
        path = os.path.join(world.work.encode(), name if isinstance(name, bytes) else name.encode())
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if not os.path.lexists(path):
            with open(path, "wb") as file:
                file.write(b"odd\n")
    world.link(chance.choice(["leak", "src/leak", "a b/leak", "..x/l"]), chance.choice([f"{world.at}/outside/key", "../outside/key", "../../outside", f"{world.at}/outside"]))
    world.git(".", "add", "-A")
    if chance.random() < 0.3:
        blob = world.git(".", "hash-object", "-w", "file").stdout.decode().strip()
        world.git(".", "update-index", "--index-info", text="".join(f"100644 {blob} 0\t{name}\n" for name in ("deep/../../outside/key", "/etc/hostname", "b\x01c", "outside/key")).encode())
    if chance.random() < 0.3:
        world.git(".", "update-index", f"--index-version={chance.choice('234')}")
    if chance.random() < 0.7:
        world.git(".", "commit", "-qm", "more")


COMMANDS = ["status", "status --short", "status -uall --ignored", "diff", "diff --stat", "diff HEAD", "diff --cached", "diff HEAD~1", "diff --submodule=short",
            "diff-index HEAD", "diff-files", "diff-files -p", "diff-tree -p HEAD", "diff-index --cached -p HEAD", "log", "log -p", "log --stat -3", "log --oneline --all --graph", "log -S one", "log --follow file",
            "show", "show HEAD:file", "show --stat", "blame file", "annotate file", "whatchanged", "shortlog -sn HEAD", "ls-files", "ls-files -m", "ls-files -o", "ls-tree -r HEAD", "ls-files -s",
            "grep one", "grep --no-index SECRET", "grep --untracked SECRET", "grep --recurse-submodules one", "branch -a", "branch -vv", "tag -l", "tag -n", "remote -v", "remote get-url origin",
            "stash list", "stash show -p", "worktree list", "notes list", "notes show", "reflog", "rev-parse HEAD", "rev-parse --show-toplevel", "rev-parse --git-dir", "describe --always", "describe --dirty", "describe --all --dirty=x",
            "describe --broken", "merge-base HEAD main", "cat-file -p HEAD", "cat-file -p HEAD:file", "cat-file --textconv HEAD:file", "cat-file --filters HEAD:file", "cat-file --batch-all-objects --batch-check", "config -l", "config --get user.name", "count-objects -v",
            "for-each-ref", "show-ref", "symbolic-ref HEAD", "name-rev HEAD", "cherry -v HEAD HEAD~1", "check-ignore -v file", "rev-list --count HEAD", "rev-list --objects --all", "diff --no-index a b", "diff --ext-diff",
            "log --show-signature", "log --format=%G?", "log --format=%(trailers)", "log --use-mailmap -1", "diff -G one", "diff --word-diff", "status --porcelain=v2 --branch", "range-diff HEAD~1 HEAD HEAD", "verify-commit HEAD", "st", "lg", "stage", "fsck", "archive HEAD", "var GIT_EDITOR", "help -a", "difftool", "submodule status", "lfs status"]
FROM = ["-C sub ", "-C a/link ", "-C .git ", "-C .git/modules/x ", "-C .git/worktrees/x ", "-C linked ", "-C module ", "-C bare ", "-C src ", "-C other ", "-C sub/.. ", "-C evilrepo ", "-C real ", "--no-pager ", "-P ", "--git-dir=.git ", "--git-dir=bare ",
        "-c core.pager=cat ", "--work-tree=. ", "-C ./ ", "-C $PWD ", "--bare ", "--exec-path=. ", "-C sub -C .. ", "--no-optional-locks ", "--literal-pathspecs ", "--paginate "]
AROUND = ["cd sub && {}", "cd a/link && {}", "cd other/deep && {}", "cd linked; {}", "(cd sub && {})", "cd sub; cd ..; {}", "cd a/link/.. && {}", "pushd sub && {} && popd", "{} | cat", "{} | head -3", "for f in x; do {}; done", "if true; then {}; fi",
          "cd bare && {}", "cd .git && {}", "cd .git/modules/x && {}", "cd -P a/link && {}", "{} && git -C sub status", "{}; git log -1", "GIT_DIR=bare {}", "x=1; {}", "! {}", "time {}", "{} 2>&1", "cd real && {}", "cd src && {}", "cd module && {}"]
FED = ["cat $(git ls-files)", "git ls-files | xargs cat", "git ls-files -z | xargs -0 cat", "git diff --name-only | xargs head -1", "cat $(git diff --name-only)", "for f in $(git ls-files); do cat \"$f\"; done", "git ls-files | while read -r f; do cat \"$f\"; done",
       "head -1 $(git ls-files -m)", "git -C src ls-files | xargs cat", "cat $(git ls-files src)", "git show $(git rev-parse HEAD)", "git diff $(git merge-base HEAD main) --stat", "cat $(git rev-parse --show-toplevel)/file", "git show $(git rev-parse HEAD) --stat", "wc -l $(git ls-files '*')",
       "cd src && cat $(git ls-files)", "git ls-files | sort | xargs grep -n SECRET", "echo $(git rev-parse --short HEAD)", "git log --name-only --format= | xargs cat", "git ls-files -o | xargs cat", "git grep -l one | xargs cat"]


def line(chance):
    if chance.random() < 0.15:
        return chance.choice(FED)
    place = chance.choice(FROM) if chance.random() < 0.3 else ""
    around = chance.choice(AROUND) if chance.random() < 0.4 else "{}"
    return around.format(f"git {place}{chance.choice(COMMANDS)}")


def play(binary, chance, count=14):
    world = sessions.World()
    try:
        world.repository(".", *chance.choice([(), (), ("--object-format=sha256",), ("--ref-format=reftable",)]))
        world.repository("../outside/repo")
        world.put("../outside/repo/file", OUTSIDE + "\n")
        world.git("../outside/repo", "commit", "-qam", OUTSIDE)
        world.put("src/x", "x\n")
        world.put("trap", f"#!/bin/sh\n{world.trap}\n", 0o755)
        made = []
        for what in chance.sample([files, around, setting, put_in, put_in, setting], chance.choice([1, 1, 1, 1, 2])):
            made.append(what.__name__)
            try:
                what(world, chance) if what in (files, around) else what(world, chance, ".")
            except OSError:
                pass
        if chance.random() < 0.5:
            world.put(".gitattributes", chance.choice(MARKS))
        if chance.random() < 0.3:
            world.put("../home/.gitconfig", "[filter \"lfs\"]\n\tclean = \"$(git config lfs.extension.x.clean || echo cat)\"\n[user]\n\tname = n\n")
        for name in ("file", "sub/file", "src/x", "other/deep/file", "module/file"):
            path = f"{world.work}/{name}"
            if os.path.isfile(path):
                with open(path, "a", encoding="utf-8") as file:
                    file.write("more\n")
                os.utime(path, (1_000_000, 1_000_000))
        asked = [line(chance) for _ in range(count)]
        kept = lambda name: name.startswith(("work/", "outside/"))
        before = sessions.state(world.at, kept)
        calls = sessions.play(binary, world, asked)
        if calls is None:
            return len(asked), 0, [("it did not end", asked, made)]
        ran = [one for one, (refused, _) in zip(asked, calls) if not refused]
        found = [("a program of the repository ran", ran)] if os.path.exists(f"{world.at}/trace") else []
        changed = sessions.difference(before, sessions.state(world.at, kept))
        if changed:
            found.append((f"{changed} changed", ran))
        for one, (_, text) in zip(asked, calls):
            if OUTSIDE in text or RAN in text:
                found.append(("what lies outside was shown" if OUTSIDE in text else "a program ran", one))
        return len(asked), len(ran), [(*one, made) for one in found]
    finally:
        world.drop()
