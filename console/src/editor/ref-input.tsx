/** A field for a value that may hold refs, and knows what could be written there. */

import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useId, useState, type KeyboardEvent } from "react";

import { call } from "../api/client";
import type { Definition } from "./definition";

interface Completions {
  start: number;
  end: number;
  candidates: { text: string; detail: string | null }[];
}

interface Props {
  definition: Definition;
  step: string;
  value: string;
  onChange: (text: string) => void;
  placeholder?: string;
  label: string;
}

/** The server counts in bytes. */
const bytes = (text: string) => new TextEncoder().encode(text).length;
const cut = (text: string, from: number, to?: number) => new TextDecoder().decode(new TextEncoder().encode(text).slice(from, to));

export function RefInput({ definition, step, value, onChange, placeholder, label }: Props) {
  const id = useId();
  const [cursor, setCursor] = useState<number | null>(null);
  const [at, setAt] = useState(0);
  const wish = useDeferredValue(cursor === null || !value.includes("@") ? null : { text: value, cursor: bytes(value.slice(0, cursor)) });
  const { data } = useQuery({
    queryKey: ["completions", step, wish, definition],
    queryFn: ({ signal }) => call<Completions>("/api/graphs/completions", { method: "POST", body: { definition, step, ...wish }, signal }),
    enabled: wish !== null,
    gcTime: 10_000,
  });
  const found = cursor === null || wish === null ? [] : (data?.candidates ?? []).slice(0, 12);
  const take = (text: string) => {
    if (data === undefined) return;
    onChange(cut(value, 0, data.start) + text + cut(value, data.end));
    setCursor(null);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const chosen = found[Math.min(at, found.length - 1)];
    if (chosen === undefined) return;
    if (event.key === "ArrowDown") setAt((at + 1) % found.length);
    else if (event.key === "ArrowUp") setAt((at + found.length - 1) % found.length);
    else if (event.key === "Enter" || event.key === "Tab") take(chosen.text);
    else if (event.key === "Escape") setCursor(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="ref-input">
      <input
        className="input mono"
        role="combobox"
        aria-label={label}
        aria-expanded={found.length > 0}
        aria-controls={id}
        aria-autocomplete="list"
        placeholder={placeholder}
        value={value}
        onChange={(event) => {
          onChange(event.target.value);
          setCursor(event.target.selectionStart);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => setCursor(null)}
      />
      <ul id={id} role="listbox" aria-label={`Refs for ${label}`} hidden={found.length === 0}>
        {found.map(({ text, detail }, n) => (
          // The press comes before the blur that would take the list away; the field above takes the keys.
          <li key={text} role="option" aria-selected={n === at} onPointerDown={(event) => { event.preventDefault(); take(text); }}>
            <span className="mono">{text}</span> <span className="faint">{detail}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
