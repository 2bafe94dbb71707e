/** One field that leads everywhere: pages, workflows, runs. */

import { useQuery } from "@tanstack/react-query";
import { Play, Workflow } from "lucide-react";
import { useDeferredValue, useState, type KeyboardEvent, type ReactNode } from "react";
import { useNavigate } from "react-router";

import { runsQuery, workflowsQuery } from "../api/queries";
import { Dialog, shortId } from "../ui/parts";
import { StatusIcon } from "../ui/status";
import { usePlacesHere } from "./shell";

interface Target {
  key: string;
  to: string;
  icon: ReactNode;
  name: string;
  hint: string;
}

export function Palette({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const wanted = useDeferredValue(text.trim());
  const targets = useTargets(wanted);
  const chosen = Math.min(at, targets.length - 1);
  const go = (target: Target | undefined) => {
    if (target === undefined) return;
    onClose();
    void navigate(target.to);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt((chosen + step + targets.length) % Math.max(1, targets.length));
    } else if (event.key === "Enter") {
      event.preventDefault();
      go(targets[chosen]);
    }
  };
  return (
    <Dialog title="Go to" onClose={onClose}>
      <input
        className="input"
        role="combobox"
        aria-expanded
        aria-controls="palette-list"
        aria-activedescendant={chosen >= 0 ? `palette-${chosen}` : undefined}
        aria-label="A workflow, a run's id or its text, or a page"
        placeholder="A workflow, a run's id or its text, or a page"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul id="palette-list" role="listbox" aria-label="Places" className="palette">
        {targets.map((target, n) => (
          // eslint-disable-next-line jsx-a11y/click-events-have-key-events -- the field above takes the keys
          <li key={target.key} id={`palette-${n}`} role="option" aria-selected={n === chosen} onClick={() => go(target)}>
            {target.icon}
            <span className="clip">{target.name}</span>
            <span className="faint clip grow">{target.hint}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

function useTargets(wanted: string): Target[] {
  const { data: workflows = [] } = useQuery(workflowsQuery);
  const { data: found } = useQuery({ ...runsQuery({ q: wanted, limit: 8 }), enabled: wanted.length >= 2 });
  const has = (name: string) => name.toLowerCase().includes(wanted.toLowerCase());
  const places = usePlacesHere();
  const pages = places.filter(({ name }) => has(name)).map(({ to, name, icon: Icon, keys }) => ({ key: to, to, icon: <Icon size={15} aria-hidden />, name, hint: keys }));
  const flows = workflows
    .filter(({ name }) => has(name))
    .slice(0, 8)
    .map(({ name, description }) => ({ key: `w-${name}`, to: `/workflows/${encodeURIComponent(name)}`, icon: <Workflow size={15} aria-hidden />, name, hint: description ?? "workflow" }));
  const runs = (wanted.length >= 2 ? (found?.runs ?? []) : []).map((run) => ({
    key: run.run_id,
    to: `/runs/${run.run_id}`,
    icon: <StatusIcon status={run.status} />,
    name: `${run.workflow} ${run.labels.run ?? shortId(run.run_id)}`,
    hint: run.description ?? "",
  }));
  const launch = flows.slice(0, wanted === "" ? 0 : 3).map((flow) => ({ ...flow, key: `l-${flow.name}`, to: `${flow.to}?tab=launch`, icon: <Play size={15} aria-hidden />, name: `Start ${flow.name}`, hint: "" }));
  return [...runs, ...flows, ...launch, ...pages];
}
