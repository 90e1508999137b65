// `grantctl authorization get-or-create`: prints a new value, or nothing and exits with code 10.
import { describe, expect, test } from "vitest";
import {
  credentials,
  credentialsOf,
  type RecordedRequest,
  startRecordingServer,
} from "../../support/recording-server.ts";
import { authorizationJson, tokenValue } from "../../support/resources.ts";
import { makeStateFolder } from "../../support/state-folder.ts";
import { runMain } from "../../support/test-host.ts";
import { typing } from "../../support/typing-terminal.ts";

const token = tokenValue(7);
const existing = authorizationJson();
const words = ["authorization", "get-or-create"];
const own = { name: "App", url: "", client_id: credentials.clientId };
/** A response with a new authorization that matches the path and body of the request. */
const isNew = (
  request?: Pick<RecordedRequest, "path" | "body">,
): { readonly status: number; readonly body: unknown } => {
  const fingerprint = decodeURIComponent(request?.path.split("/")[4] ?? "");
  const { note, scopes } = JSON.parse(request?.body ?? "{}") as Readonly<Record<string, unknown>>;
  const client_id = request?.path.split("/")[3];
  const body = authorizationJson({
    token,
    fingerprint,
    app: { ...own, client_id },
    ...(note === undefined ? {} : { note }),
    scopes: scopes ?? [],
  });
  return { status: 201, body };
};
const isThere = (): { status: number; body: unknown } => ({ status: 200, body: existing });

test.each([
  [[], `/authorizations/clients/${credentials.clientId}`, {}],
  [["--fingerprint", "web 1/ü%"], `/authorizations/clients/${credentials.clientId}/web%201%2F%C3%BC%25`, {}],
  [
    ["--scope", "repo,gist", "--note", "n", "--note-url", "https://n.test/"],
    `/authorizations/clients/${credentials.clientId}`,
    { scopes: ["repo", "gist"], note: "n", note_url: "https://n.test/" },
  ],
])("%j sends PUT %s", async (flags, path, body) => {
  const server = await startRecordingServer(isNew);
  const run = await server.run([...words, ...flags]);
  expect(run).toEqual({ code: 0, stdout: `${token}\n`, stderr: "" });
  expect(server.lines()).toEqual([`PUT ${path}`]);
  expect(server.bodyOf(0)).toEqual({ client_secret: credentials.clientSecret, ...body });
  expect(credentialsOf(server.requests[0])).toBe("Basic octavia:correct horse battery");
});

test("--client-id overrides the environment variable", async () => {
  const server = await startRecordingServer(isNew);
  const clientId = "f".repeat(20);
  await server.run([...words, "--client-id", clientId]);
  expect(server.lines()).toEqual([`PUT /authorizations/clients/${clientId}`]);
});

test("--machine-fingerprint adds the fingerprint to the path", async () => {
  const server = await startRecordingServer(isNew);
  await server.run([...words, "--machine-fingerprint"]);
  expect(server.lines()[0]).toMatch(/^PUT \/authorizations\/clients\/0123456789abcdef0123\/[0-9a-f]{64}$/);
});

test("an existing authorization exits with code 10, empty standard output and a hint", async () => {
  const server = await startRecordingServer(isThere);
  const run = await server.run(words);
  expect([run.code, run.stdout]).toEqual([10, ""]);
  expect(run.stderr).toMatch(/^grantctl: authorization 42 already exists.*\nhint: .*([Rr]eplace).*\n$/);
});

test("--json prints the existing one, exits with code 10 and prints the error as JSON", async () => {
  const server = await startRecordingServer(isThere);
  const run = await server.run([...words, "--json"]);
  expect(run.code).toBe(10);
  expect(run.stdout).toBe(`${JSON.stringify(existing)}\n`);
  expect(JSON.parse(run.stderr)).toMatchObject({ error: { class: "exists", exit_code: 10, status: 200 } });
});

test("--allow-existing exits with code 0 and prints no empty value", async () => {
  const server = await startRecordingServer(isThere);
  const run = await server.run([...words, "--allow-existing"]);
  expect([run.code, run.stdout]).toEqual([0, ""]);
  const json = await server.run([...words, "--allow-existing", "--json", "id"]);
  expect([json.code, json.stdout]).toEqual([0, '{"id":42}\n']);
});

test.each([
  ["201 without a value", { status: 201, body: existing }],

  ["a cut connection", "cut"],
] as const)("%s exits with code 13 and is not retried", async (_, arranged) => {
  const server = await startRecordingServer(() => Promise.resolve(arranged));
  const run = await server.run([...words]);
  expect([run.code, run.stdout, server.writes().length]).toEqual([13, "", 1]);
});

test("exits with code 2 and sends nothing if standard output discards data", async () => {
  const server = await startRecordingServer(isNew);
  const run = await server.run(words, { isDiscarded: true });
  expect([run.code, server.lines()]).toEqual([2, []]);
});

test.each([
  ["y\n", 0, `${token}\n`, ["PUT", "DELETE", "PUT"]],
  ["n\n", 2, "", ["PUT"]],
])(
  "--replace-existing prompts with the names of the existing authorization: %j",
  async (answer, code, stdout, sent) => {
    let isDeleted = false;
    const server = await startRecordingServer((request) => {
      if (request.method === "DELETE") isDeleted = true;
      if (request.method === "DELETE") return { status: 204 };
      return isDeleted ? isNew(request) : { status: 200, body: authorizationJson({ note: "web", app: own }) };
    });
    const terminal = typing(answer);
    const run = await server.run([...words, "--replace-existing"], {
      environment: { TERM: "dumb" },
      ...terminal.world,
    });
    expect([run.code, run.stdout]).toEqual([code, stdout]);
    expect(terminal.shown().replaceAll(/\s+/g, " ")).toContain(
      `Replace authorization 42 ("web" of "App") at ${server.root} and revoke its token? (y/N)`,
    );
    expect(server.writes().map(({ method }) => method)).toEqual(sent);
    expect(run.stderr).toBe(code === 0 ? "" : "grantctl: cancelled: nothing was changed\n");
  },
);

test("--replace-existing skips the prompt if none exists, and sends nothing without a terminal", async () => {
  const server = await startRecordingServer(isNew);
  const terminal = typing("");
  const world = { environment: { ...server.environment, TERM: "dumb" } };
  expect(await runMain([...words, "--replace-existing"], world)).toMatchObject({ code: 2, stdout: "" });
  expect(server.lines()).toEqual([]);
  const run = await runMain([...words, "--replace-existing"], { ...world, ...terminal.world });
  expect([run.code, run.stdout, terminal.shown()]).toEqual([0, `${token}\n`, ""]);
});

test("--replace-existing warns about another existing authorization that a rerun would delete", async () => {
  const server = await startRecordingServer(({ method }) =>
    method === "DELETE" ? { status: 204 } : isThere(),
  );
  const run = await server.run([...words, "--replace-existing", "--yes"]);
  expect([run.code, run.stdout]).toEqual([9, ""]);
  expect(run.stderr).toContain("authorization 42 was deleted, but another one exists");
  expect(run.stderr).toContain("The same command deletes that one next");
});

test("--replace-existing reports no deletion at a server that returns 404 only for the deletion", async () => {
  const server = await startRecordingServer(({ method }) =>
    method === "DELETE" ? { status: 404, body: { message: "Not Found" } } : isThere(),
  );
  const run = await server.run([...words, "--replace-existing", "--yes"]);
  expect([run.code, run.stdout]).toEqual([1, ""]);
  expect(run.stderr).toContain("authorization 42 still exists");
});

test("--replace-existing also replaces at a server that returns existing values", async () => {
  const old = tokenValue(8);
  let isDeleted = false;
  const server = await startRecordingServer((request) => {
    if (request.method === "DELETE") isDeleted = true;
    if (request.method === "DELETE") return { status: 204 };
    return isDeleted ? isNew(request) : { status: 200, body: authorizationJson({ token: old }) };
  });
  expect(await server.run(words)).toMatchObject({ code: 0, stdout: `${old}\n` });
  const run = await server.run([...words, "--replace-existing", "--yes"]);
  expect(run).toMatchObject({ code: 0, stdout: `${token}\n` });
  expect(server.writes().map(({ method }) => method)).toEqual(["PUT", "PUT", "DELETE", "PUT"]);
});

test.each([
  [{ GRANTCTL_CLIENT_ID: "" }, [], 4],
  [{ GRANTCTL_CLIENT_SECRET: "" }, [], 4],
  [{ GRANTCTL_CLIENT_ID: "short" }, [], 2],
  [{}, ["--client-id", "short"], 2],
  [{}, ["--fingerprint", ""], 2],
])("%j with %j exits with code %i and sends nothing", async (variables, flags, code) => {
  const server = await startRecordingServer(isNew);
  const run = await server.run([...words, ...flags], { environment: variables, input: "x" });
  expect([run.code, run.stdout, server.lines()]).toEqual([code, "", []]);
});

test("--replace-existing keeps an authorization with unknown scopes unless --scope is given", async () => {
  const found = authorizationJson({ id: 7, scopes: null, fingerprint: "here" });
  const server = await startRecordingServer((request, position) => {
    if (request.method === "DELETE") return { status: 204 };
    if (request.method === "GET") return { status: 200, body: [found] };
    return server.requests[position - 1]?.method === "DELETE" ? isNew(request) : { status: 200, body: found };
  });
  const replacing = [...words, "--fingerprint", "here", "--replace-existing", "--yes"];
  for (const more of [[], ["--note", "n"]]) {
    const run = await server.run([...replacing, ...more]);
    expect([run.code, run.stdout]).toEqual([1, ""]);
    expect(run.stderr).toContain("does not report which scopes authorization 7 has");
  }
  expect(server.writes().map(({ method }) => method)).not.toContain("DELETE");
  const run = await server.run([...replacing, "--scope", "repo"]);
  expect([run.code, run.stdout]).toEqual([0, `${token}\n`]);
});

const another = { url: "https://other.test/", name: "Other", client_id: "ffffffffffffffffffff" };
describe.each([{ flags: [] }, { flags: ["--allow-existing"] }, { flags: ["--replace-existing", "--yes"] }])(
  "with $flags",
  ({ flags }) => {
    test.each<[readonly string[], Readonly<Record<string, unknown>>]>([
      [["--fingerprint", "here"], { fingerprint: "here", app: another }],
      [["--fingerprint", "here"], { fingerprint: "another machine" }],
      [[], { app: another }],
      [[], { app: { ...another, client_id: "0".repeat(20) } }],
      [[], { app: { ...another, client_id: "" } }],
      [[], { app: another, token }],
    ])("%j with an existing %j exits with code 11 and changes nothing", async (more, changes) => {
      const body = authorizationJson(changes);
      const server = await startRecordingServer(() => ({ status: 200, body }));
      const state = makeStateFolder();
      const run = await server.run([...words, ...more, ...flags], { environment: state.environment });
      expect([run.code, run.stdout, state.journals()]).toEqual([11, "", []]);
      expect(run.stderr).toContain("authorization 42");
      expect(server.writes().map(({ method }) => method)).toEqual(["PUT"]);
    });
  },
);

test.each<[readonly string[], Readonly<Record<string, unknown>>]>([
  [[], { fingerprint: "any" }],
  [[], { app: null }],
  [["--fingerprint", "here"], { fingerprint: null }],
  [["--fingerprint", "here"], { fingerprint: undefined, app: undefined }],
  [["--scope", "gist", "--note", "n"], {}],
])("%j with an existing %j exits with code 10", async (more, changes) => {
  const server = await startRecordingServer(() => ({ status: 200, body: authorizationJson(changes) }));
  expect((await server.run([...words, ...more])).code).toBe(10);
});

test("exits with code 13 if a new authorization lacks a requested scope", async () => {
  const server = await startRecordingServer((request) => ({
    ...isNew(request),
    body: { ...(isNew(request).body as object), scopes: ["repo"] },
  }));
  const run = await server.run([...words, "--scope", "repo,gist"]);
  expect([run.code, run.stdout]).toEqual([13, ""]);
});

test("--replace-existing exits with code 9 if it then finds another application's authorization", async () => {
  const server = await startRecordingServer(({ method }, position) =>
    method === "DELETE"
      ? { status: 204 }
      : { status: 200, body: authorizationJson(position === 0 ? {} : { id: 43, app: another }) },
  );
  const run = await server.run([...words, "--replace-existing", "--yes"]);
  expect([run.code, run.stdout]).toEqual([9, ""]);
  expect(run.stderr).toContain("authorization 42 was deleted, but no new one was created");
  expect(server.writes().map(({ method }) => method)).toEqual(["PUT", "DELETE", "PUT"]);
});
