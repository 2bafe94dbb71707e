/** How this browser shows things, and the settings that the server runs with. */

import { useQuery } from "@tanstack/react-query";

import { infoQuery, settingsQuery } from "../api/queries";
import { session } from "../api/session";
import { setTheme, useTheme, type Theme } from "../app/theme";
import { JsonView } from "../ui/json";
import { PageHead, ProblemBox, Time } from "../ui/parts";

const THEMES: [Theme, string][] = [
  ["system", "As the machine has it"],
  ["light", "Light"],
  ["dark", "Dark"],
];

export function Component() {
  const { data: info } = useQuery(infoQuery);
  const theme = useTheme();
  return (
    <div className="page">
      <title>Settings · Stepwell</title>
      <PageHead title="Settings" />
      <section className="panel">
        <header>
          <h2>This browser</h2>
        </header>
        <div className="body stack">
          <div className="row wrap">
            <span className="label" id="look">
              Look
            </span>
            <div className="segments" role="group" aria-labelledby="look">
              {THEMES.map(([one, word]) => (
                <button key={one} type="button" aria-pressed={theme === one} onClick={() => setTheme(one)}>
                  {word}
                </button>
              ))}
            </div>
          </div>
          {session.token !== null && (
            <div>
              <button type="button" className="button" onClick={() => session.logOut()}>
                Log out
              </button>
            </div>
          )}
        </div>
      </section>
      <section className="panel">
        <header>
          <h2>The server</h2>
        </header>
        <div className="body stack">
          {info !== undefined && (
            <dl className="facts">
              <dt>Version</dt>
              <dd>{info.version}</dd>
              <dt>Started</dt>
              <dd>
                <Time at={info.started_at} />
              </dd>
              <dt>Described at</dt>
              <dd>
                <a href="/api/docs">/api/docs</a>, figures at <a href="/metrics">/metrics</a>
              </dd>
            </dl>
          )}
          {info?.scope === "admin" ? <InForce /> : <p className="muted">Its settings are shown to admins.</p>}
        </div>
      </section>
    </div>
  );
}

function InForce() {
  const { data, error } = useQuery(settingsQuery);
  if (error !== null) return <ProblemBox problem={error} />;
  return (
    <div className="stack">
      <h3>Settings in force</h3>
      <p className="hint">
        Named as in <code>stepwell.toml</code>. Secrets are left out.
      </p>
      <JsonView value={data} label="the settings in force" />
    </div>
  );
}
