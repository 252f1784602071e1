//! The prompts of built-in slash commands that are sent to the model.

/// `/init`.
pub(crate) const INIT: &str = "\
Write a CLAUDE.md for this project: what someone who works on it for the first time has to know and could not tell from \
one look at the files.

First look around: the README, the build files, the layout of the folders, what the tests and the checks are and how they \
are run, and notes that other tools keep (AGENTS.md, .cursor/rules, .github/copilot-instructions.md). If there is a \
CLAUDE.md already, improve it and keep what is right in it.

Then write, in this order and only as far as there is something to say:
- what the project is, in two sentences;
- the commands: build, run, test all, test one, check, format, as they really work here (try them where that is harmless);
- how it is put together: the parts, what each is for, the way data goes through them;
- conventions and traps that are not obvious from the code.

Leave out what any project has, lists of files, and anything you did not see for yourself. A page is enough. Say at the \
end what you wrote and what you were not sure about.

$ARGUMENTS";

/// `/review`.
pub(crate) const REVIEW: &str = "\
Review a change as a careful colleague would. What to review: $ARGUMENTS (if nothing is named: what is not committed yet, \
else what this branch has over its base; a number is a pull request, to be read with `gh` if it is there).

Read the whole change, and of the code around it as much as you need to know whether it is right: callers, tests, the \
types it uses. Look for, in this order: behaviour that is wrong, cases that are not handled, data that can be lost or \
leaked, races, broken promises of an interface, missing tests for what changed, code that is already there, needless \
complexity. Leave matters of taste alone unless the project has a rule about them.

Check every finding before you report it: name the input or the sequence that makes it happen. Change nothing.

Report the findings that hold, the worst first: path:line, what goes wrong and when, and how to mend it in a sentence. If \
there are none, say so plainly, and say what you looked at.";

/// `/security-review`.
pub(crate) const SECURITY_REVIEW: &str = "\
Review a change for ways in which someone could abuse it. What to review: $ARGUMENTS (if nothing is named: what this \
branch has over its base, and what is not committed yet).

Find out first what is trusted here and what is not: where input comes in, who may do what, what is secret. Then follow \
untrusted data through the change: into commands, queries, paths, templates, deserialisers, redirects, logs. Look at \
checks of identity and of rights, at secrets in code, at randomness and cryptography, at files and permissions, at what \
new dependencies may do.

Report only what somebody could really use, and that this change brings or makes worse: path:line, how severe (high, \
medium), who could do it and with what steps, and how to close it. Leave out what is merely theoretical, denial of service \
by sheer volume, and advice without a finding. Change nothing. If nothing holds, say so, and say what you looked at.";
