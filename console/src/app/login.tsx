/** The server wants a token. */

import { useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";

import { Problem } from "../api/client";
import { session } from "../api/session";
import { Mark } from "./shell";

export function Login() {
  const client = useQueryClient();
  const [secret, setSecret] = useState("");
  const [isKept, setKept] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem(await refusal(secret.trim()));
    setBusy(false);
  };

  /** Asks with the new token before it is believed. */
  const refusal = async (token: string): Promise<Problem | null> => {
    const response = await fetch("/api/info", { headers: { authorization: `Bearer ${token}` } }).catch(() => null);
    if (response === null) {
      return new Problem({ status: 0, code: "unreachable", title: "The server does not answer", detail: "Try again in a moment." });
    }
    if (!response.ok) {
      const said = (await response.json().catch(() => ({}))) as { title?: string; detail?: string };
      return new Problem({ status: response.status, code: "", title: said.title ?? "Refused", detail: said.detail ?? "" });
    }
    client.clear();
    session.logIn(token, isKept);
    return null;
  };

  return (
    <main className="login">
      <form className="panel" onSubmit={(event) => void submit(event)}>
        <div className="login-brand">
          <Mark />
          <h1>Stepwell</h1>
        </div>
        <p className="muted">
          This server asks for an access token. <code>stepwell token create</code> makes one.
        </p>
        <label className="field">
          <span>Access token</span>
          {/* eslint-disable-next-line jsx-a11y/no-autofocus -- it is the only thing on the page */}
          <input className="input mono" type="password" autoComplete="current-password" autoFocus required value={secret} onChange={(event) => setSecret(event.target.value)} aria-invalid={problem !== null} aria-describedby="login-problem" />
        </label>
        <div id="login-problem" className="field-error" role="alert">
          {problem !== null && `${problem.title}: ${problem.message}`}
        </div>
        <label className="row">
          <input type="checkbox" checked={isKept} onChange={(event) => setKept(event.target.checked)} /> Keep it in this browser
        </label>
        <button className="button primary" disabled={isBusy}>
          Log in
        </button>
      </form>
    </main>
  );
}
