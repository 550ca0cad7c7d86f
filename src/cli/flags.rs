//! A command for each analysis, with a flag for each of its settings as it is declared.

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use serde_json::{Map, Value};

use super::{Failure, On, Output};
use crate::lab::{
    Config, Kind,
    settings::{Control, Offer, Setting, flat, gather, spread},
};

/// What a command of these asks.
pub struct Flags {
    /// What to measure.
    pub config: Config,
    /// On what.
    pub on: On,
    /// Where the report goes.
    pub output: Output,
}

/// The program's commands, and one for each analysis.
pub fn with_analyses(program: Command) -> Command {
    program.subcommands(Kind::ALL.iter().map(|kind| analysis(*kind)))
}

fn analysis(kind: Kind) -> Command {
    let settings = kind.settings();
    let default = default(kind);
    let flags = flat(&settings).into_iter().map(|setting| {
        let written = written(value_of(&default, &settings, setting).unwrap_or(&Value::Null));
        let usual = if written.is_empty() { written } else { format!(" [default: {written}]") };
        let flag =
            Arg::new(setting.place).long(setting.name.replace('_', "-")).help(format!("{}{usual}", about(setting)));
        match setting.control {
            Control::Flag => flag.num_args(0..=1).default_missing_value("true").value_name("true|false"),
            _ => flag.num_args(1).allow_hyphen_values(true).value_name(value_name(&setting.control)),
        }
    });
    let command = Command::new(kind.name()).args(flags).next_help_heading("Where");
    // Each of these would give the command its own description.
    let command = Output::augment_args(On::augment_args(command));
    let measures = format!("Run {}: {}", kind.about().title, kind.about().measures);
    command.about(measures)
}

fn about(setting: &Setting) -> String {
    let keys = |of: &[Offer]| of.iter().map(|offer| offer.key()).collect::<Vec<_>>().join(", ");
    match &setting.control {
        Control::OneOf(of) => format!("{}: {}", setting.label, keys(of)),
        Control::SeveralOf { of, .. } => format!("{}, with commas: {}", setting.label, keys(of)),
        _ => setting.label.to_string(),
    }
}

fn value_name(control: &Control) -> &'static str {
    match control {
        Control::Whole { .. } | Control::Number { .. } => "NUMBER",
        Control::Numbers { .. } => "NUMBERS",
        _ => "VALUE",
    }
}

/// The analysis that was asked for by its own command; none for any other command.
pub fn asked(matches: &ArgMatches) -> Option<Result<Flags, Failure>> {
    let (name, matches) = matches.subcommand()?;
    let kind = Kind::ALL.iter().find(|kind| kind.name() == name)?;
    Some(read(*kind, matches))
}

fn read(kind: Kind, matches: &ArgMatches) -> Result<Flags, Failure> {
    let (settings, default) = (kind.settings(), default(kind));
    let given = |place: &'static str| {
        let text = matches.get_one::<String>(place)?;
        let setting = flat(&settings).into_iter().find(|setting| setting.place == place)?;
        Some(value(setting, text, value_of(&default, &settings, setting)))
    };
    let config = gather(&settings, &given).and_then(|json| Config::of(kind, json));
    let config = config.and_then(|config| config.check().map(|()| config));
    let config = config.map_err(|fault| Failure::Flags(Box::new(fault)))?;
    let place = "the command line was read by these declarations";
    let (on, output) = (On::from_arg_matches(matches).expect(place), Output::from_arg_matches(matches).expect(place));
    Ok(Flags { config, on, output })
}

/// What a person wrote, as JSON has it.
fn value(setting: &Setting, text: &str, usual: Option<&Value>) -> Value {
    let offered = |text: &str, of: &[Offer]| {
        let found = of.iter().find(|offer| offer.key() == text.trim());
        found.map_or(Value::from(text), |offer| offer.value.clone())
    };
    match &setting.control {
        Control::OneOf(of) => offered(text, of),
        Control::SeveralOf { of, .. } => text.split(',').map(|one| offered(one, of)).collect(),
        Control::Flag => serde_json::from_str(text).unwrap_or(Value::from(text)),
        Control::Own => match (serde_json::from_str(text), usual) {
            (Ok(json @ (Value::Array(_) | Value::Object(_) | Value::Null)), _) => json,
            (_, Some(Value::Array(_))) => text.split(',').map(|one| word(one.trim())).collect(),
            _ => text.into(),
        },
        _ => text.into(),
    }
}

/// A word of a list: a number where it is one.
fn word(text: &str) -> Value {
    text.parse::<u64>().map_or(Value::from(text), Value::from)
}

fn default(kind: Kind) -> Value {
    Config::of(kind, Value::Object(Map::new())).map(|config| config.settings()).unwrap_or_default()
}

fn value_of<'a>(json: &'a Value, settings: &[Setting], wanted: &Setting) -> Option<&'a Value> {
    let found = spread(settings, json);
    found.into_iter().find(|(place, _)| *place == wanted.place).map(|(_, value)| value)
}

/// A default as a person would write it; nothing where there is none.
fn written(value: &Value) -> String {
    match value {
        Value::Null | Value::Object(_) => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(all) => all.iter().map(written).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}
