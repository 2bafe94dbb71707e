/** A code editor: CodeMirror, loaded when it is first needed. */

import { Suspense, lazy } from "react";

const Inside = lazy(() => import("./editor-inside"));

export type Language = "json" | "typescript" | "lua" | "ale" | "plain";

export interface EditorProps {
  value: string;
  onChange?: (text: string) => void;
  language: Language;
  label: string;
  /** Where something is wrong, in characters from the start. */
  marks?: { from: number; to: number; message: string }[];
  minHeight?: number;
  readOnly?: boolean;
}

export function Editor(props: EditorProps) {
  const minHeight = props.minHeight ?? 160;
  return (
    <Suspense fallback={<div className="editor" style={{ minHeight }} aria-busy />}>
      <Inside {...props} minHeight={minHeight} />
    </Suspense>
  );
}
