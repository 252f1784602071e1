//! A session without a person in front of it: a host, a script, a pipe.

use std::io::{self, IsTerminal};

use sluice_engine::settings::Opener;
use sluice_engine::transcript::Earlier;
use sluice_stdio::{Door, Format, HOLD, InputMode, door};

use crate::environment::Environment;
use crate::flags::{Flags, InputFormat, OutputFormat};
use crate::launch::{self, Keyless, Place};
use crate::{fail, warn};

pub(crate) async fn run(flags: Flags, environment: Environment) -> i32 {
    let place = Place::look(&flags, &environment, Opener::Host);
    let options = match launch::options(&flags, &place, Keyless::Refuse) {
        Ok(options) => options,
        Err(problem) => return fail(&problem),
    };
    if let Some(why) = &options.refusal {
        warn(why);
        if flags.output_format != OutputFormat::StreamJson {
            return 1;
        }
    }
    let input = match flags.input_format {
        InputFormat::StreamJson => InputMode::StreamJson,
        // Nobody is asked anything.
        InputFormat::Text if flags.init_only => InputMode::Nothing,
        InputFormat::Text => {
            let piped = (!io::stdin().is_terminal()).then(io::stdin);
            match door::print_prompt(flags.prompt.as_deref(), piped, warn) {
                Ok(prompt) => InputMode::Prompt(prompt),
                // What was put off is done without anybody asking for it.
                Err(_) if options.earlier.as_ref().is_some_and(Earlier::awaits_call) => InputMode::Nothing,
                Err(problem) => {
                    warn(&problem);
                    return 1;
                }
            }
        }
    };
    let port = match sluice_engine::start(options) {
        Ok(port) => port,
        Err(error) => return fail(&error.to_string()),
    };
    let door = Door {
        input,
        format: format(&flags),
        hold: environment.stream_hold.unwrap_or(HOLD),
    };
    door.serve(port, io::stdin(), io::stdout(), warn).await
}

fn format(flags: &Flags) -> Format {
    match flags.output_format {
        OutputFormat::Text => Format::Text,
        OutputFormat::Json if flags.verbose => Format::JsonArray,
        OutputFormat::Json => Format::Json,
        OutputFormat::StreamJson => Format::StreamJson,
    }
}
