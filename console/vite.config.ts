import react from "@vitejs/plugin-react";
import type { ProxyOptions } from "vite";
import { defineConfig } from "vitest/config";

/** Where `npm run dev` sends what is not its own: a server that runs already. */
const server = process.env.STEPWELL_SERVER ?? "http://127.0.0.1:7070";

const proxied: ProxyOptions = {
  target: server,
  changeOrigin: true,
  // The server refuses pages of other sites, which this one is while it is being worked on.
  configure: (proxy) => proxy.on("proxyReq", (request) => request.removeHeader("origin")),
};

export default defineConfig({
  plugins: [react()],
  build: { target: "es2022", assetsInlineLimit: 0, modulePreload: { polyfill: false }, chunkSizeWarningLimit: 700 },
  worker: { format: "es" },
  // What @rjsf's own tests use; we have a validator that the page's security policy allows.
  resolve: { alias: { "@rjsf/validator-ajv8": new URL("./src/workflows/validator.ts", import.meta.url).pathname } },
  server: { proxy: Object.fromEntries(["/api", "/health", "/metrics", "/mcp"].map((path) => [path, proxied])) },
  test: { environment: "jsdom", include: ["test/**/*.test.{ts,tsx}"], setupFiles: ["test/setup.ts"], restoreMocks: true, server: { deps: { inline: [/@rjsf/] } } },
});
