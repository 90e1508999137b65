// `grantctl authorization run`: only the command gets the token, which is deleted afterwards.
import { once } from "node:events";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { runBinary, program } from "../../support/binary.ts";
import { startProgram } from "../../support/killed-program.ts";
import { test } from "../../support/grantctl.ts";
import { isLocked, makeFolder, makeStateFolder } from "../../support/state-folder.ts";
import { noTerminalReason, runOnTerminal } from "../../support/terminal.ts";
import { runMain } from "../../support/test-host.ts";
import {
  on,
  rewriting,
  startTruthService,
  type FaultPlan,
  type TruthService,
} from "../../support/truth-service.ts";

async function setUp(plan?: FaultPlan) {
  const service = await startTruthService(plan);
  const state = makeStateFolder();
  const environment = { ...service.environment, ...state.environment };
  const run = (...words: string[]) => runBinary(["authorization", "run", ...words], { environment });
  /** A command of a later run, when the program is no longer running. */
  const later = (...words: string[]) => runMain(words, { environment });
  return { service, state, environment, run, later };
}

/** The successful creations and deletions, in order. */
function ledger({ writes }: TruthService): readonly string[] {
  return writes.map(({ operation }) => operation);
}

const print = (name: string): string => `printf '%s' "$${name}"`;

test("--env sets the variable names, and the command gets no login credentials", async () => {
  const { run } = await setUp();
  const { code, stdout } = await run(..."--env A --env B -- sh -c".split(" "), `${print("A")}; echo; env`);
  const token = stdout.split("\n")[0] ?? "";
  expect(code).toBe(0);
  expect(stdout).toContain(`B=${token}`);
  expect(stdout).not.toMatch(/^GRANTCTL_(?:TOKEN|PASSWORD|CLIENT_SECRET|OTP)=/m);
});

test("exits with code 126 for a file that is not executable, and sends nothing", async () => {
  const { service, run } = await setUp();
  const file = join(makeFolder(), "plain.txt");
  writeFileSync(file, "text");
  chmodSync(file, 0o644);
  expect((await run("--", file)).code).toBe(126);
  expect(service.requests).toEqual([]);
});

test.for([
  [["--note", " ", "--", "true"], {}],
  [["--", "true"], { GRANTCTL_SERVER_TYPE: "github", GRANTCTL_BASE_URL: "https://api.github.com" }],
  [["--", "true"], { GRANTCTL_STATE_DIR: "/dev/null/state" }],
] as const)("%j with %j exits with code 2 before any request", async ([words, more]) => {
  const { service, environment } = await setUp();
  const ended = await runMain(["authorization", "run", ...words], {
    environment: { ...environment, ...more },
  });
  expect(ended.code).toBe(2);
  expect(service.requests).toEqual([]);
});

test("appends a random suffix to a note in use, so that runs can be concurrent", async () => {
  const { service, state, run } = await setUp((request) => {
    if (request.operation === "delete") return { instead: { status: 500 } };
    return request.subject === "same"
      ? { instead: { status: 422, body: { errors: [{ code: "already_exists", field: "description" }] } } }
      : undefined;
  });
  expect((await run("--note", "same", "--", "true")).code).toBe(12);
  expect(service.writes[0]?.subject).toMatch(/^same [0-9a-f]{8}$/);
  // A server that keeps no fingerprints shows the token only by this note.
  expect(state.content().trim().split("\n").at(-1)).toContain(`"note":"${service.writes[0]?.subject}"`);
});

describe("an unreliable create response", () => {
  test.for([
    ["cut off", { cutAt: 90 }],
    ["a 500", { rewrite: () => Buffer.from("HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n") }],
  ] as const)(
    "%s: nothing is looked up, and recover end deletes the token by its fingerprint",
    async ([, fault]) => {
      const { service, state, run, later } = await setUp(on("create", fault));
      const ended = await run("--", "sh", "-c", "echo ran");
      expect(ended).toMatchObject({ code: 13, stdout: "" });
      expect(ended.stderr).toContain(`grantctl recover end ${state.ids()[0]}`);
      expect([ledger(service), state.journals().length]).toEqual([["create"], 1]);
      expect((await later("recover", "end", "--all")).code).toBe(0);
      expect([ledger(service), state.journals()]).toEqual([["create", "delete"], []]);
    },
  );

  test("the response of another: nothing is deleted that may be another's, and the token is found later", async () => {
    const { service, state, run, later } = await setUp(
      on("create", rewriting(/"fingerprint":"[0-9a-f]/g, '"fingerprint":"x')),
    );
    expect(await run("--", "sh", "-c", "echo ran")).toMatchObject({ stdout: "" });
    await later("recover", "end", "--all");
    expect([ledger(service), state.journals()]).toEqual([["create", "delete"], []]);
  });
});

describe("the deletion", () => {
  test.for([
    ["took effect", { cutAt: 0 }],
    ["did not", { instead: { status: 500 } }],
  ] as const)(
    "is sent once if no response arrives, and recover end settles whether it %s",
    async ([, fault]) => {
      let attempts = 0;
      const { state, run, later } = await setUp(({ operation }) => {
        if (operation !== "delete" || attempts > 0) return undefined;
        attempts += 1;
        return fault;
      });
      expect((await run("--", "sh", "-c", "exit 4")).code).toBe(12);
      expect([attempts, state.journals().length]).toEqual([1, 1]);
      const listed = await later("recover", "list", "--json", "left");
      expect(JSON.parse(listed.stdout)).toEqual([{ left: "token" }]);
      expect((await later("recover", "end", "--all")).code).toBe(0);
      expect(state.journals()).toEqual([]);
    },
  );

  test("exits with code 12 and the delete command if rejected", async () => {
    let isRefused = true;
    const { service, state, run, later } = await setUp(({ operation }) =>
      operation === "delete" && isRefused ? { instead: { status: 403, body: { message: "no" } } } : undefined,
    );
    const ended = await run("--", "sh", "-c", `${print("GRANTCTL_TOKEN")}; exit 4`);
    const [id] = state.ids();
    expect(ended.code).toBe(12);
    expect(ended.stderr).toContain(`grantctl recover end ${id}`);
    expect(state.content()).not.toContain(ended.stdout);
    const listed = await later("recover", "list", "--json", "id,left,operation");
    expect(JSON.parse(listed.stdout)).toEqual([{ id, left: "token", operation: "run" }]);
    const shown = await later("recover", "show", id ?? "");
    expect(shown.code).toBe(9);
    isRefused = false;
    expect((await later("recover", "end", id ?? "")).code).toBe(0);
    expect(service.isLive(ended.stdout)).toBe(false);
    expect(state.journals()).toEqual([]);
  });
});

test("recover end settles an unknown creation a minute after the time limit of its request, not of its own", async () => {
  const { state, environment } = await setUp(on("create", { instead: { status: 500 } }));
  const at = (minutes: number, ...words: string[]) =>
    runMain(words, { environment, now: () => Date.parse("2026-11-21T10:00:00Z") + minutes * 60_000 });
  expect((await at(0, "authorization", "create", "--note", "n", "--timeout", "300")).code).toBe(13);
  expect([(await at(2, "recover", "end", "--all")).code, state.ids().length]).toEqual([9, 1]);
  expect([(await at(7, "recover", "end", "--all")).code, state.ids().length]).toEqual([0, 0]);
});

test("a command that writes to the record's descriptor destroys nothing", async () => {
  const { state, run, later } = await setUp(on("delete", { instead: { status: 500 } }));
  expect((await run("--", "sh", "-c", "echo progress 50% >&3")).code).toBe(12);
  expect((await later("recover", "list", "--json", "left")).stdout).toContain('"token"');
  const [path = "none"] = state.journals();
  const [head = "", ...more] = readFileSync(path, "latin1").split("\n");
  writeFileSync(path, [head, ...more.map((line) => line.replace('"key"', '"kez"'))].join("\n"));
  // The last line alone would be a torn one.
  writeFileSync(path, `${readFileSync(path, "latin1")}\n${head}\n`);
  const ended = await later("recover", "end", "--all");
  expect([ended.code, ended.stderr]).toEqual([9, expect.stringContaining("the record is damaged")]);
});

test("recover end holds the record while it deletes the token", async () => {
  const { service, state, run, later } = await setUp(on("create", { cutAt: 90 }));
  expect((await run("--", "true")).code).toBe(13);
  const [path = "none"] = state.journals();
  const seen: (boolean | string)[] = [];
  service.onRequest(({ operation }) => void seen.push(operation, isLocked(path)));
  expect((await later("recover", "end", "--all")).code).toBe(0);
  expect(seen.slice(-2)).toEqual(["delete", true]);
});

test("recover end keeps the token of a command that outlived grantctl until the command exits", async () => {
  const { service, state, environment } = await setUp();
  const folder = makeFolder();
  const [started, stop] = [join(folder, "started"), join(folder, "stop")];
  const script = `echo $$ > ${started}; until [ -e ${stop} ]; do sleep 0.05; done`;
  const { child } = startProgram(["authorization", "run", "--", "sh", "-c", script], environment, "");
  await whenWritten(started);
  // Its streams stay open because the command inherited them.
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
  const all = await runBinary(["recover", "end", "--all"], { environment });
  expect(all).toMatchObject({ code: 0, stderr: `${state.ids()[0]} is in use, so its token is kept\n` });
  expect((await runBinary(["recover", "end", state.ids()[0] ?? ""], { environment })).code).toBe(2);
  expect((await runBinary(["authorization", "list"], { environment })).stderr).toBe("");
  expect(ledger(service)).toEqual(["create"]);
  writeFileSync(stop, "");
  while (ledger(service).length < 2)
    expect((await runBinary(["recover", "end", "--all"], { environment })).code).toBe(0);
  expect(ledger(service)).toEqual(["create", "delete"]);
  expect(state.journals()).toEqual([]);
});

test("recover end deletes nothing of another account or server, and reports it", async ({ serve }) => {
  const { service, environment, run } = await setUp(on("delete", { instead: { status: 403 } }));
  expect((await run("--", "true")).code).toBe(12);
  const other = await serve();
  const elsewhere = await runMain(["recover", "end", "--all"], {
    environment: { ...environment, GRANTCTL_BASE_URL: other.root },
  });
  expect(elsewhere.code).toBe(9);
  expect(other.requests).toEqual([]);
  const account = await runMain(["recover", "end", "--all"], {
    environment: { ...environment, GRANTCTL_USERNAME: "hubot" },
  });
  expect(account.code).toBe(9);
  expect(ledger(service)).toEqual(["create"]);
});

describe("signals", () => {
  test.for(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "%s is forwarded to the command, then the token is deleted",
    async (signal) => {
      const { service, environment } = await setUp();
      const started = join(makeFolder(), "started");
      const script = `trap 'exit 5' ${signal.slice(3)}; echo $$ > ${started}; while :; do sleep 0.05; done`;
      const { child, finished } = startProgram(
        ["authorization", "run", "--", "sh", "-c", script],
        environment,
        "",
      );
      await whenWritten(started);
      child.kill(signal);
      expect((await finished).code).toBe(5);
      expect(ledger(service)).toEqual(["create", "delete"]);
    },
  );

  test("deletes the token only after the exit of a command that ignores SIGTERM", async () => {
    const { service, environment } = await setUp();
    const folder = makeFolder();
    const [started, stop] = [join(folder, "started"), join(folder, "stop")];
    const script = `trap '' TERM; echo $$ > ${started}; until [ -e ${stop} ]; do sleep 0.05; done; exit 6`;
    const { child, finished } = startProgram(
      ["authorization", "run", "--", "sh", "-c", script],
      environment,
      "",
    );
    await whenWritten(started);
    for (let time = 0; time < 3; time += 1) child.kill("SIGTERM");
    writeFileSync(stop, "");
    expect((await finished).code).toBe(6);
    expect(ledger(service)).toEqual(["create", "delete"]);
  });
});

describe.skipIf(noTerminalReason !== null)(`on a terminal (${noTerminalReason ?? "util-linux"})`, () => {
  test("Ctrl-C stops the command in the foreground, then the token is deleted", async () => {
    const { service, environment } = await setUp();
    // The terminal's shell receives Ctrl-C too, and exits after the command line.
    const code = join(makeFolder(), "code");
    const words = `${process.execPath} ${program} authorization run -- sh -c 'echo ready; exec sleep 600'`;
    await runOnTerminal(
      `trap : INT; ${words}; echo $? > ${code}`,
      [{ when: /ready/, type: "\u0003" }],
      environment,
    );
    expect(readFileSync(code, "utf8")).toBe("130\n");
    expect(ledger(service)).toEqual(["create", "delete"]);
  });
});

/** Resolves once the file contains a complete line. */
async function whenWritten(path: string): Promise<void> {
  for (;;) {
    try {
      if (readFileSync(path, "utf8").endsWith("\n")) return;
    } catch {}
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
