/** What stands around every screen: where one is, where one can go, and whether the news are live. */

import { useQuery } from "@tanstack/react-query";
import { CalendarClock, Disc, Gauge, KeyRound, ListTree, Plug, Search, Server, Settings2, Waypoints, Workflow, type LucideIcon } from "lucide-react";
import { Suspense, useEffect, useState } from "react";
import { NavLink, Outlet, ScrollRestoration, useLocation } from "react-router";

import { useAbilities } from "../api/abilities";
import { infoQuery, namespacesQuery } from "../api/queries";
import { addressOf, namespace, useTokenWanted } from "../api/session";
import { useLiveness } from "../api/stream";
import { Loading } from "../ui/parts";
import { Login } from "./login";
import { Palette } from "./palette";
import { Shortcuts, useShortcuts } from "./shortcuts";

export interface Place {
  to: string;
  name: string;
  icon: LucideIcon;
  keys: string;
  /** The route of the API without which there is nothing to see. */
  needs?: string;
}

export const PLACES: Place[] = [
  { to: "/", name: "Overview", icon: Gauge, keys: "g o" },
  { to: "/runs", name: "Runs", icon: ListTree, keys: "g r" },
  { to: "/workflows", name: "Workflows", icon: Workflow, keys: "g w" },
  { to: "/catalog", name: "Catalog", icon: Waypoints, keys: "g c", needs: "get /api/steps/graph" },
  { to: "/recordings", name: "Recordings", icon: Disc, keys: "g e", needs: "get /api/recordings" },
  { to: "/tools", name: "Tool servers", icon: Plug, keys: "g p", needs: "get /api/tools" },
  { to: "/schedules", name: "Schedules", icon: CalendarClock, keys: "g s" },
  { to: "/nodes", name: "Nodes", icon: Server, keys: "g n", needs: "get /api/cluster" },
  { to: "/access", name: "Access", icon: KeyRound, keys: "g a" },
  { to: "/settings", name: "Settings", icon: Settings2, keys: "g t" },
];

export function usePlacesHere(): Place[] {
  const has = useAbilities();
  return PLACES.filter(({ needs }) => has(needs));
}

export function Shell() {
  const isTokenWanted = useTokenWanted();
  const [open, setOpen] = useState<"palette" | "keys" | null>(null);
  useShortcuts({ onPalette: () => setOpen("palette"), onHelp: () => setOpen("keys") });
  const places = usePlacesHere();
  const { pathname } = useLocation();
  useEffect(() => {
    // On a phone the places are a row that scrolls.
    document.querySelector(".side-link.active")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [pathname, places.length]);
  if (isTokenWanted) return <Login />;
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <nav className="side" aria-label="Main">
        <NavLink to="/" className="brand" aria-label="Stepwell, overview">
          <Mark /> <span>Stepwell</span>
        </NavLink>
        <button type="button" className="side-search" onClick={() => setOpen("palette")}>
          <Search size={14} aria-hidden /> <span>Go to…</span> <kbd>⌘K</kbd>
        </button>
        <ul>
          {places.map(({ to, name, icon: Icon }) => (
            <li key={to}>
              <NavLink to={to} end={to === "/"} className="side-link">
                <Icon size={16} aria-hidden /> <span>{name}</span>
              </NavLink>
            </li>
          ))}
        </ul>
        <div className="side-foot">
          <NamespaceSelect />
          <Liveness />
        </div>
      </nav>
      <main id="main" tabIndex={-1}>
        <Suspense fallback={<Loading what="the screen" />}>
          <Outlet />
        </Suspense>
      </main>
      {open === "palette" && <Palette onClose={() => setOpen(null)} />}
      {open === "keys" && <Shortcuts onClose={() => setOpen(null)} />}
      <ScrollRestoration />
    </div>
  );
}

export function Mark() {
  return (
    <svg width="22" height="22" viewBox="0 0 32 32" aria-hidden>
      <path d="M4 7h7v5h3v6h4v-6h3V7h7v6h-3v5h-3v6h-4v4h-4v-4h-4v-6H7v-5H4z" fill="#5cc8c6" />
    </svg>
  );
}

function NamespaceSelect() {
  const { data: info } = useQuery(infoQuery);
  const { data: namespaces = [] } = useQuery(namespacesQuery);
  const here = info?.namespace ?? namespace ?? "default";
  const names = [...new Set([here, ...namespaces.map((one) => one.name)])].sort();
  return (
    <label className="side-namespace">
      <span className="visually-hidden">Namespace</span>
      <select
        value={here}
        onChange={(event) => {
          window.location.assign(addressOf(event.target.value));
        }}
      >
        {names.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}

const WORDS = {
  live: ["Live", "News arrive as they happen"],
  connecting: ["Connecting…", "Asking the server for news"],
  lost: ["Reconnecting…", "The server does not answer; the console tries again by itself"],
} as const;

function Liveness() {
  const state = useLiveness();
  const [word, title] = WORDS[state ?? "live"];
  // Its place is kept on screens without news, so that nothing jumps.
  return (
    <span className="liveness" data-state={state ?? "none"} title={title} role="status">
      <span aria-hidden className="dot" /> {word}
    </span>
  );
}
