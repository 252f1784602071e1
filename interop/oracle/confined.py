"""Commands that work against what confines them. Law: in the sandbox nothing outside of the folder changes, in content, mode,
owner, times or attributes, nor does what decides what runs later; and in it as in `bypassPermissions` without it, what a
deny rule covers is neither shown nor changed nor run."""
import os
import re
import shutil
import subprocess

import sessions
from sessions import DENIED, RAN

RULES = ["Read(./.env)", "Read(**/*.pem)", "Edit(./locked/**)", "Edit(./unborn/**)", "Bash(zap:*)"]
# What decides what runs later: kept from coming to be, or kept as it is where it is there.
LATER = (".git", ".claude", ".mcp.json", ".vscode")
# How a path comes about, so that no analysis sees it, and what is done with it.
TARGETS = {"outside": ["../outside/key", "../outside/new", "../outside/deep/key", "../outside", "{at}/outside/key", "/proc/self/root{at}/outside/key", "/proc/self/cwd/../outside/key", "/proc/1/root{at}/outside/key", "/proc/$PPID/cwd/../outside/key", "../home/.bashrc", "../home/.ssh/authorized_keys", "../home/x", "src/../../outside/key", "out/key", "/dev/fd/../../../../{at}/outside/key"],
           "later": [".git/hooks/pre-commit", ".git/config", ".claude/settings.json", ".mcp.json", ".git", ".claude", ".vscode/tasks.json", ".git/HEAD", ".git/objects"],
           "denied": [".env", "src/key.pem", "locked/x", "locked/new", "unborn/x", "unborn", "locked", "/proc/self/cwd/.env", "src/../.env", "l2env"]}
PY = {"write": "open(p,'w').write('changed')", "append": "open(p,'a').write('changed')", "read": "print(open(p).read())", "chmod": "os.chmod(p,0o{m})", "fchmod": "os.fchmod(os.open(p,os.O_RDONLY),0o{m})", "chown": "os.chown(p,1,1)", "lchown": "os.lchown(p,1,1)",
      "utime": "os.utime(p,(1,1))", "futime": "os.utime(os.open(p,os.O_RDONLY),(1,1))", "utimens": "os.utime(p,ns=(5,5),follow_symlinks=False)", "xattr": "os.setxattr(p,b'user.x',b'y')", "fxattr": "os.setxattr(os.open(p,os.O_RDONLY),b'user.x',b'y')", "unlink": "os.unlink(p)", "rename": "os.rename(p,'src/got')", "over": "os.rename('src/f',p)",
      "link": "os.link(p,'src/hard'); open('src/hard','a').write('changed')", "linkout": "os.link('src/f',p)", "symlink": "os.symlink('src/f',p)", "mkdir": "os.mkdir(p)", "rmdir": "os.rmdir(p)", "truncate": "os.truncate(p,0)", "otrunc": "os.open(p,os.O_RDONLY|os.O_TRUNC)", "rwopen": "os.write(os.open(p,os.O_RDWR),b'changed')",
      "parent": "d=os.path.dirname(p) or '.'; os.rename(d,d+'2'); os.makedirs(d,exist_ok=True); open(p,'w').write('changed')", "copy": "import shutil; shutil.copy2(p,'src/copy'); print(open('src/copy',errors='replace').read())", "tree": "import shutil; shutil.rmtree(p,ignore_errors=True)", "mknod": "os.mknod(p,0o600|0o10000)",
      "mmap": "import mmap; f=open(p,'r+b'); m=mmap.mmap(f.fileno(),0); m[0:1]=b'X'; m.flush()", "sendfile": "i=os.open(p,os.O_RDONLY); o=os.open('src/c',os.O_WRONLY|os.O_CREAT); os.sendfile(o,i,0,99); print(open('src/c').read())", "exec": "os.execv(p,[p])", "statx": "print(os.stat(p).st_size)", "listdir": "print(os.listdir(os.path.dirname(p) or '.'))",
      "pathfd": "f=os.open(p,os.O_PATH); os.chmod('/proc/self/fd/%d'%f,0o{m}); print(open('/proc/self/fd/%d'%f).read())", "io": "f=open(p); print(f.read())", "fallocate": "os.posix_fallocate(os.open(p,os.O_RDWR),0,99)", "flags": "import fcntl; fcntl.ioctl(os.open(p,os.O_RDONLY),0x40086602,b'\\x10\\0\\0\\0\\0\\0\\0\\0')", "chroot": "os.chroot('/'); os.chdir(os.path.dirname(p)); open(p,'w').write('changed')"}
BEFORE = ["", "", "", "", "umount -l {d} 2>/dev/null; ", "mount -o remount,rw / 2>/dev/null; mount -o remount,rw,bind {d} 2>/dev/null; ", "ln -s ../outside out 2>/dev/null; ", "ln .env l2env 2>/dev/null; ", "mv .git g2 2>/dev/null; ", "mv locked l2 2>/dev/null; mkdir locked 2>/dev/null; ", "cd src; cd ..; ", "mkdir -p unborn 2>/dev/null; ", "mv src s2; mkdir src; ", "cd /; cd {at}/work; ", "rm -rf .claude .git locked unborn .env; ", "chmod -R u+w . 2>/dev/null; ", "exec 3<.; ", "cp -r . ../outside/copy 2>/dev/null; "]
AROUND = ["{}", "{}", "{}", "unshare -Urm sh -c '{}'", "unshare -m sh -c '{}'", "nsenter -t 1 -m sh -c '{}'", "setsid {}", "nohup {}", "bwrap --dev-bind / / sh -c '{}'", "chroot / sh -c 'cd {at}/work; {}'", "env -i PATH=/usr/bin:/bin {}", "script -qc '{}' /dev/null", "setpriv --no-new-privs {}", "unshare -r {}", "nice {}", "perl -e 'exec @ARGV' {}", "(sleep 0.1; {}) & wait", "flock src/f {}", "timeout 5 {}"]
SHELL = ["echo changed > {p}", "cp src/f {p}", "tee {p} < src/f", "dd if=src/f of={p}", "touch -d @1 {p}", "chmod {m} {p}", "chown 1:1 {p}", "setfattr -n user.x -v y {p}", "ln -f src/f {p}", "ln -sf src/f {p}", "mv src/f {p}", "rm -rf {p}", "cat {p}", "head -c 99 {p}", "tar cf - {p} | tar xOf -", "install -m {m} src/f {p}", "rsync src/f {p}", "git config -f {p} a.b c", "git init -q {p}", "git init -q {p}/n; git -C . config core.hooksPath x", "mkdir -p {p}", "truncate -s 0 {p}", "sed -i s/e/X/ {p}", "perl -pi -e s/e/X/ {p}", "cat < {p}", "exec 9<>{p}; echo changed >&9", "mount --bind src {p}", "mkfifo {p}", "chattr +i {p}", "setfacl -m u:1:rwx {p}", "patch {p} < /dev/null", "sh -c '. {p}'", "gzip -f {p}", "base64 {p} | base64 -d"]
OTHER = ["sh -c 'echo {c} > /proc/sys/kernel/core_pattern'", "sysctl -w kernel.core_pattern=x", "echo b > /proc/sysrq-trigger.x", "cat /proc/*/environ", "cat /proc/$PPID/environ | tr '\\0' '\\n'", "strings /proc/1/environ", "kill -9 $PPID.x", "env", "python3 -c 'import os;print([open(\"/proc/\"+p+\"/environ\").read() for p in os.listdir(\"/proc\") if p.isdigit() and os.access(\"/proc/\"+p+\"/environ\",4) and int(p)!=os.getpid()])'",
         "echo x > /sys/kernel/uevent_helper", "echo 1 > /proc/sys/vm/drop_caches", "hostname evil", "date -s @1", "ls /proc/1/root/", "cat /proc/1/root{at}/work/.env", "cat /proc/$$/root{at}/work/.env", "cat /proc/$PPID/root{at}/work/.env", "for p in /proc/[0-9]*; do cat $p/root{at}/work/.env $p/cwd/.env; done", "for p in /proc/[0-9]*; do echo changed > $p/root{at}/outside/key; done", "python3 -c \"import socket; socket.socket(socket.AF_INET).connect(('1.1.1.1',53)); print('42' + 'RAN')\"",
         "python3 -c \"import socket; socket.socket(socket.AF_UNIX).connect('/run/dbus/system_bus_socket'); print('42' + 'RAN')\"", "python3 -c \"import socket; socket.socket(socket.AF_UNIX).connect('{at}/outside/sock'); print('42' + 'RAN')\"", "python3 -c \"import os,fcntl,termios; fcntl.ioctl(0,termios.TIOCSTI,'x')\"", "mkdir -p n && cd n && git init -q . && git config core.fsmonitor x", "dmesg", "swapoff -a", "modprobe x", "mknod src/sda b 8 0 && head -c 9 src/sda && echo 42RA\"N\"", "keyctl show"]
# How a denied program is run without being named.
RUNS = ["sh src/z.sh", "make -f src/rules", "python3 src/run.py", "perl -e 'system(join(\"\",\"za\",\"p\"))'", "x=za; y=p; $x$y", "eval $(printf 'z%s' ap)", "$(printf 'z%s' ap)", "find ../home -name 'za?' -exec {} \\;", "ls ../home/bin | xargs -I{} {}", "sh -c \"$(echo mnc | tr mnc zap)\"", "../home/bin/za?", "/proc/self/cwd/../home/bin/za*", "ln -s ../home/bin/z*p src/q; src/q", "cp ../home/bin/z*p src/q; src/q", "ln ../home/bin/z*p src/q; src/q", "cat ../home/bin/z*p | sh", "bash ../home/bin/z*p", "sh < ../home/bin/z*p", ". ../home/bin/z*p < /dev/null", "dd if=../home/bin/z??  | sh", "awk 'BEGIN{system(\"za\" \"p\")}'", "env z''ap", "echo zap | sh", "printf 'z\\x61p' | sh", "base64 -d <<< emFw | sh", "mv ../home/bin/z?p src/q; src/q", "tar cf - ../home/bin | tar xf - -C src; src/home/bin/z?p", "rsync ../home/bin/z?p src/; src/z?p", "node -e \"require('child_process').execSync('za'+'p',{stdio:'inherit'})\"", "PATH=../home/bin:$PATH za\"p\"", "/lib64/ld-linux-x86-64.so.2 ../home/bin/z?p", "busybox sh -c 'z\"a\"p'", "exec -a x $(which -a z*p)", "compgen -c za | head -1 | sh", "command -v za\"p\" | sh", "git -c alias.x='!z''ap' x", "tac src/z.sh | sh", "rev <<< paz | sh", "sponge src/w; mispipe true 'za''p'", "gunzip -c src/q.sh.gz | sh", "gunzip -f src/q.sh.gz; sh src/q.sh", "flock src/f -c \"za\"\"p\"", "script -qc 'z\\ap' /dev/null", "watch -n 9 -x z''ap & sleep 0.3; kill $!", "sed '1e z'ap src/f", "gdb -batch -ex 'shell za'\"p\"", "ld -plugin src/x", "openssl rand 1 >/dev/null; zip -T -TT 'za'p src/z.zip src/f", "ssh -o ProxyCommand='za'p x", "vim -c ':!z''ap' -c q", "man -P 'za'p ls", "less +'!z'ap src/f"]


def python(chance, path):
    act = chance.choice(list(PY.values())).replace("{m}", chance.choice(["777", "600", "4755", "2755", "000"]))
    split = chance.randrange(len(path))
    return f"python3 -c \"import os; p=os.path.expandvars('{path[:split]}'+'{path[split:]}'); {act}\""


def line(chance, at, kinds):
    roll = chance.random()
    if roll < 0.12:
        return chance.choice(OTHER).replace("{at}", at).replace("{c}", "x")
    if roll < 0.3 and "denied" in kinds:
        return chance.choice(RUNS)
    path = chance.choice(TARGETS[chance.choice(kinds)]).replace("{at}", at)
    if chance.random() < 0.6:
        text = python(chance, path)
    else:
        # Not as it is written: the analysis is not what is tried here.
        spelled = path if chance.random() < 0.2 else f"{path[:-1]}?" if chance.random() < 0.3 else f"{path[:1]}\"{path[1:]}\""
        text = chance.choice(SHELL).replace("{p}", spelled).replace("{m}", chance.choice(["777", "600", "4755"]))
    around = chance.choice(AROUND)
    if "'{}'" in around and "'" in text:
        around = "{}"
    before = chance.choice(BEFORE).replace("{at}", at).replace("{d}", os.path.dirname(path) or ".")
    return before + around.replace("{at}", at).replace("{}", text)


def world_of():
    world = sessions.World()
    world.repository()
    for name, text in ((".env", DENIED), ("src/key.pem", DENIED), ("src/f", "plain\n"), ("locked/x", "locked\n"), ("src/z.sh", "x=za; ${x}p\n"), ("src/w", "z\n"), ("src/rules", "X = za\nall:\n\t$(X)p\n"), ("src/run.py", "import subprocess\nsubprocess.run(['za' + 'p'])\n"), ("../home/.bashrc", "# x\n"), (".claude/settings.json", "{}"), ("../home/.ssh/x", "x\n")):
        world.put(name, text)
    subprocess.run(["gzip", "-k", f"{world.work}/src/z.sh"], check=True)
    os.rename(f"{world.work}/src/z.sh.gz", f"{world.work}/src/q.sh.gz")
    return world


def play(binary, chance, count=10):
    world = world_of()
    try:
        kind = chance.choice(["bubblewrap", "landlock", "rules", "rules"])
        user = chance.choice([None, "nobody"]) if os.getuid() == 0 and shutil.which("setpriv") else None
        kinds = ["denied"] if kind == "rules" else list(TARGETS)
        asked = [line(chance, world.at, kinds) for _ in range(count)]
        if kind == "rules":
            # Root can leave on purpose, and elsewhere everything is open: not what would end or change this machine.
            asked = [one for one in asked if not re.search(r"mount|nsenter|unshare|chroot|/proc/|sysctl|hostname|date|kill|swapoff|modprobe|crontab|/sys/|bwrap|gdb|strace|dmesg|write|mknod|socket", one)]
        # In a script, where the analysis of the command does not look at all of it.
        for number, one in enumerate(asked):
            world.put(f"src/s{number}.sh", one + "\n")
        settings = {"permissions": {"deny": RULES}}
        if kind != "rules":
            settings["sandbox"] = {"enabled": True, "autoAllowBashIfSandboxed": True, "allowUnsandboxedCommands": False, **({"bwrapPath": "/bin/false"} if kind == "landlock" else {})}
        if user:
            subprocess.run(["chown", "-R", f"{user}:", world.at], check=True)
        own = lambda name: name.startswith("home/.claude") or name.startswith("home/.cache")
        outside = lambda name: name.startswith(("outside", "home/")) and not own(name)
        later = lambda name: name.startswith("work/") and name.split("/")[1] in LATER
        locked = lambda name: name.startswith(("work/locked", "work/unborn"))
        kept = locked if kind == "rules" else lambda name: outside(name) or later(name) or locked(name)
        details = 0 if kind == "rules" else 2
        before = sessions.state(world.at, kept, details)
        kernel = open("/proc/sys/kernel/core_pattern", encoding="utf-8").read()
        calls = sessions.play(binary, world, [f"bash src/s{number}.sh" for number in range(len(asked))], ["--permission-mode", "bypassPermissions"], settings, user)
        about = [kind, user or "root"]
        if calls is None:
            return len(asked), 0, [("it did not end", asked, about)]
        ran = [one for one, (refused, _) in zip(asked, calls) if not refused]
        found = []
        if open("/proc/sys/kernel/core_pattern", encoding="utf-8").read() != kernel:
            found.append(("the kernel was configured", ran))
        changed = sessions.difference(before, sessions.state(world.at, kept, details))
        if changed:
            found.append((f"{changed} changed", ran))
        for one, (_, text) in zip(asked, calls):
            shown = [secret for secret in (DENIED, RAN) if secret in text]
            if shown:
                found.append((f"{shown[0]} was shown", one))
        return len(asked), len(ran), [(*one, about) for one in found]
    finally:
        subprocess.run(["chattr", "-R", "-i", world.at], check=False, capture_output=True)
        world.drop()
