// The behaviour of Node around the program: crashes, warnings, an empty event loop. No planted secret appears. Problems are
// caused by a preloaded script, as used for instrumentation.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { test as base, type Run } from "../support/grantctl.ts";
import { on, silent } from "../support/serve.ts";

const planted = { GRANTCTL_PASSWORD: "canary-PASSWORD/1", GRANTCTL_TOKEN: "canary-TOKEN-3" };
const secret = JSON.stringify(planted.GRANTCTL_PASSWORD);

/** Code that runs once the request has arrived, however long the program takes to start. */
const later = (code: string): string => `
  const look = setInterval(() => {
    if (!require("node:fs").existsSync(__filename + ".arrived")) return;
    clearInterval(look);
    ${code}
  }, 10).unref();`;

/** Runs a list on a service that never responds, with a preloaded script. */
const test = base.extend<{ readonly trouble: (script: string, ...words: readonly string[]) => Promise<Run> }>(
  {
    trouble: async ({ folder, grantctl, serve }, use) => {
      const preload = join(folder, "preload.cjs");
      await serve(
        on("ALL /*", () => {
          writeFileSync(`${preload}.arrived`, "");
          return silent();
        }),
      );
      await use((script, ...words) => {
        writeFileSync(preload, script);
        const environment = { ...planted, NODE_OPTIONS: `--require "${preload}"` };
        return grantctl(["grant", "list", "--timeout", "5", ...words], { as: "process", environment });
      });
    },
  },
);

test.for([
  ["an error that nobody catches", `throw new Error("boom " + ${secret} + "\\n\\u001b[2J")`],
  ["a rejection that nobody hears", `Promise.reject(new TypeError("boom " + ${secret}))`],
  ["something thrown that is no error", `throw { toString() { return ${secret} }, stack: ${secret} }`],
] as const)("%s is one message and 1, without secrets and source", async ([, code], { trouble }) => {
  for (const words of [[], ["--json"], ["--debug"]]) {
    const run = await trouble(later(code), ...words);
    expect([run.code, run.stdout]).toEqual([1, ""]);
    const told = run.stderr.split("\n").filter((line) => !line.startsWith("debug: "));
    expect(told.join("\n")).toMatch(
      words.includes("--json")
        ? /^\{"error":\{"class":"internal",.*"exit_code":1,.*\}\}\n$/
        : /^grantctl: this is a bug in grantctl: .*\nhint: .*\n$/,
    );
    expect(run.stderr).not.toMatch(/canary|Node\.js v/);
    expect(run.stderr.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
  }
});
