/** What is asked before a recording is changed or saved. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";

import { call, path } from "../api/client";
import type { Json } from "../api/types";
import { readValue } from "../editor/definition";
import { useTools } from "../editor/step-form";
import { ActionForm } from "../run/actions";
import { Editor } from "../ui/editor";
import { Dialog } from "../ui/parts";

export function SaveDialog({ id, suggested, onClose }: { id: string; suggested: string; onClose: () => void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [workflow, setWorkflow] = useState(suggested.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-|-$/g, ""));
  const [replace, setReplace] = useState(false);
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => call<{ name: string }>(path`/api/recordings/${id}/save`, { method: "POST", body: { workflow, replace } }),
    onSuccess: ({ name }) => {
      void client.invalidateQueries({ queryKey: ["workflows"] });
      void client.invalidateQueries({ queryKey: ["workflow", name] });
      void navigate(`/workflows/${encodeURIComponent(name)}`);
    },
  });
  return (
    <Dialog title="Save as a workflow" onClose={onClose}>
      <ActionForm onSubmit={() => mutate()} verb="Save" {...{ onClose, error }} isBusy={isPending}>
        <p className="muted">It becomes a graph that runs without the agent. Calls that failed are left out.</p>
        <label className="field">
          <span>Name of the workflow</span>
          <input className="input mono" required value={workflow} onChange={(event) => setWorkflow(event.target.value)} />
        </label>
        <label className="row">
          <input type="checkbox" checked={replace} onChange={(event) => setReplace(event.target.checked)} /> It may take the place of a graph of this name
        </label>
      </ActionForm>
    </Dialog>
  );
}

interface ChangeProps<T extends unknown[]> {
  onClose: () => void;
  onSave: (...wish: T) => void;
  error: unknown;
}

export function InputDialog({ onClose, onSave, error }: ChangeProps<[name: string, body: { value: Json; description?: string }]>) {
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const [description, setDescription] = useState("");
  return (
    <Dialog title="Name an input" onClose={onClose}>
      <ActionForm onSubmit={() => onSave(name, { value: readValue(value) ?? null, ...(description === "" ? {} : { description }) })} verb="Name it" onClose={onClose} error={error} isBusy={false}>
        <label className="field">
          <span>Name</span>
          <input className="input mono" required value={name} onChange={(event) => setName(event.target.value)} />
        </label>
        <label className="field">
          <span>Its value while recording (JSON or text)</span>
          <input className="input mono" value={value} onChange={(event) => setValue(event.target.value)} />
        </label>
        <label className="field">
          <span>What it is for</span>
          <input className="input" value={description} onChange={(event) => setDescription(event.target.value)} />
        </label>
      </ActionForm>
    </Dialog>
  );
}

interface Preset {
  name?: string;
  tool?: string;
  server?: string;
  input?: Json;
  output: Json;
}

export function PresetDialog({ onClose, onSave, error }: ChangeProps<[body: Preset]>) {
  const { data: tools } = useTools();
  const [name, setName] = useState("");
  const [chosen, setChosen] = useState("");
  const [input, setInput] = useState("{}");
  const [output, setOutput] = useState("");
  const [wrong, setWrong] = useState<Error | null>(null);
  const tool = tools?.tools.find((one) => `${one.server}/${one.name}` === chosen);
  const submit = () => {
    setWrong(null);
    try {
      const body: Preset = { output: parse("result", output), ...(name === "" ? {} : { name }), ...(tool === undefined ? {} : { tool: tool.name, server: tool.server, input: parse("input", input) }) };
      onSave(body);
    } catch (reason) {
      setWrong(reason as Error);
    }
  };
  return (
    <Dialog title="Preset a result" onClose={onClose}>
      <ActionForm onSubmit={submit} verb="Preset it" onClose={onClose} error={wrong ?? error} isBusy={false}>
        <p className="muted">A result without a call: later calls can refer to it. With a tool, the saved workflow calls the tool; without, it has the value.</p>
        <label className="field">
          <span>Name of the step, if you like</span>
          <input className="input mono" value={name} onChange={(event) => setName(event.target.value)} />
        </label>
        <label className="field">
          <span>Tool</span>
          <select className="select mono" aria-label="Tool" value={chosen} onChange={(event) => setChosen(event.target.value)}>
            <option value="">none: it is a value</option>
            {tools?.tools.map((one) => (
              <option key={`${one.server}/${one.name}`} value={`${one.server}/${one.name}`}>
                {one.server}: {one.name}
              </option>
            ))}
          </select>
        </label>
        {tool !== undefined && (
          <div className="field">
            <span>Input of {tool.name}</span>
            <Editor value={input} onChange={setInput} language="json" label="Input as JSON" minHeight={60} />
          </div>
        )}
        <div className="field">
          <span>Result</span>
          <Editor value={output} onChange={setOutput} language="json" label="Result as JSON" minHeight={90} />
        </div>
      </ActionForm>
    </Dialog>
  );
}

function parse(what: string, text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (reason) {
    throw new Error(`The ${what} is not JSON: ${(reason as Error).message}`);
  }
}
