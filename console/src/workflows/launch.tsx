/** Starts a run: a form made from the schema of its input, or JSON. */

import Form from "@rjsf/core";
import type { ErrorSchema, RJSFSchema, UiSchema } from "@rjsf/utils";
import { useMutation } from "@tanstack/react-query";
import { ChevronDown, Play, Terminal } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { useLocation, useNavigate } from "react-router";

import { Problem, call, path } from "../api/client";
import type { Json, StartRun, StartedRun, WorkflowView } from "../api/types";
import { cli, curl } from "../run/commands";
import { Editor } from "../ui/editor";
import { Menu, MenuItem, ProblemBox, copy } from "../ui/parts";
import { relative } from "../ui/time";
import { keepInput, keptInputs } from "./kept-inputs";
import { OPTIONS_EMPTY, OptionFields, readOptions, type OptionTexts } from "./launch-options";
import { templates } from "./form-parts";
import { validator } from "./validator";

type Mode = "form" | "json";

export default function Launch({ workflow }: { workflow: WorkflowView }) {
  const navigate = useNavigate();
  const given = (useLocation().state as { input?: Json } | null)?.input;
  const kept = useMemo(() => keptInputs(workflow.name), [workflow.name]);
  const schema = useMemo(() => formSchema(workflow), [workflow]);
  const order = useMemo(() => orderOf(schema), [schema]);
  const [mode, setMode] = useState<Mode>(schema === null ? "json" : "form");
  const [input, setInput] = useState<Json | undefined>(given ?? kept[0]?.input);
  const [text, setText] = useState(() => pretty(given ?? kept[0]?.input ?? (schema === null ? null : {})));
  const [options, setOptions] = useState<OptionTexts>(OPTIONS_EMPTY);
  const [wrong, setWrong] = useState<Error | null>(null);
  const form = useRef<Form>(null);

  const start = useMutation({
    mutationFn: (body: StartRun) => call<StartedRun>(path`/api/workflows/${workflow.name}/runs`, { method: "POST", body }),
    onSuccess: ({ run_id }, body) => {
      keepInput(workflow.name, body.input, Date.now());
      void navigate(`/runs/${run_id}`);
    },
  });

  const change = (value: Json | undefined) => {
    setInput(value);
    setText(pretty(value));
    start.reset();
  };
  const changeText = (typed: string) => {
    setText(typed);
    start.reset();
    setWrong(null);
    try {
      setInput(JSON.parse(typed) as Json);
    } catch {
      // Half a text is no error yet.
    }
  };
  const body = (value: Json): StartRun => ({ input: value, ...readOptions(options) });
  const submit = (value: Json) => {
    setWrong(null);
    try {
      start.mutate(body(value));
    } catch (error) {
      setWrong(error as Error);
    }
  };
  const submitText = () => {
    try {
      submit((text.trim() === "" ? null : JSON.parse(text)) as Json);
    } catch (error) {
      setWrong(new Error(`The input is not JSON: ${(error as Error).message}`));
    }
  };
  const refused = start.error instanceof Problem && start.error.errors.some(({ path: at }) => at.startsWith("input")) ? start.error : null;
  const command = (write: (value: StartRun) => string) => () => void copy(write(body(mode === "json" ? parsed(text) : (input ?? null))));

  return (
    <div className="launch">
      <div className="row wrap">
        {schema !== null && (
          <div className="segments" role="group" aria-label="How the input is given">
            {(["form", "json"] as const).map((one) => (
              <button key={one} type="button" aria-pressed={mode === one} onClick={() => setMode(one)}>
                {one === "form" ? "Form" : "JSON"}
              </button>
            ))}
          </div>
        )}
        {kept.length > 0 && (
          <Menu label="Last inputs" icon={<ChevronDown size={14} aria-hidden />}>
            {kept.map((one) => (
              <MenuItem key={one.at} onSelect={() => change(one.input)}>
                <span className="mono clip kept">{JSON.stringify(one.input)}</span>
                <span className="faint">{relative(one.at, Date.now())}</span>
              </MenuItem>
            ))}
          </Menu>
        )}
        <Menu label="Copy" icon={<Terminal size={14} aria-hidden />}>
          <MenuItem onSelect={command(({ input: value }) => cli(["start", workflow.name, "--input", JSON.stringify(value)]))}>As CLI</MenuItem>
          <MenuItem onSelect={command((value) => curl("POST", path`/api/workflows/${workflow.name}/runs`, value))}>As curl</MenuItem>
        </Menu>
      </div>
      {mode === "form" && schema !== null ? (
        <Form
          ref={form}
          className="form"
          schema={schema}
          uiSchema={order}
          validator={validator}
          formData={input}
          extraErrors={refused === null ? undefined : errorsAt(refused)}
          extraErrorsBlockSubmit={false}
          noHtml5Validate
          showErrorList={false}
          focusOnFirstError
          liveValidate={false}
          templates={templates}
          onChange={({ formData }) => change(formData as Json)}
          // The fields say what is wrong; without this the browser's console would be told as well.
          onError={() => undefined}
          onSubmit={({ formData }) => submit((formData ?? null) as Json)}
        >
          {/* The button stands below, beside the options. */}
          <span />
        </Form>
      ) : (
        <Editor value={text} onChange={changeText} language="json" label="Input as JSON" minHeight={220} />
      )}
      <OptionFields options={options} onChange={setOptions} />
      {wrong !== null && <ProblemBox problem={wrong} />}
      {start.error !== null && (refused === null || mode === "json" || refused.errors.some(({ path: at }) => at === "input")) && <ProblemBox problem={start.error} />}
      <div>
        <button type="button" className="button primary" disabled={start.isPending} onClick={() => (mode === "form" && schema !== null ? form.current?.submit() : submitText())}>
          <Play size={14} aria-hidden /> Start the run
        </button>
      </div>
    </div>
  );
}

/** What the server has against the input, at the fields that it is about. */
export function errorsAt(problem: Problem): ErrorSchema {
  const root: ErrorSchema = {};
  for (const { path: at, message } of problem.errors) {
    let place = root;
    for (const part of at.replaceAll(/\[(\d+)\]/g, ".$1").split(".").slice(1)) {
      const next = (place[part] ?? {}) as ErrorSchema;
      place[part] = next;
      place = next;
    }
    place.__errors = [...(place.__errors ?? []), message];
  }
  return root;
}

/** A schema that a form can be made of; anything else is JSON. */
function formSchema({ input_schema: schema }: WorkflowView): RJSFSchema | null {
  if (schema === null) return null;
  const isShaped = ["type", "properties", "$ref", "oneOf", "anyOf", "allOf", "enum", "items"].some((word) => word in schema);
  if (!isShaped) return null;
  // The form has a heading already, and formats such as uint32 are for programs.
  const { title: _title, description: _description, $schema: _dialect, ...rest } = schema;
  return withoutFormats(rest) as RJSFSchema;
}

/** Fields in the order of their declaration, as far as the schema tells: objects of JSON have none. */
function orderOf(schema: RJSFSchema | null): UiSchema {
  const required = schema?.required ?? [];
  const known = required.filter((name) => schema?.properties?.[name] !== undefined);
  return known.length === 0 ? {} : { "ui:order": [...known, "*"] };
}

const NUMBER_FORMATS = /^(u?int\d*|float|double)$/;

function withoutFormats(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withoutFormats);
  if (schema === null || typeof schema !== "object") return schema;
  const kept = Object.entries(schema).filter(([word, value]) => !(word === "format" && typeof value === "string" && NUMBER_FORMATS.test(value)));
  return Object.fromEntries(kept.map(([word, value]) => [word, withoutFormats(value)]));
}

function pretty(value: Json | undefined): string {
  return value === undefined ? "" : JSON.stringify(value, null, 2);
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}
