//! `docs/reference/configuration.md`, made from the list of settings.

use super::{CLIENT_NAMES, FILE_NAME, SETTINGS, Setting};

const INTRO: &str = "# Settings

The server's settings come from three places. Later ones win:

1. `stepwell.toml` in the working directory, or the file that `--config FILE` or `STEPWELL_CONFIG` names
2. the environment
3. options of `stepwell serve`

`stepwell config show` prints what is in force and where each value came from. A name that is not in the tables below is an error, in
the file and in the environment. Spans of time are written as `250ms`, `90s`, `5m`, `12h` or `30d`. Lists are separated by commas in the environment;
their options may be given several times. An empty variable counts as one that is not set.

```toml
# stepwell.toml
listen = \"127.0.0.1:7070\"
store = \"sqlite:/var/lib/stepwell/stepwell.db\"

[retention]
completed = \"30d\"

[workflows.checkout]
concurrency = 100
rate = { runs = 600, per = \"1m\" }
per_key = { field = \"customer.id\", concurrency = 1 }
```

Secrets have no options, because every process of a machine can see those. They are never printed.
";

const CLIENT: &str = "
## For commands that call a server

| environment | option | what |
|---|---|---|
| `STEPWELL_SERVER` | `--server` | the server to call; `http://127.0.0.1:7070` if left out |
| `STEPWELL_TOKEN` | `--token` | an access token |
| `STEPWELL_NAMESPACE` | `--namespace` | the namespace to work in |
| `STEPWELL_CONFIG` | `--config` | the file of settings, for `serve`, `config` and `store` |
";

/// The page, whole.
pub fn configuration_page() -> String {
    debug_assert!(CLIENT_NAMES.iter().all(|name| CLIENT.contains(name)));
    debug_assert!(INTRO.contains(FILE_NAME));
    let mut page = String::from(INTRO);
    let mut section = None;
    for setting in SETTINGS {
        let this = section_of(setting);
        if section != Some(this) {
            let heading =
                if this.is_empty() { "The server".to_owned() } else { format!("`[{this}]`") };
            page.push_str(&format!("\n## {heading}\n\n"));
            page.push_str(if setting.is_per_workflow() {
                "`NAME` is a name of your own, or the workflow's. These stand in the file only.\n\n| setting | unless it is set | what |\n|---|---|---|\n"
            } else {
                "| setting | default | environment | option | what |\n|---|---|---|---|---|\n"
            });
            section = Some(this);
        }
        page.push_str(&line(setting));
    }
    page.push_str(CLIENT);
    page
}

fn section_of(setting: &Setting) -> &'static str {
    match setting.key.split_once('.') {
        Some(("workflows", _)) => "workflows.NAME",
        Some((_, "secrets.*")) => "flows.secrets",
        Some((section, _)) => section,
        None => "",
    }
}

fn line(setting: &Setting) -> String {
    let default = setting.default_text();
    let default = if setting.unset.is_empty() { format!("`{default}`") } else { default };
    if setting.is_per_workflow() {
        let key = setting.key.replacen("workflows.*.", "", 1);
        let key = key.replacen("flows.secrets.*", "NAME", 1);
        return format!("| `{key}` | {default} | {} |\n", setting.about);
    }
    let envs: Vec<String> = setting.envs().iter().map(|name| format!("`{name}`")).collect();
    let flag = setting.flag.map_or_else(String::new, |flag| format!("`--{flag}`"));
    format!(
        "| `{}` | {default} | {} | {flag} | {} |\n",
        setting.key,
        envs.join(", "),
        setting.about
    )
}
