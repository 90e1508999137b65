// From a command line to an exit code: the guarantees of main for every command.
import { expect } from "vitest";
import { main } from "../src/main.ts";
import { version, type Host } from "../src/system/host.ts";
import { test } from "./support/grantctl.ts";
import { authorizationJson } from "./support/resources.ts";
import { json, on, plain, silent } from "./support/serve.ts";
import { runUntilStruck } from "./support/struck.ts";
import { createTestHost, runMain } from "./support/test-host.ts";

test("--version prints the version and opens no file", async () => {
  await expect(runMain(["--version"])).resolves.toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  expect(version).toMatch(/^\d+\.\d+\.\d+$/);
});

test("help and usage errors touch neither standard input nor the terminal", async () => {
  for (const words of [
    ["--help"],
    ["grant"],
    ["token", "reset", "--help"],
    ["nosuch"],
    ["grant", "list", "--x"],
  ]) {
    const { host } = createTestHost({
      argv: words,
      openTerminal: () => {
        throw new Error("the terminal was opened");
      },
    });
    const guarded = Object.defineProperty({ ...host }, "stdin", {
      get() {
        throw new Error("standard input was opened");
      },
    });
    expect([0, 2]).toContain(await main(guarded));
  }
});

test("exits with code 8 if a read times out, and with 13 if a write does", async ({ environment, serve }) => {
  for (const [words, code] of [
    [["grant", "list"], 8],
    [["grant", "delete", "1", "--yes"], 13],
  ] as const) {
    const run = await runUntilStruck(
      0.2,
      async (seconds) => {
        const { requests } = await serve(on("ALL /*", silent));
        const flags = ["--timeout", String(seconds)];
        return { ...(await runMain([...words, ...flags], { environment })), requests };
      },
      ({ requests }) => requests.length > 0,
    );
    expect([run.code, run.stdout, run.requests.length]).toEqual([code, code === 13 ? "unknown\t1\n" : "", 1]);
  }
});

const made = authorizationJson({ token: "abc", note: "n", scopes: [] });

/** Whatever is done is never reported as unsent (2) or as a success, but for a reader that has left. */
test.for<readonly [error: string, words: string, answer: Response, code: number]>([
  ["EPIPE", "authorization create --note n", json(201, made), 12],
  ["ENOSPC", "authorization create --note n", json(201, made), 12],
  ["EPIPE", "grant delete 1 2 3 --yes --concurrency 1", plain(204), 0],
  ["ENOSPC", "grant delete 1 --yes", plain(204), 9],
  ["ENOSPC", "grant delete 1 2 3 --yes", plain(204), 9],
  ["ENOSPC", "authorization update 1 --note n", json(200, made), 13],
])("%s of standard output, for %s", async ([error, words, answer, code], { environment, serve }) => {
  const server = await serve(on("ALL /*", answer));
  const { host } = createTestHost({ argv: words.split(" "), environment });
  const write: Host["stdout"]["write"] = () =>
    Promise.reject(Object.assign(new Error(error), { code: error }));
  expect(await main({ ...host, stdout: { ...host.stdout, write } })).toBe(code);
  expect(server.writes()).toHaveLength(words.includes("1 2 3") ? 3 : 1);
});
