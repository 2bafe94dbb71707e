/** Who may come in: tokens, and the namespaces they are for. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { KeyRound, Plus } from "lucide-react";
import { useState } from "react";

import { call, path } from "../api/client";
import { infoQuery, namespacesQuery, tokensQuery } from "../api/queries";
import { addressOf } from "../api/session";
import type { Scope, TokenView } from "../api/types";
import { ActionForm } from "../run/actions";
import { CopyButton, Dialog, Empty, Loading, PageHead, ProblemBox, Time } from "../ui/parts";
import { StatusIcon } from "../ui/status";

export function Component() {
  const { data: info } = useQuery(infoQuery);
  const isAdmin = info?.scope === "admin";
  const [isMaking, setMaking] = useState(false);
  return (
    <div className="page">
      <title>Access · Stepwell</title>
      <PageHead title="Access" sub="Tokens let programs and people in; namespaces keep them apart.">
        {isAdmin && (
          <button type="button" className="button primary" onClick={() => setMaking(true)}>
            <Plus size={14} aria-hidden /> New token
          </button>
        )}
      </PageHead>
      {info !== undefined && <You />}
      {isAdmin && <Tokens />}
      <Namespaces />
      {isMaking && <NewToken onClose={() => setMaking(false)} />}
    </div>
  );
}

function You() {
  const { data: info } = useQuery(infoQuery);
  if (info === undefined) return null;
  return (
    <p className="muted">
      You are here {info.token === null ? "without a token" : `with the token ${info.token}`}, in namespace <code>{info.namespace}</code>, and may {WORDS[info.scope]}.
      {!info.token_required && " The server asks nobody for a token, since only this machine can reach it."}
    </p>
  );
}

const WORDS: Record<Scope, string> = { read: "look at everything", launch: "look, start and steer runs", admin: "do everything" };

function Tokens() {
  const { data, error } = useQuery(tokensQuery);
  const [revoked, setRevoked] = useState<TokenView | null>(null);
  return (
    <section className="panel">
      <header>
        <h2>Tokens</h2>
      </header>
      {error !== null && <ProblemBox problem={error} />}
      {data === undefined && error === null && <Loading what="the tokens" />}
      {data?.length === 0 && (
        <Empty icon={KeyRound} title="No tokens">
          Make one for each program and person, with no more rights than they need.
        </Empty>
      )}
      {data !== undefined && data.length > 0 && (
        <div className="scroll-x">
          <table className="table">
            <thead>
              <tr>
                <th>Name</th>
                <th>Scope</th>
                <th>Namespace</th>
                <th>Begins with</th>
                <th>Made</th>
                <th>Expires</th>
                <th>
                  <span className="visually-hidden">Revoke</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {data.map((token) => (
                <tr key={`${token.namespace}/${token.name}`}>
                  <td>{token.name}</td>
                  <td>
                    <span className="tag">{token.scope}</span>
                  </td>
                  <td>{token.namespace === "*" ? "all" : token.namespace}</td>
                  <td className="mono">{token.hint}…</td>
                  <td>
                    <Time at={token.created_at} />
                  </td>
                  <td>{token.expires_at === null ? "never" : <Time at={token.expires_at} />}</td>
                  <td>
                    <button type="button" className="button small danger" onClick={() => setRevoked(token)}>
                      Revoke
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {revoked !== null && <Revoke token={revoked} onClose={() => setRevoked(null)} />}
    </section>
  );
}

function Revoke({ token, onClose }: { token: TokenView; onClose: () => void }) {
  const client = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => call(path`/api/tokens/${token.name}`, { method: "DELETE" }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ["tokens"] });
      onClose();
    },
  });
  return (
    <Dialog title={`Revoke ${token.name}?`} onClose={onClose}>
      <ActionForm onSubmit={() => mutate()} verb="Revoke" tone="danger" {...{ onClose, error }} isBusy={isPending}>
        <p className="muted">Whoever uses it is refused from now on. It cannot be brought back.</p>
      </ActionForm>
    </Dialog>
  );
}

function NewToken({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const [name, setName] = useState("");
  const [scope, setScope] = useState<Scope>("launch");
  const [days, setDays] = useState("90");
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => {
      const expires = days === "" ? {} : { expires_at: new Date(Date.now() + Number(days) * 86_400_000).toISOString() };
      return call<{ token: string }>("/api/tokens", { method: "POST", body: { name, scope, ...expires } });
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ["tokens"] }),
  });
  if (data !== undefined) {
    return (
      <Dialog title="Your new token" onClose={onClose}>
        <div className="stack">
          <p>Copy it now: it is shown this once and kept nowhere.</p>
          <div className="row secret">
            <code className="grow" data-testid="new-token">
              {data.token}
            </code>
            <CopyButton text={data.token} what="the token" />
          </div>
          <div className="actions">
            <button type="button" className="button primary" onClick={onClose}>
              I have it
            </button>
          </div>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title="New token" onClose={onClose}>
      <ActionForm onSubmit={() => mutate()} verb="Make it" {...{ onClose, error }} isBusy={isPending}>
        <label className="field">
          <span>Name</span>
          <input className="input" required value={name} onChange={(event) => setName(event.target.value)} />
        </label>
        <label className="field">
          <span>It may</span>
          <select className="select" value={scope} onChange={(event) => setScope(event.target.value as Scope)}>
            {(Object.keys(WORDS) as Scope[]).map((one) => (
              <option key={one} value={one}>
                {one}: {WORDS[one]}
              </option>
            ))}
          </select>
        </label>
        <label className="field">
          <span>Days until it expires</span>
          <input className="input" type="number" min={1} value={days} onChange={(event) => setDays(event.target.value)} />
          <small className="hint">Left empty it never does.</small>
        </label>
      </ActionForm>
    </Dialog>
  );
}

function Namespaces() {
  const { data, error } = useQuery(namespacesQuery);
  return (
    <section className="panel">
      <header>
        <h2>Namespaces</h2>
      </header>
      {error !== null && <ProblemBox problem={error} />}
      <table className="table">
        <tbody>
          {data?.map(({ name, counts }) => (
            <tr key={name}>
              <td>
                <a href={addressOf(name)}>{name}</a>
              </td>
              <td>
                <span className="row wrap">
                  {(["running", "waiting", "pending", "failed", "completed", "cancelled"] as const)
                    .filter((status) => (counts[status] ?? 0) > 0)
                    .map((status) => (
                      <span key={status} className="tag num" title={status}>
                        <StatusIcon status={status} size={12} /> {counts[status]?.toLocaleString()}
                      </span>
                    ))}
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
