use std::collections::BTreeMap;

use expect_test::expect;
use stepwell_server::config::{
    AccessConfig, ClusterConfig, FilesConfig, FlowsConfig, KeyConfig, LimitsConfig, RateConfig,
    RetentionConfig, TelemetryConfig, WorkflowConfig,
};

use super::*;
use crate::out::Style;

/// Sources with a file of this text, in a folder that goes with the test.
struct Given {
    dir: tempfile::TempDir,
    sources: Sources,
}

fn given(file: &str, environment: &[(&str, &str)], flags: &[(&str, &str)]) -> Given {
    let dir = tempfile::tempdir().unwrap();
    if !file.is_empty() {
        std::fs::write(dir.path().join(FILE_NAME), file).unwrap();
    }
    let flag = |(key, text): &(&str, &str)| {
        let setting = SETTINGS.iter().find(|setting| setting.key == *key).unwrap();
        (setting, vec![(*text).to_owned()])
    };
    let sources = Sources {
        dir: dir.path().to_owned(),
        config: None,
        environment: environment.iter().map(|(name, value)| (name.into(), value.into())).collect(),
        flags: flags.iter().map(flag).collect(),
    };
    Given { dir, sources }
}

impl Given {
    fn load(&self) -> Result<Settings> {
        Settings::load(&self.sources)
    }

    /// The error and its hint, without the folder.
    #[track_caller]
    fn error(&self) -> String {
        let error = self.load().unwrap_err();
        assert_eq!(error.exit, crate::exit::Exit::Usage);
        let dir = format!("{}/", self.dir.path().display());
        error.text().replace(&dir, "")
    }

    fn shown(&self) -> String {
        let rows = rows(&self.load().unwrap());
        rows_text(&rows, Style::PLAIN).replace(&format!("{}/", self.dir.path().display()), "")
    }
}

#[test]
fn without_anything_the_defaults_are_in_force() {
    let settings = given("", &[], &[]).load().unwrap();
    assert_eq!(settings.server, ServerConfig::default());
    assert_eq!(settings.store.to_string(), "sqlite:stepwell.db");
}

#[test]
fn options_win_over_the_environment_and_that_over_the_file() {
    let file = "listen = '127.0.0.1:1'\nshutdown_grace = '1s'\n[limits]\nrequests_max = 1\n";
    let environment = [("STEPWELL_LISTEN", "127.0.0.1:2"), ("STEPWELL_SHUTDOWN_GRACE", "2s")];
    let given = given(file, &environment, &[("listen", "127.0.0.1:3")]);
    let settings = given.load().unwrap();
    assert_eq!(settings.server.listen.port(), 3);
    assert_eq!(settings.server.shutdown_grace.as_ms(), 2_000);
    assert_eq!(settings.server.limits.requests_max, 1);
    assert_eq!(settings.server.limits.readers_max, LimitsConfig::default().readers_max);
}

#[test]
fn every_value_tells_where_it_came_from_and_secrets_are_not_shown() {
    let file = "store = 'sqlite:a.db'\n\n[workflows.'a b']\nconcurrency = 3\n\n\
                [flows.secrets]\nmail = 'whsec_MDEyMzQ1Njc4OWFiY2RlZg=='\n";
    let environment = [("STEPWELL_ADMIN_TOKEN", "0123456789abcdef"), ("STEPWELL_LOG", "debug")];
    let given = given(file, &environment, &[("access.origins", "https://a.example")]);
    expect![[r#"
        SETTING                      VALUE                              FROM
        listen                       127.0.0.1:7070                     default
        store                        sqlite:a.db                        stepwell.toml:1
        mcp_config                   (none)                             default
        shutdown_grace               10s                                default
        cluster.lease                10s                                default
        cluster.name                 (the machine's name)               default
        cluster.writers              2                                  default
        files.dir                    (none)                             default
        files.watch                  false                              default
        files.fetch                  true                               default
        files.fetch_hosts            (any)                              default
        files.memory_bytes_max       67108864                           default
        files.step_time              5m                                 default
        access.admin_token           (set)                              STEPWELL_ADMIN_TOKEN
        access.token_required        (only if there is an admin token)  default
        access.origins               https://a.example                  --origin
        access.hosts                 (none)                             default
        limits.body_bytes_max        8388608                            default
        limits.json_depth_max        64                                 default
        limits.requests_max          4096                               default
        limits.readers_max           10000                              default
        retention.completed          (for ever)                         default
        retention.failed             (for ever)                         default
        retention.cancelled          (for ever)                         default
        telemetry.log                debug                              STEPWELL_LOG
        telemetry.log_format         auto                               default
        telemetry.otlp_endpoint      (nowhere)                          default
        telemetry.service_name       stepwell                           default
        flows.public_url             (the address it listens on)        default
        flows.allowed_hosts          (all)                              default
        flows.response_bytes_max     4194304                            default
        flows.health_interval        30s                                default
        flows.memo_results_max       10000                              default
        flows.memo_bytes_max         67108864                           default
        flows.secrets.mail           (set)                              stepwell.toml:7
        workflows."a b".concurrency  3                                  stepwell.toml:4
    "#]]
    .assert_eq(&given.shown());
    let rows = rows(&given.load().unwrap());
    let json = rows_json(&rows).to_string();
    assert!(!json.contains("0123456789abcdef") && !json.contains("whsec_"), "{json}");
    assert!(
        json.contains(r#"{"from":{"name":"STEPWELL_ADMIN_TOKEN","source":"environment"}"#),
        "{json}"
    );
}

#[test]
fn settings_of_workflows_are_read() {
    let file = "[workflows.shop]\nconcurrency = 2\nrate = { runs = 10, per = '1m' }\n\
                [workflows.shop.per_key]\nfield = 'customer.id'\n[workflows.shop.retention]\nfailed = '1d'\n";
    let settings = given(file, &[], &[]).load().unwrap();
    let shop = &settings.server.workflows["shop"];
    assert_eq!(shop.concurrency, Some(2));
    assert_eq!(shop.rate.as_ref().unwrap().runs, 10);
    assert_eq!(shop.per_key.as_ref().unwrap().field, "customer.id");
    assert_eq!(shop.retention.as_ref().unwrap().failed.unwrap().as_ms(), 86_400_000);
}

#[test]
fn what_is_wrong_in_the_file_is_named_with_its_line() {
    let errors: String = [
        "lisen = '127.0.0.1:1'",
        "\n\nadmin_token = 'x'",
        "[acess]\nadmin_token = 'x'",
        "[access]\nadmin_tokn = 'x'",
        "[colours]\nred = 1",
        "[colours]",
        "access = 5",
        "listen = 7070",
        "listen = 'localhost:7070'",
        "[limits]\nrequests_max = 0",
        "[limits]\nrequests_max = -1",
        "[limits]\nrequests_max = 99999999999999999999",
        "[limits]\nrequests_max = 'many'",
        "[retention]\ncompleted = '1 month'",
        "[telemetry]\nlog_format = 'xml'",
        "[access]\norigins = 'https://a.example'",
        "[access]\ntoken_required = 'yes'",
        "store = 'stepwell.db'",
        "[workflows.shop]\nconcurency = 1",
        "[workflows.shop]\nrate = { runs = 1 }",
        "[workflows]\nshop = 1",
        "listen = ",
        "listen = '127.0.0.1:1'\nlisten = '127.0.0.1:2'",
    ]
    .iter()
    .map(|file| given(file, &[], &[]).error())
    .collect();
    expect![[r#"
        error: stepwell.toml:1: there is no setting `lisen`
        hint: did you mean `listen`?
        error: stepwell.toml:3: there is no setting `admin_token`
        hint: did you mean `access.admin_token`?
        error: stepwell.toml:1: there is no setting `acess`
        hint: did you mean `[access]`?
        error: stepwell.toml:2: there is no setting `access.admin_tokn`
        hint: did you mean `access.admin_token`?
        error: stepwell.toml:1: there is no setting `colours`
        hint: `stepwell config show` lists every setting
        error: stepwell.toml:1: there is no setting `colours`
        hint: `stepwell config show` lists every setting
        error: stepwell.toml:1: `access` is a section, not a value
        hint: write [access], and its settings below that
        error: stepwell.toml:1: `listen`: it takes text in quotes, not a number
        error: stepwell.toml:1: `listen`: `localhost:7070` is no address: give numbers and a port, such as 127.0.0.1:7070 or [::1]:7070
        error: stepwell.toml:2: `limits.requests_max`: 0 is less than 1
        error: stepwell.toml:2: `limits.requests_max`: -1 is less than 1
        error: stepwell.toml:2: `limits.requests_max`: `99999999999999999999` is too large
        error: stepwell.toml:2: `limits.requests_max`: it takes a whole number
        error: stepwell.toml:2: `retention.completed`: `1 month` is not a span of time: give one such as 30d, 12h, 5m, 90s or 250ms
        error: stepwell.toml:2: `telemetry.log_format`: `xml` is none of auto, pretty, json
        error: stepwell.toml:2: `access.origins`: it takes a list of texts, such as ["a", "b"]
        error: stepwell.toml:2: `access.token_required`: it takes true or false
        error: stepwell.toml:1: `store`: `stepwell.db` is no store: give sqlite:PATH, such as sqlite:stepwell.db, or postgres://USER@HOST/DATABASE
        error: stepwell.toml:2: there is no setting `workflows.shop.concurency`
        hint: did you mean `workflows.shop.concurrency`?
        error: stepwell.toml:2: `workflows.shop.rate`: missing field `per`
        error: stepwell.toml:2: `workflows.shop` is a section, not a value
        hint: write [workflows.shop], and its settings below that
        error: stepwell.toml:1: string values must be quoted, expected literal string
        error: stepwell.toml:2: duplicate key
    "#]].assert_eq(&errors);
}

#[test]
fn what_is_wrong_in_the_environment_is_named() {
    let errors: String = [
        &[("STEPWELL_LISEN", "127.0.0.1:1")][..],
        &[("STEPWELL_COLOUR", "red")],
        &[("STEPWELL_ACCESS__ADMIN_TOKN", "x")],
        &[("STEPWELL_LISTEN", "7070")],
        &[("STEPWELL_LIMITS__REQUESTS_MAX", "1.5")],
        &[("STEPWELL_ACCESS__TOKEN_REQUIRED", "yes")],
        &[("STEPWELL_ADMIN_TOKEN", "a"), ("STEPWELL_ACCESS__ADMIN_TOKEN", "b")],
    ]
    .iter()
    .map(|environment| given("", environment, &[]).error())
    .collect();
    expect![[r#"
        error: STEPWELL_LISEN in the environment is no setting
        hint: did you mean STEPWELL_LISTEN?
        error: STEPWELL_COLOUR in the environment is no setting
        hint: unset it; `stepwell serve --help` lists those there are
        error: STEPWELL_ACCESS__ADMIN_TOKN in the environment is no setting
        hint: did you mean STEPWELL_ACCESS__ADMIN_TOKEN?
        error: STEPWELL_LISTEN: `7070` is no address: give numbers and a port, such as 127.0.0.1:7070 or [::1]:7070
        error: STEPWELL_LIMITS__REQUESTS_MAX: `1.5` is no whole number
        error: STEPWELL_ACCESS__TOKEN_REQUIRED: `yes` is neither true nor false
        error: STEPWELL_ADMIN_TOKEN and STEPWELL_ACCESS__ADMIN_TOKEN are the same setting, and both are set
        hint: keep one of them
    "#]].assert_eq(&errors);
}

#[test]
fn variables_of_others_and_empty_ones_do_not_matter() {
    let environment = [
        ("STEPWELL_SERVER", "http://x"),
        ("STEPWELL_TOKEN", "x"),
        ("STEPWELL_SERVICE_HOST", "10.0.0.1"),
        ("STEPWELL_SERVICE_PORT_HTTP", "7070"),
        ("STEPWELL_PORT", "tcp://10.0.0.1:7070"),
        ("STEPWELL_PORT_7070_TCP_ADDR", "10.0.0.1"),
        ("STEPWELL_ADMIN_TOKEN", ""),
        ("HOME", "/root"),
    ];
    let settings = given("", &environment, &[]).load().unwrap();
    assert_eq!(settings.server, ServerConfig::default());
}

#[test]
fn a_file_that_is_named_must_be_there() {
    let mut given = given("", &[], &[]);
    given.sources.config = Some(given.dir.path().join("other.toml"));
    assert!(given.error().starts_with("error: other.toml cannot be read:"), "{}", given.error());
}

#[test]
fn stores_are_files_or_databases() {
    for (text, path) in [
        ("sqlite:a.db", "a.db"),
        ("sqlite:/x/a.db", "/x/a.db"),
        ("sqlite:///x/a.db", "/x/a.db"),
        ("sqlite:./a.db", "./a.db"),
    ] {
        assert_eq!(StoreUrl::parse(text).unwrap().path(), Some(std::path::Path::new(path)));
    }
    for text in ["", "a.db", "sqlite:", "sqlite::memory:", "sqlite://a.db", "mysql://x"] {
        assert!(StoreUrl::parse(text).is_err(), "{text}");
    }
    for (address, shown) in [
        ("postgres://me:secret@db/x?password=secret", "postgres://me@db/x"),
        ("postgresql://me:s@cret@db:1/x", "postgresql://me@db:1/x"),
        ("postgres://db/x", "postgres://db/x"),
    ] {
        let url = StoreUrl::parse(address).unwrap();
        assert_eq!(
            (url.path(), url.to_string(), format!("{url:?}")),
            (None, shown.into(), shown.into())
        );
    }
}

/// The names of a struct's fields, as serde knows them.
fn fields<'de, T: serde::Deserialize<'de>>() -> Vec<&'static str> {
    struct Ask<'a>(&'a mut Vec<&'static str>);
    impl<'de> serde::Deserializer<'de> for Ask<'_> {
        type Error = serde::de::value::Error;
        fn deserialize_any<V: serde::de::Visitor<'de>>(
            self,
            _: V,
        ) -> std::result::Result<V::Value, Self::Error> {
            Err(serde::de::Error::custom("only the fields are asked for"))
        }
        fn deserialize_struct<V: serde::de::Visitor<'de>>(
            self,
            _: &'static str,
            fields: &'static [&'static str],
            visitor: V,
        ) -> std::result::Result<V::Value, Self::Error> {
            self.0.extend(fields);
            self.deserialize_any(visitor)
        }
        serde::forward_to_deserialize_any! {
            bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
            unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
        }
    }
    let mut fields = Vec::new();
    let _ = T::deserialize(Ask(&mut fields));
    fields
}

#[test]
fn the_list_of_settings_is_what_the_server_takes() {
    let mut sections: BTreeMap<&str, Vec<&str>> = BTreeMap::from([
        ("", fields::<ServerConfig>()),
        ("access.", fields::<AccessConfig>()),
        ("cluster.", fields::<ClusterConfig>()),
        ("files.", fields::<FilesConfig>()),
        ("flows.", fields::<FlowsConfig>()),
        ("limits.", fields::<LimitsConfig>()),
        ("retention.", fields::<RetentionConfig>()),
        ("telemetry.", fields::<TelemetryConfig>()),
        ("workflows.*.", fields::<WorkflowConfig>()),
        ("workflows.*.rate.", fields::<RateConfig>()),
        ("workflows.*.per_key.", fields::<KeyConfig>()),
        ("workflows.*.per_key.rate.", fields::<RateConfig>()),
        ("workflows.*.retention.", fields::<RetentionConfig>()),
    ]);
    sections.get_mut("").unwrap().push("store");
    let mut taken: Vec<String> = sections
        .iter()
        .flat_map(|(section, names)| names.iter().map(move |name| format!("{section}{name}")))
        .filter(|key| !sections.contains_key(format!("{key}.").as_str()) && key != "workflows")
        // Their names are the user's.
        .map(|key| key.replace("flows.secrets", "flows.secrets.*"))
        .collect();
    let mut known: Vec<&str> = SETTINGS.iter().map(|setting| setting.key).collect();
    taken.sort_unstable();
    known.sort_unstable();
    assert_eq!(known, taken);
}

#[test]
fn every_setting_has_a_default_or_says_what_holds_without_one() {
    for setting in SETTINGS {
        let has_default = !show::plain(&default_of(setting)).is_empty();
        assert_ne!(has_default, !setting.unset.is_empty(), "{}", setting.key);
        assert!(
            setting.is_secret() || setting.is_per_workflow() || setting.flag.is_some(),
            "{}",
            setting.key
        );
    }
}
