/** Small parts that every screen uses. */

import { Check, Copy, Inbox, TriangleAlert, type LucideIcon } from "lucide-react";
import { useEffect, useId, useRef, useState, type ReactNode } from "react";

import { Problem } from "../api/client";
import { absolute, relative, useNow } from "./time";

/** A time, relative on the face and absolute on the back. */
export function Time({ at }: { at: string | number }) {
  const ms = typeof at === "number" ? at : Date.parse(at);
  const now = useNow(Math.abs(Date.now() - ms) < 120_000 ? 1_000 : 30_000);
  return (
    <time dateTime={new Date(ms).toISOString()} title={absolute(ms)} className="num nowrap">
      {relative(ms, now)}
    </time>
  );
}

/** Puts text on the clipboard, and says so. */
export function CopyButton({ text, what, children }: { text: string; what: string; children?: ReactNode }) {
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    if (!isDone) return;
    const timer = setTimeout(() => setDone(false), 1_500);
    return () => clearTimeout(timer);
  }, [isDone]);
  const Icon = isDone ? Check : Copy;
  return (
    <button
      type="button"
      className={children === undefined ? "button plain icon small copy" : "button small"}
      aria-label={isDone ? "Copied" : `Copy ${what}`}
      title={isDone ? "Copied" : `Copy ${what}`}
      onClick={(event) => {
        event.preventDefault();
        event.stopPropagation();
        void copy(text).then(() => setDone(true));
      }}
    >
      <Icon size={13} aria-hidden />
      {children}
    </button>
  );
}

/** The clipboard is closed to pages that came by plain HTTP from elsewhere; a hidden field does it there. */
export async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
}

/** An id that can be told from its neighbours, and copied whole. */
export function RunId({ id, name }: { id: string; name?: string | undefined }) {
  return (
    <span className="run-id">
      <span className="mono clip" title={id}>
        {name ?? shortId(id)}
      </span>
      <CopyButton text={id} what="the run's id" />
    </span>
  );
}

/** The end of an id: its beginning is the time, which neighbours share. */
export function shortId(id: string): string {
  return id.length > 16 ? `…${id.slice(-12)}` : id;
}

/** Text in which names stand between backticks, as the server writes them. */
export function Said({ text }: { text: string }) {
  return <>{text.split("`").map((part, n) => (n % 2 === 1 ? <code key={n}>{part}</code> : part))}</>;
}

export function Labels({ labels }: { labels: Record<string, string> }) {
  return (
    <>
      {Object.entries(labels).map(([key, value]) => (
        <span key={key} className="tag clip" title={`${key}=${value}`}>
          <span className="faint">{key}</span> {value}
        </span>
      ))}
    </>
  );
}

/** Nothing here yet, and what to do about it. */
export function Empty({ icon: Icon = Inbox, title, children }: { icon?: LucideIcon; title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <Icon size={26} strokeWidth={1.5} aria-hidden />
      <h2>{title}</h2>
      <div className="muted">{children}</div>
    </div>
  );
}

/** Something went wrong: what, and what to do. */
export function ProblemBox({ problem, children }: { problem: unknown; children?: ReactNode }) {
  const known = problem instanceof Problem ? problem : null;
  const detail = problem instanceof Error ? problem.message : String(problem);
  return (
    <div className="problem" role="alert">
      <TriangleAlert size={16} aria-hidden />
      <div className="stack">
        <strong>{known?.title ?? "Something went wrong in the console"}</strong>
        <span>{detail}</span>
        {known !== null && known.errors.length > 0 && (
          <ul>
            {known.errors.map((error, n) => (
              <li key={n}>
                <code>{error.path}</code>: {error.message}
              </li>
            ))}
          </ul>
        )}
        {known !== null && known.status > 0 && (
          <a href={`/api/problems/${known.code}`} target="_blank" rel="noreferrer">
            About <code>{known.code}</code>
          </a>
        )}
        {children}
      </div>
    </div>
  );
}

export function Loading({ what }: { what: string }) {
  return (
    <div className="loading" role="status">
      <span className="spinner" aria-hidden /> Reading {what}…
    </div>
  );
}

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
  wide?: boolean;
}

/** The browser's own modal dialog: it keeps the focus, and Escape closes it. */
export function Dialog({ title, onClose, children, wide = false }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog ref={ref} className={wide ? "dialog wide" : "dialog"} aria-labelledby={id} onCancel={onClose} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

/** A list of things to do behind one button. */
export function Menu({ label, children, icon }: { label: string; icon?: ReactNode; children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    const items = () => [...(ref.current?.querySelectorAll<HTMLElement>('[role="menuitem"]:not(:disabled)') ?? [])];
    items()[0]?.focus();
    const close = (event: Event) => {
      if (!(event.target instanceof Node) || !ref.current?.contains(event.target)) setOpen(false);
    };
    const onKey = (event: KeyboardEvent) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step !== undefined) {
        event.preventDefault();
        const all = items();
        const at = all.indexOf(document.activeElement as HTMLElement);
        all[(at + step + all.length) % all.length]?.focus();
      } else if (event.key === "Escape" || event.key === "Tab") {
        setOpen(false);
        ref.current?.querySelector<HTMLElement>("button")?.focus();
      }
    };
    document.addEventListener("pointerdown", close);
    document.addEventListener("keydown", onKey);
    return () => {
      document.removeEventListener("pointerdown", close);
      document.removeEventListener("keydown", onKey);
    };
  }, [isOpen]);
  return (
    <div className="menu" ref={ref}>
      <button type="button" className="button" aria-haspopup="menu" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {icon}
        {label}
      </button>
      {isOpen && (
        // Choosing closes it. The items themselves take the keyboard.
        // eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
        <div className="menu-list" role="menu" aria-label={label} onClick={() => setOpen(false)}>
          {children}
        </div>
      )}
    </div>
  );
}

export function MenuItem({ icon, onSelect, children, disabled = false }: { icon?: ReactNode; onSelect: () => void; children: ReactNode; disabled?: boolean }) {
  return (
    <button type="button" role="menuitem" className="menu-item" disabled={disabled} onClick={onSelect}>
      {icon}
      {children}
    </button>
  );
}

/** The heading of a screen, with what can be done there. */
export function PageHead({ title, children, sub }: { title: ReactNode; sub?: ReactNode; children?: ReactNode }) {
  return (
    <header className="page-head">
      <div className="grow">
        <h1>{title}</h1>
        {sub !== undefined && <div className="muted page-sub">{sub}</div>}
      </div>
      <div className="row wrap">{children}</div>
    </header>
  );
}

interface NameInputProps {
  label: string;
  name: string;
  /** Whether another thing has this name: then the old one stays. */
  isTaken: (name: string) => boolean;
  onRename: (name: string) => void;
}

/** A name that is a key: it changes when it is whole, not with each letter on the way, which may be another's name. */
export function NameInput({ label, name, isTaken, onRename }: NameInputProps) {
  return (
    <input
      className="input mono"
      aria-label={label}
      key={name}
      defaultValue={name}
      onBlur={({ currentTarget }) => {
        const next = currentTarget.value.trim();
        if (next === "" || isTaken(next)) currentTarget.value = name;
        else if (next !== name) onRename(next);
      }}
      onKeyDown={(event) => event.key === "Enter" && event.currentTarget.blur()}
    />
  );
}
