//! The settings as options, made from the list of settings.

use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, ValueHint};

use super::{FILE_NAME, Kind, SETTINGS, Setting};

/// What was given on the command line.
#[derive(Debug, Clone, Default)]
pub struct SettingFlags {
    pub config: Option<PathBuf>,
    pub given: Vec<(&'static Setting, Vec<String>)>,
}

impl FromArgMatches for SettingFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<SettingFlags, clap::Error> {
        let mut flags = SettingFlags::default();
        flags.update_from_arg_matches(matches)?;
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.config = matches.get_one::<PathBuf>("config").cloned();
        for setting in SETTINGS.iter().filter(|setting| setting.flag.is_some()) {
            if matches.value_source(setting.key) == Some(ValueSource::CommandLine) {
                let texts = matches.get_many::<String>(setting.key).into_iter().flatten();
                self.given.push((setting, texts.cloned().collect()));
            }
        }
        Ok(())
    }
}

impl Args for SettingFlags {
    fn augment_args(command: Command) -> Command {
        let config = Arg::new("config")
            .long("config")
            .value_name("FILE")
            .env("STEPWELL_CONFIG")
            .hide_env_values(true)
            .value_hint(ValueHint::FilePath)
            .value_parser(clap::value_parser!(PathBuf))
            .help(format!(
                "The file of settings; {FILE_NAME} in the working directory if it is there"
            ));
        let flags = SETTINGS.iter().filter(|setting| setting.flag.is_some()).map(arg);
        command.arg(config.help_heading(heading("listen"))).args(flags).after_help(AFTER)
    }

    fn augment_args_for_update(command: Command) -> Command {
        SettingFlags::augment_args(command)
    }
}

const AFTER: &str = "The admin token has no option, because every process of a machine can see those: set STEPWELL_ADMIN_TOKEN, \
or access.admin_token in the file. Bounds and retention of single workflows stand in the file, under [workflows.NAME].

Every setting, with examples: docs/reference/configuration.md";

fn arg(setting: &'static Setting) -> Arg {
    let action = match setting.kind {
        Kind::Texts => ArgAction::Append,
        _ => ArgAction::Set,
    };
    let several = if setting.kind == Kind::Texts { "; may be given several times" } else { "" };
    let about = format!("{}{several}", setting.about);
    let default = setting.default_text();
    let env = setting.short_env.map(str::to_owned).or_else(|| setting.env()).unwrap_or_default();
    let check = |text: &str| setting.kind.of_text(text).map(|_| text.to_owned());
    let arg = Arg::new(setting.key)
        .long(setting.flag.unwrap_or_default())
        .value_name(setting.kind.value_name())
        .help(format!("{about} [default: {default}] [env: {env}]"))
        .long_help(format!("{about}\n\n[default: {default}]\n[env: {env}]"))
        .help_heading(heading(setting.key))
        .action(action)
        .value_parser(check);
    match setting.kind {
        // `--watch` alone says yes.
        Kind::Bool => arg.num_args(0..=1).default_missing_value("true"),
        _ => arg,
    }
}

fn heading(key: &str) -> &'static str {
    match key.split_once('.').map(|(section, _)| section) {
        Some("access") => "Access",
        Some("files") => "Workflow files",
        Some("limits") => "Limits",
        Some("retention") => "How long ended runs are kept",
        Some("telemetry") => "Logs and traces",
        _ => "Server",
    }
}
