/** What went in, what came out, and what lies in the mailbox. */

import type { RunDetail } from "../api/types";
import { JsonView } from "../ui/json";
import { Time } from "../ui/parts";
import { hasEnded } from "../ui/status";

export function DataTab({ run }: { run: RunDetail }) {
  return (
    <div className="data">
      <section>
        <h2>Input</h2>
        <JsonView value={run.input} label="the input" />
      </section>
      <section>
        <h2>{run.error === null ? "Output" : "Error"}</h2>
        {run.error !== null ? (
          <JsonView value={JSON.parse(JSON.stringify(run.error))} label="the error" />
        ) : run.status === "completed" ? (
          <JsonView value={run.output} label="the output" />
        ) : (
          <p className="muted">{hasEnded(run.status) ? "It was cancelled, so there is none." : "It has not ended yet."}</p>
        )}
      </section>
      <section>
        <h2>Messages not taken</h2>
        {run.mailbox.length === 0 && <p className="muted">The mailbox is empty.</p>}
        {run.mailbox.map((message) => (
          <div key={message.message_id} className="stack">
            <span>
              <code>{message.name}</code> <Time at={message.received_at} />
            </span>
            <JsonView value={message.body} label="the message" />
          </div>
        ))}
      </section>
    </div>
  );
}
