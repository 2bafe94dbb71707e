/** JSON to read: coloured, foldable where it is long, never more than the eye can take. */

import { useState } from "react";

import type { Json } from "../api/types";
import { CopyButton } from "./parts";

/** Longer arrays and objects show this many, and a button for more. */
const SHOWN_MAX = 100;
const TEXT_MAX = 4_000;

export function JsonView({ value, label }: { value: Json | undefined; label: string }) {
  if (value === undefined) return <span className="faint">nothing</span>;
  return (
    <div className="json" aria-label={label} role="group">
      <CopyButton text={JSON.stringify(value, null, 2)} what={label} />
      <Value value={value} depth={0} />
    </div>
  );
}

function Value({ value, depth }: { value: Json; depth: number }) {
  if (value === null) return <span className="j-null">null</span>;
  if (typeof value === "string") return <Text text={value} />;
  if (typeof value !== "object") return <span className="j-num">{String(value)}</span>;
  const isArray = Array.isArray(value);
  const items: [string, Json][] = isArray ? value.map((item, n) => [String(n), item]) : Object.entries(value);
  const [open, close] = isArray ? ["[", "]"] : ["{", "}"];
  if (items.length === 0) return <span>{open + close}</span>;
  return <Branch {...{ items, open, close, isArray, depth }} />;
}

interface BranchProps {
  items: [string, Json][];
  open: string;
  close: string;
  isArray: boolean;
  depth: number;
}

function Branch({ items, open, close, isArray, depth }: BranchProps) {
  const [isOpen, setOpen] = useState(depth < 3);
  const [nShown, setShown] = useState(SHOWN_MAX);
  return (
    <>
      <button type="button" className="j-fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {open}
        {!isOpen && <span className="faint">{` ${items.length} ${isArray ? "items" : "fields"} `}</span>}
        {!isOpen && close}
      </button>
      {isOpen && (
        <>
          <div className="j-items">
            {items.slice(0, nShown).map(([key, item]) => (
              <div key={key}>
                {!isArray && <span className="j-key">{key}: </span>}
                <Value value={item} depth={depth + 1} />
              </div>
            ))}
            {items.length > nShown && (
              <button type="button" className="button small" onClick={() => setShown(nShown * 5)}>
                {items.length - nShown} more
              </button>
            )}
          </div>
          {close}
        </>
      )}
    </>
  );
}

function Text({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole || text.length <= TEXT_MAX ? text : text.slice(0, TEXT_MAX);
  return (
    <span className="j-text">
      {JSON.stringify(shown)}
      {shown !== text && (
        <button type="button" className="button small" onClick={() => setWhole(true)}>
          {text.length - shown.length} more characters
        </button>
      )}
    </span>
  );
}
