/** What a step of a plan is, as a sign. */

import { Braces, Columns3, CornerDownRight, GitFork, Globe, Layers, MessageSquare, Repeat, ScrollText, Square, Timer, Waypoints, Webhook, Workflow, Wrench, type LucideIcon } from "lucide-react";

const SIGNS: Record<string, LucideIcon> = {
  tool: Wrench,
  code: Braces,
  workflow: Workflow,
  sleep: Timer,
  delay: Timer,
  listen: MessageSquare,
  return: CornerDownRight,
  branch: GitFork,
  loop: Repeat,
  parallel: Columns3,
  for_each: Layers,
  http: Globe,
  sync: Globe,
  async: Webhook,
  script: ScrollText,
  flow: Waypoints,
};

export function KindIcon({ kind }: { kind: string }) {
  // An attribute is a value, and has no sign.
  if (kind === "attribute") return null;
  const Sign = SIGNS[kind] ?? Square;
  return <Sign aria-hidden size={15} className="kind-icon" />;
}
