import { closeBrackets } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { javascript } from "@codemirror/lang-javascript";
import { json, jsonParseLinter } from "@codemirror/lang-json";
import { HighlightStyle, StreamLanguage, bracketMatching, foldGutter, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { lua } from "@codemirror/legacy-modes/mode/lua";
import { scheme } from "@codemirror/legacy-modes/mode/scheme";
import { lintGutter, linter, setDiagnostics } from "@codemirror/lint";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "react";

import type { EditorProps, Language } from "./editor";

const look = EditorView.theme({
  "&": { backgroundColor: "var(--panel)", color: "var(--ink)", fontSize: "12.5px" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "1px" },
  ".cm-content": { fontFamily: "var(--mono)", caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--ink-3)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--accent) 7%, transparent)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--accent-soft) !important" },
  ".cm-tooltip": { backgroundColor: "var(--panel)", border: "1px solid var(--line-strong)", color: "var(--ink)" },
});

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--accent)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--completed)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--running)" },
  { tag: [tags.keyword, tags.operatorKeyword], color: "var(--cancelled)" },
  { tag: tags.comment, color: "var(--ink-3)", fontStyle: "italic" },
]);

export default function EditorInside({ value, onChange, language, label, marks, minHeight, readOnly = false }: EditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const changed = useRef(onChange);
  const first = useRef(value);
  useEffect(() => {
    changed.current = onChange;
  });

  useEffect(() => {
    if (host.current === null) return;
    const made = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          lineNumbers(),
          foldGutter(),
          history(),
          drawSelection(),
          indentOnInput(),
          bracketMatching(),
          closeBrackets(),
          highlightActiveLine(),
          // Escape, then Tab, leaves the editor by keyboard: CodeMirror's own way out.
          keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
          LANGUAGES[language](),
          lintGutter(),
          look,
          syntaxHighlighting(colours),
          EditorState.readOnly.of(readOnly),
          EditorView.contentAttributes.of({ "aria-label": label }),
          EditorView.lineWrapping,
          EditorView.updateListener.of((update) => {
            if (update.docChanged) changed.current?.(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = made;
    return () => made.destroy();
  }, [language, label, readOnly]);

  useEffect(() => {
    const made = view.current;
    const old = made?.state.doc.toString();
    if (made && old !== value) made.dispatch({ changes: { from: 0, to: old?.length ?? 0, insert: value } });
  }, [value]);

  useEffect(() => {
    const made = view.current;
    if (!made || marks === undefined) return;
    const end = made.state.doc.length;
    const found = marks.map((mark) => ({ from: Math.min(mark.from, end), to: Math.min(mark.to, end), message: mark.message, severity: "error" as const }));
    made.dispatch(setDiagnostics(made.state, found));
  }, [marks]);

  return <div ref={host} className="editor" style={{ "--editor-min": `${minHeight ?? 160}px` } as React.CSSProperties} />;
}

const parse = jsonParseLinter();

/** Ale is a Lisp, and is coloured like its cousin. */
const LANGUAGES: Record<Language, () => Extension> = {
  json: () => [json(), linter(parseJson)],
  typescript: () => javascript({ typescript: true }),
  lua: () => StreamLanguage.define(lua),
  ale: () => StreamLanguage.define(scheme),
  plain: () => [],
};

/** An empty text is nothing, not an error. */
function parseJson(view: EditorView) {
  return view.state.doc.length === 0 ? [] : parse(view);
}
