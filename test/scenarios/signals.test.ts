// Signals with a request in flight: a read ends immediately, a change waits for its response and is reported, and a
// second signal abandons it and leaves a journal.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { program as programFile, runProgram } from "../support/binary.ts";
import { authorizationJson } from "../support/resources.ts";
import { jsonAnswer, startRawServer, type RawServer } from "../support/raw-server.ts";
import { startProgram, unfinishedJob, type RunningProgram } from "../support/killed-program.ts";
import { makeFolder, makeStateFolder } from "../support/state-folder.ts";

const signals = [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
  ["SIGQUIT", 131],
] as const;

let server: RawServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

/** Starts a program whose first request is in flight; its response comes when the test calls `answer`. */
async function begin(words: readonly string[], text: () => string, input = "") {
  const waiting: (() => void)[] = [];
  let isOpen = false;
  const raw = await startRawServer((socket) => {
    const send = (): void => void socket.write(text());
    if (isOpen) send();
    else waiting.push(send);
  });
  server = raw;
  const state = makeStateFolder();
  const environment = {
    ...state.environment,
    GRANTCTL_BASE_URL: raw.root,
    GRANTCTL_USERNAME: "octavia",
    GRANTCTL_PASSWORD: "canary-password",
    GRANTCTL_CLIENT_ID: "0123456789abcdef0123",
    GRANTCTL_CLIENT_SECRET: "canary-secret",
  };
  const program = startProgram(words, environment, input);
  await until(() => waiting.length > 0);
  const answer = (): void => {
    isOpen = true;
    for (const send of waiting) send();
  };
  return { program, server: raw, environment, state, answer };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Returns a function that returns the standard error so far. */
function listen({ child }: RunningProgram): () => string {
  let text = "";
  child.stderr?.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")));
  return () => text;
}

const token = "0123456789abcdef0123456789abcdef01234567";
const created = (): string => jsonAnswer(201, authorizationJson({ token, note: "signal", scopes: [] }));
const create = ["authorization", "create", "--note", "signal"];

// That all of them end a run is shown for jobs below, and at questions by terminal.test.ts.
describe.each(["SIGINT", "SIGHUP"] as const)("%s", (signal) => {
  test("ends a read immediately and silently", async () => {
    const { program } = await begin(["grant", "list"], () => jsonAnswer(200, []));
    program.child.kill(signal);
    expect(await program.finished).toMatchObject({ code: null, signal, stdout: "", stderr: "" });
  });

  test("waits for the response to a change and delivers it", async () => {
    const { program, answer, state } = await begin(create, created);
    const said = listen(program);
    program.child.kill(signal);
    await until(() => said() !== "");
    answer();
    const run = await program.finished;
    expect(run).toMatchObject({ code: 0, stdout: `${token}\n` });
    expect(run.stderr).toMatch(
      /^warning: waiting for the requests in flight; interrupt again to abandon them.*\n$/,
    );
    expect(state.journals()).toEqual([]);
  });

  test("sent twice, abandons a change and keeps its journal", async () => {
    const { program, state } = await begin(create, created);
    const said = listen(program);
    program.child.kill(signal);
    await until(() => said() !== "");
    program.child.kill(signal);
    const run = await program.finished;
    expect(run).toMatchObject({ code: null, signal, stdout: "" });
    expect(run.stderr).toMatch(
      /\nwarning: abandoned the requests in flight\. Run `grantctl recover list` [^\n]*\n$/,
    );
    expect(state.ids()).toHaveLength(1);
    expect(state.content()).not.toContain("canary");
  });
});

test("a single change that the service throttles is not sent again after a signal, and nothing was changed", async () => {
  const putOff = "HTTP/1.1 429 X\r\nRetry-After: 50\r\nContent-Length: 2\r\n\r\n{}";
  const { program, answer, environment, server: raw } = await begin(create, () => putOff);
  program.child.kill("SIGINT");
  answer();
  const run = await program.finished;
  expect(run).toMatchObject({ code: 130, stdout: "" });
  expect(run.stderr).toContain("Nothing was changed, so you can run the same command again.");
  expect(raw.received).toHaveLength(1);
  expect(await unfinishedJob(environment)).toBeNull();
});

test.each(signals)("%s ends a job after what is in flight, keeps its journal: %i", async (signal, code) => {
  const {
    program,
    answer,
    environment,
    server: raw,
  } = await begin(
    ["grant", "delete", "-", "--yes", "--concurrency", "2"],
    () => "HTTP/1.1 204 X\r\n\r\n",
    "1\n2\n3\n4\n5\n",
  );
  const said = listen(program);
  await until(() => raw.received.length === 2);
  program.child.kill(signal);
  await until(() => said() !== "");
  answer();
  const run = await program.finished;
  expect(run.code).toBe(code);
  expect(run.stdout).toBe("deleted\t1\ndeleted\t2\nnot-tried\t3\nnot-tried\t4\nnot-tried\t5\n");
  expect(raw.received).toHaveLength(2);
  const journal = (await unfinishedJob(environment)) ?? "none";
  expect(run.stderr).toContain(`--resume ${basename(journal, ".journal")}`);
});

const namespace = ["--user", "--map-root-user", "--pid", "--fork"];
const hasNamespaces = spawnSync("unshare", [...namespace, "true"]).status === 0;

describe.skipIf(!hasNamespaces)("as the first process of a container (skipped without unshare)", () => {
  // The kernel sends this process only signals that it handles, even if it sends them itself (pid_namespaces(7)).
  test.each(signals)("%s ends a read", async (signal, code) => {
    const folder = makeFolder();
    const command = `sh -c 'kill -${signal.slice(3)} 1; sleep 60; echo no password'`;
    const profile = { base_url: "https://127.0.0.1:1", username: "octavia", password_command: command };
    writeFileSync(join(folder, "config.json"), JSON.stringify({ profiles: { default: profile } }), {
      mode: 0o600,
    });
    const words = [...namespace, process.execPath, programFile, "grant", "list"];
    const run = await runProgram("unshare", words, { environment: { GRANTCTL_CONFIG_DIR: folder } });
    expect(run).toMatchObject({ code, stdout: "", stderr: "" });
  });
});
