//! How long a decision takes. `cargo test --release -p sluice-permission --test it -- bench --ignored --nocapture`

use std::time::{Duration, Instant};

use crate::world::{verdict, world};

fn inputs() -> Vec<(&'static str, String)> {
    let big = 64 * 1024;
    let cap = 9_900;
    vec![
        ("64k of one word", "x".repeat(big)),
        ("64k of commands", "ls; ".repeat(big / 4)),
        ("64k of words", "a ".repeat(big / 2)),
        ("64k of quotes", "'\"".repeat(big / 2)),
        ("64k of substitutions", "$(".repeat(big / 2)),
        ("10k of commands", "ls; ".repeat(cap / 4)),
        ("10k of words", format!("echo {}", "a ".repeat(cap / 2))),
        ("1k words", format!("echo {}", "a ".repeat(1_100))),
        ("10k in a word", format!("echo {}", "x".repeat(cap))),
        ("10k quoted", format!("echo '{}'", "x ".repeat(cap / 2))),
        ("10k of dollars", format!("echo \"{}\"", "$x ".repeat(cap / 3))),
        ("60 substitutions", "echo $(ls) ".repeat(60)),
        (
            "12 deep substitutions",
            format!("echo {}ls{}", "$(".repeat(12), ")".repeat(12)),
        ),
        ("12 deep groups", format!("{}ls{}", "{ ".repeat(12), "; }".repeat(12))),
        ("12 deep subshells", format!("{}ls{}", "( ".repeat(12), " )".repeat(12))),
        (
            "11 deep ifs",
            format!("{}ls{}", "if true; then ".repeat(11), "; fi".repeat(11)),
        ),
        (
            "11 deep cases",
            format!("{}ls{}", "case a in a) ".repeat(11), ";; esac".repeat(11)),
        ),
        (
            "11 deep loops",
            format!("{}ls{}", "while true; do ".repeat(11), "; done".repeat(11)),
        ),
        ("unclosed groups", "{ ".repeat(12)),
        ("unclosed parentheses", "(".repeat(12)),
        ("arithmetic or not", "((".repeat(6)),
        ("here-document", format!("cat <<X\n{}\nX", "$x `ls` ".repeat(30))),
        ("many pipes", "ls | ".repeat(500) + "ls"),
        ("many ands", "ls && ".repeat(500) + "ls"),
        ("many redirects", format!("ls {}", "2>&1 ".repeat(500))),
        ("many assignments", "a=1 ".repeat(500)),
        ("nested shells", "bash -c 'bash -c \"bash -c ls\"' ; ".repeat(60)),
        ("many braces", format!("echo {}", "{a,b}".repeat(30))),
        ("many cds", "cd a; ".repeat(300)),
        ("long carrier", format!("sudo {}", "a ".repeat(1_000))),
    ]
}

fn worst() -> Vec<(&'static str, Duration)> {
    let mut policy = world()
        .allow("Bash(npm run *)")
        .deny("Bash(zap:*)")
        .deny("Bash(rm -rf *)")
        .deny("Read(**/.env)")
        .ask("Bash(git push:*)")
        .policy;
    policy.roots.push("/more".into());
    let mut all = Vec::new();
    for (name, input) in inputs() {
        let times = (0..5).map(|_| {
            let begun = Instant::now();
            verdict(&policy, &input);
            begun.elapsed()
        });
        all.push((name, times.min().unwrap()));
    }
    all.sort_by_key(|(_, time)| std::cmp::Reverse(*time));
    all
}

/// Even unoptimised nothing hangs: a tenth of a second where an optimised build takes ten milliseconds.
#[test]
fn no_input_takes_long() {
    let (name, time) = worst()[0];
    assert!(
        time < Duration::from_millis(if cfg!(debug_assertions) { 2_000 } else { 10 }),
        "{name}: {time:?}"
    );
}

#[test]
#[ignore = "a measurement, for an optimised build"]
fn bench_of_decisions() {
    let policy = world()
        .allow("Bash(npm run *)")
        .deny("Bash(zap:*)")
        .deny("Read(**/.env)")
        .policy;
    let ordinary = [
        "ls -la src",
        "git log --oneline | head",
        "npm run build",
        "cat a | sort | uniq -c",
        "cd src && rg -n foo",
        "touch x.txt",
        "git commit -m 'fix the bug'",
        "python3 -c 'print(1)'",
        "grep -rn foo src --include='*.rs'",
        "find . -name '*.rs' -not -path './target/*' | head -20",
    ];
    let mut times: Vec<Duration> = Vec::new();
    for round in 0..500 {
        for command in ordinary {
            // A different text each time, or a parser's cache would be measured.
            let command = format!("{command} # {round}");
            let begun = Instant::now();
            verdict(&policy, &command);
            times.push(begun.elapsed());
        }
    }
    times.sort();
    eprintln!(
        "ordinary: median {:?}, 99 % {:?}, worst {:?}",
        times[times.len() / 2],
        times[times.len() * 99 / 100],
        times[times.len() - 1]
    );
    for (name, time) in worst().into_iter().take(8) {
        eprintln!("worst: {time:?} {name}");
    }
}
