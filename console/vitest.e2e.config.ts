import { defineConfig } from "vitest/config";

/** Real Chromium against a real server: one file after the other, with patience for a machine under load. */
export default defineConfig({
  test: {
    include: ["e2e/**/*.test.ts"],
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 120_000,
  },
});
