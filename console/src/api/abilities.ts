/** What this server can do: its own description says. Screens for what it cannot are not offered. */

import { queryOptions, useQuery } from "@tanstack/react-query";

import { call } from "./client";

const descriptionQuery = queryOptions({
  queryKey: ["description"],
  queryFn: async ({ signal }) => {
    const { paths } = await call<{ paths: Record<string, object> }>("/api/openapi.json", { signal });
    return Object.entries(paths).flatMap(([path, verbs]) => Object.keys(verbs).map((verb) => `${verb} ${path}`));
  },
  staleTime: Infinity,
});

/** Whether there is such a route: `put /api/workflows/{name}`. */
export function useAbility(route: string | undefined): boolean {
  const { data } = useQuery(descriptionQuery);
  return route === undefined || (data?.includes(route) ?? false);
}

export function useAbilities(): (route: string | undefined) => boolean {
  const { data } = useQuery(descriptionQuery);
  return (route) => route === undefined || (data?.includes(route) ?? false);
}
