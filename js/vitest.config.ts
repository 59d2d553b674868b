import { existsSync } from "node:fs";
import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";

// Debian's chromium, where there is one; else the one that playwright brings.
const executablePath = ["/usr/bin/chromium", "/usr/bin/google-chrome"].find(existsSync);
const flags = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"];

export default defineConfig({
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  server: { fs: { allow: [".."] } },
  optimizeDeps: {
    include: [
      "preact",
      "preact/hooks",
      "preact/jsx-runtime",
      "preact/jsx-dev-runtime",
      "axe-core",
      "@codemirror/commands",
      "@codemirror/language",
      "@codemirror/legacy-modes/mode/python",
      "@codemirror/merge",
      "@codemirror/state",
      "@codemirror/view",
      "@lezer/highlight",
    ],
  },
  test: {
    benchmark: { include: ["bench/**/*.bench.ts"] },
    include: ["test/**/*.test.{ts,tsx}"],
    testTimeout: 60_000, // longer than anything that a test waits for
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      provider: playwright({ launchOptions: { args: flags, ...(executablePath && { executablePath }) } }),
      instances: [{ browser: "chromium", viewport: { width: 1400, height: 900 } }],
    },
  },
});
