//! Real bash as the judge: what is proven to be harmless must not run the hidden program.

use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};

use sluice_permission::Verdict;

use crate::world::world;

/// Pieces from which lines are put together; `zap` leaves a mark when it runs.
const PIECES: &[&str] = &[
    "zap",
    "echo",
    "true",
    "$(zap)",
    "`zap`",
    "'zap'",
    "\"zap\"",
    "$x",
    "x=zap",
    ";",
    "&&",
    "|",
    "\n",
    "(zap)",
    "{ zap; }",
    "<<X\n`zap`\nX\n",
    "<<'X'\n$(zap)\nX\n",
    "\\",
    "\\\n",
    "#",
    "'",
    "\"",
    "env",
    "eval",
    "bash -c",
    "[[ -v 'a[$(zap)]' ]]",
    "test -v 'a[$(zap)]'",
    "if",
    "then",
    "fi",
    ">/dev/null",
    "2>&1",
    "${x:-zap}",
    "{zap,x}",
    "z''ap",
    "\\zap",
    "$'zap'",
    "!",
    "time",
    "command",
    "let 'a=b[$(zap)0]'",
    "f(){ zap; }",
    "f",
    "a=(zap)",
    "$[`zap`]",
    "$((`zap`))",
];

/// A few thousand lines, the same every time.
fn lines() -> Vec<String> {
    let mut seed = 0x5117_ce00_u64;
    let mut next = |below: usize| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % below
    };
    (0..4_000)
        .map(|_| {
            let count = 1 + next(6);
            let mut line = String::new();
            for _ in 0..count {
                line.push_str(PIECES[next(PIECES.len())]);
                if next(4) > 0 {
                    line.push(' ');
                }
            }
            line
        })
        .collect()
}

/// Every option with which a program is taken to only read was run by the oracle (`make oracle`), or could not be here,
/// and its verdict is kept: a new one without is a mistake. `ARGS="--only options --verdicts FILE"` writes the file.
#[test]
fn every_option_of_the_tables_has_a_verdict() {
    let text = include_str!("../oracle/verdicts.tsv");
    let verdicts: std::collections::BTreeMap<&str, Vec<&str>> = text
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .map(|(program, options)| (program, options.split(' ').collect()))
        .collect();
    let mut missing = Vec::new();
    let mut run = 0;
    for (program, options) in sluice_permission::shell::programs::corpus() {
        let Some(known) = verdicts.get(program.as_str()) else {
            missing.push(program);
            continue;
        };
        for (option, _) in options {
            match known.iter().find_map(|one| one.strip_prefix(&format!("{option}:"))) {
                None => missing.push(format!("{program} {option}")),
                Some(verdict) => run += usize::from(verdict.parse::<u32>().is_ok()),
            }
        }
    }
    assert!(missing.is_empty(), "run `make oracle` for {missing:#?}");
    assert!(run > 3_000, "{run} options were run");
}

/// Every option of the tables, and every other of the program's own help, was written in every form (glued, apart,
/// cut short, twice, behind `--`, with a value that looks like an option) and run where it was let run: `run/asked`.
/// `ARGS="--only help --verdicts FILE"` writes the file.
#[test]
fn every_option_of_a_programs_own_help_has_a_verdict() {
    let text = include_str!("../oracle/help.tsv");
    let verdicts: std::collections::BTreeMap<&str, &str> =
        text.lines().filter_map(|line| line.split_once('\t')).collect();
    let mut missing = Vec::new();
    let (mut run, mut asked) = (0_u32, 0_u32);
    for (program, options) in sluice_permission::shell::programs::corpus() {
        match verdicts.get(program.as_str()) {
            None => missing.push(program),
            Some(&"absent") => {}
            Some(known) => {
                let known: Vec<&str> = known.split(' ').collect();
                for (option, _) in options {
                    let waits = program == "tail" && matches!(option.as_str(), "-f" | "-F" | "--follow" | "--retry");
                    let told = known.iter().find_map(|one| one.strip_prefix(&format!("{option}:")));
                    let Some((ran, stopped)) = told.and_then(|told| told.split_once('/')) else {
                        if !waits {
                            missing.push(format!("{program} {option}"));
                        }
                        continue;
                    };
                    run += ran.parse::<u32>().unwrap();
                    asked += stopped.parse::<u32>().unwrap();
                }
            }
        }
    }
    assert!(missing.is_empty(), "run `make oracle` for {missing:#?}");
    assert!(run > 10_000 && asked > 5_000, "{run} run, {asked} asked about");
}

#[test]
fn what_is_allowed_does_not_run_what_is_denied() {
    let isolated = Command::new("unshare")
        .args(["-rn", "bash", "-c", ":"])
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !isolated {
        eprintln!("skipped: no namespace without a network here");
        return;
    }
    let w = world().allow("Bash").deny("Bash(zap:*)");
    let allowed: Vec<String> = lines()
        .into_iter()
        .filter(|line| w.bash(line).behavior == Verdict::Allow)
        .collect();
    assert!(allowed.len() > 50, "{} lines to judge", allowed.len());
    let home = std::env::temp_dir().join(format!("sluice-oracle-{}", std::process::id()));
    std::fs::create_dir_all(home.join("bin")).unwrap();
    let zap = home.join("bin/zap");
    std::fs::write(&zap, "#!/bin/sh\necho ran >> \"$ZAP_MARK\"\n").unwrap();
    std::fs::set_permissions(&zap, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mark = home.join("mark");
    // One process for all: a shell per line, each in its own directory, no network.
    let mut script = String::new();
    for (at, line) in allowed.iter().enumerate() {
        std::fs::write(home.join(format!("{at}.sh")), line).unwrap();
        script.push_str(&format!(
            "ZAP_MARK='{}.{at}' timeout 5 bash --noprofile --norc '{}/{at}.sh' </dev/null >/dev/null 2>&1\n",
            mark.display(),
            home.display()
        ));
    }
    let path = format!("{}:/usr/bin:/bin", home.join("bin").display());
    Command::new("unshare")
        .args(["-rn", "bash", "-c", &script])
        .env_clear()
        .env("PATH", path)
        .current_dir(&home)
        .status()
        .unwrap();
    let ran: Vec<&String> = allowed
        .iter()
        .enumerate()
        .filter(|(at, _)| home.join(format!("mark.{at}")).exists())
        .map(|(_, line)| line)
        .collect();
    eprintln!("{} lines were allowed and run", allowed.len());
    std::fs::remove_dir_all(&home).unwrap();
    assert!(ran.is_empty(), "ran in bash: {ran:#?}");
}
