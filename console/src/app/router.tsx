/** Which address shows which screen. Screens are loaded when they are first looked at. */

import { createBrowserRouter, isRouteErrorResponse, useRouteError, type RouteObject } from "react-router";

import { basename } from "../api/session";
import { Empty, ProblemBox } from "../ui/parts";
import { Shell } from "./shell";

export const routes: RouteObject[] = [
  {
    path: "/",
    element: <Shell />,
    errorElement: <Broken />,
    // The shell is there at once; only its content has to be waited for.
    HydrateFallback: () => null,
    children: [
      {
        errorElement: <Broken />,
        children: [
          { index: true, lazy: () => import("../overview/page") },
          { path: "runs", lazy: () => import("../runs/page") },
          { path: "runs/:id", lazy: () => import("../run/page") },
          { path: "workflows", lazy: () => import("../workflows/list") },
          { path: "workflows/:name", lazy: () => import("../workflows/page") },
          { path: "graphs/new", lazy: () => import("../editor/page") },
          { path: "workflows/:name/edit", lazy: () => import("../editor/page") },
          { path: "catalog", lazy: () => import("../catalog/page") },
          { path: "nodes", lazy: () => import("../cluster/page") },
          { path: "tools", lazy: () => import("../tools/page") },
          { path: "recordings", lazy: () => import("../recordings/list") },
          { path: "recordings/:id", lazy: () => import("../recordings/page") },
          { path: "schedules", lazy: () => import("../schedules/page") },
          { path: "access", lazy: () => import("../access/page") },
          { path: "settings", lazy: () => import("../settings/page") },
          { path: "*", element: <Nowhere /> },
        ],
      },
    ],
  },
];

export function makeRouter() {
  return createBrowserRouter(routes, { basename });
}

function Nowhere() {
  return (
    <div className="page">
      <Empty title="There is no such page">
        <a href="/">Go to the overview</a>
      </Empty>
    </div>
  );
}

function Broken() {
  const error = useRouteError();
  return (
    <div className="page">
      <ProblemBox problem={isRouteErrorResponse(error) ? new Error(error.statusText) : error}>
        <button type="button" className="button small" onClick={() => window.location.reload()}>
          Load the page again
        </button>
      </ProblemBox>
    </div>
  );
}
