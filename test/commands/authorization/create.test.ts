// `grantctl authorization create`: prints a token or an error, never nothing.
import { expect, test } from "vitest";
import { openAccount } from "../../support/account.ts";
import {
  type Answer,
  credentials,
  credentialsOf,
  startRecordingServer,
} from "../../support/recording-server.ts";
import { authorizationJson, tokenValue } from "../../support/resources.ts";
import { runMain } from "../../support/test-host.ts";

const token = tokenValue(7);
const created = authorizationJson({ token, scopes: [] });
const answer = (): { status: number; body: unknown } => ({ status: 201, body: created });
/** Responds with the requested scopes. */
const granting: Answer = ({ body }) => {
  const { scopes } = JSON.parse(body) as Record<string, unknown>;
  return { status: 201, body: { ...created, scopes } };
};
const words = ["authorization", "create", "--note", "nightly backup"];

test("prints only the value, and creates a personal token even if a client ID is set", async () => {
  const server = await startRecordingServer(granting);
  const run = await server.run([...words, "--scope", "repo", "--scope", "gist, user"]);
  expect(run).toEqual({ code: 0, stdout: `${token}\n`, stderr: "" });
  expect(server.lines()).toEqual(["POST /authorizations"]);
  expect(server.bodyOf(0)).toEqual({ note: "nightly backup", scopes: ["repo", "gist", "user"] });
  expect(server.requests[0]?.headers["content-type"]).toMatch(/^application\/json/);
  expect(credentialsOf(server.requests[0])).toBe("Basic octavia:correct horse battery");
});

test("--client-id creates the application's token, with the secret only in the body", async () => {
  const server = await startRecordingServer(answer);
  const { GRANTCTL_CLIENT_ID: _, ...environment } = server.environment;
  await runMain(
    [
      ...words,
      "--client-id",
      credentials.clientId,
      "--fingerprint",
      "web/1",
      "--note-url",
      "https://n.test/",
    ],
    {
      environment,
    },
  );
  expect(server.bodyOf(0)).toEqual({
    note: "nightly backup",
    scopes: [],
    note_url: "https://n.test/",
    fingerprint: "web/1",
    client_id: credentials.clientId,
    client_secret: credentials.clientSecret,
  });
  expect(credentialsOf(server.requests[0])).toBe("Basic octavia:correct horse battery");
});

test("sends the note unchanged", async () => {
  const server = await startRecordingServer(answer);
  const note = ' "漢字"\t— \u{1f600} ';
  await server.run(["authorization", "create", "--note", note]);
  expect(server.bodyOf(0)).toMatchObject({ note });
});

test("--json prints the server's data including the value", async () => {
  const server = await startRecordingServer(answer);
  const all = await server.run([...words, "--json"]);
  expect(all.stdout).toBe(`${JSON.stringify(created)}\n`);
  const some = await server.run([...words, "--json", "id,token"]);
  expect(some.stdout).toBe(`{"id":42,"token":"${token}"}\n`);
});

test("reports wrong credentials for a 404, because every account may create authorizations", async () => {
  const server = await startRecordingServer(() => ({ status: 404, body: { message: "Not Found" } }));
  const { code, stderr } = await server.run(words);
  expect([code, server.lines().length]).toEqual([3, 1]);
  expect(stderr).toMatch(
    /^grantctl: wrong user name or password \(or wrong base URL\): not found \(status 404\)\n/,
  );
});

test("prints the value on a terminal and notes that it is shown only once", async () => {
  const server = await startRecordingServer(answer);
  const run = await server.run(words, { columns: 100 });
  expect(run.stdout).toBe(`${token}\n`);
  expect(run.stderr).toMatch(/^created authorization 42(?: without scopes)?; .*will not be shown again.*\n$/);
  const quiet = await server.run([...words, "--quiet"], { columns: 100 });
  expect(quiet).toEqual({ code: 0, stdout: `${token}\n`, stderr: "" });
});

test.each([
  ["no value", authorizationJson()],

  ["no JSON", "<html>"],
])("201 with %s exits with code 13 and is not retried", async (_, body) => {
  const server = await startRecordingServer(() => ({ status: 201, body }));
  const run = await server.run([...words]);
  expect([run.code, run.stdout]).toEqual([13, ""]);
  expect(run.stderr).toMatch(/^grantctl: .*the result is unknown.*\nhint: /);
  expect(server.writes()).toHaveLength(1);
});

test.each<[readonly string[], unknown, number]>([
  [["--scope", "repo,gist"], ["repo"], 13],
  [["--scope", "repo"], [], 13],
  [["--scope", "repo"], ["repo", "gist"], 13],
  [["--scope", "user,user:email,read:org,admin:org"], ["user", "admin:org"], 0],
  [["--scope", "repo"], null, 0],
  [["--scope", "repo"], undefined, 0],
  [[], [], 0],
])("%j with the scopes %j in the response exits with code %i", async (flags, scopes, code) => {
  const server = await startRecordingServer(() => ({ status: 201, body: { ...created, scopes } }));
  const run = await server.run([...words, ...flags]);
  expect([run.code, run.stdout]).toEqual([code, code === 0 ? `${token}\n` : ""]);
  expect(server.writes()).toHaveLength(1);
});

test.each([
  ["5xx", { status: 502, body: "" }],
  ["a cut connection", "cut"],
] as const)("%s exits with code 13 and is not retried", async (_, arranged) => {
  const server = await startRecordingServer(() => Promise.resolve(arranged));
  const run = await server.run([...words]);
  expect([run.code, run.stdout, server.writes().length]).toEqual([13, "", 1]);
});

test("exits with code 1 and the server's reason if the note is already used", async () => {
  const server = await startRecordingServer(() => ({
    status: 422,
    body: {
      message: "Validation Failed",
      errors: [{ resource: "OauthAccess", code: "already_exists", field: "description" }],
    },
  }));
  const run = await server.run(words);
  expect([run.code, run.stdout]).toEqual([1, ""]);
  expect(run.stderr).toContain("the note is already used");
});

test("names the authorization with the same note or fingerprint, and suggests commands", async () => {
  const account = await openAccount();
  const { environment } = account;
  const made = await runMain(["authorization", "create", "--note", "n", "--fingerprint", "f", "--json"], {
    environment,
  });
  const { id } = JSON.parse(made.stdout) as { id: number };
  const other = await runMain(["authorization", "create", "--note", "o", "--json"], { environment });
  const { id: otherId } = JSON.parse(other.stdout) as { id: number };
  for (const line of [
    ["create", "--note", "n"],
    ["create", "--note", "m", "--fingerprint", "f"],
    ["update", String(otherId), "--note", "n"],
  ]) {
    const run = await runMain(["authorization", ...line], { environment });
    expect([line, run.code, run.stdout]).toEqual([line, 1, ""]);
    expect(run.stderr).toContain(`already in use by authorization ${id}`);
    expect(run.stderr).toContain(`grantctl authorization view ${id}`);
  }
  await account.sandbox.close();
});

test("exits with code 2 and sends nothing if standard output discards data", async () => {
  const server = await startRecordingServer(answer);
  const run = await server.run(words, { isDiscarded: true });
  expect([run.code, server.lines()]).toEqual([2, []]);
});

test.each([
  [{ GRANTCTL_PASSWORD: "" }, [], 4],
  [{ GRANTCTL_USERNAME: "" }, [], 4],
  [{ GRANTCTL_CLIENT_SECRET: "" }, ["--client-id", credentials.clientId], 4],
  [{ GRANTCTL_BASE_URL: "" }, ["--operator", "github"], 2],
])("with %j %j exits with code %i and changes nothing", async (changes, flags, code) => {
  const server = await startRecordingServer(() => ({ status: 200, body: [] }));
  const run = await server.run([...words, ...flags], { environment: changes });
  expect([run.code, run.stdout, server.writes()]).toEqual([code, "", []]);
});

test.each([
  [["authorization", "create"]],
  [["authorization", "create", "--note", ""]],
  [["authorization", "create", "--note", " \t"]],
  [[...words, "--fingerprint", ""]],
  [[...words, "--fingerprint", "a", "--machine-fingerprint"]],
  [[...words, "--client-id", ""]],

  [[...words, "--json", "nosuch"]],
  [[...words, "surplus"]],
])("%j exits with code 2 and sends nothing", async (line) => {
  const server = await startRecordingServer(answer);
  const run = await server.run(line);
  expect([run.code, run.stdout, server.lines()]).toEqual([2, "", []]);
  expect(run.stderr).toMatch(/^(grantctl: [^\n]+\n(hint: [^\n]+\n)?|\{"error".*\}\n)$/);
});

test.each([
  [{ GRANTCTL_CLIENT_SECRET: "" }, ["--client-id", credentials.clientId], "", 4],

  [{}, ["--password-stdin"], "one\ntwo\n", 2],

  [{}, ["--client-id", credentials.clientId, "--client-secret-stdin", "--password-stdin"], "x\n", 2],

  [{ GRANTCTL_BASE_URL: "http://service.test" }, [], "", 2],
] as const)(
  "%j with %j and %j on standard input exits with code %i and sends nothing",
  async (variables, flags, input, code) => {
    const server = await startRecordingServer(answer);
    const run = await server.run([...words, ...flags], { environment: variables, input });
    expect([run.code, run.stdout, server.lines()]).toEqual([code, "", []]);
  },
);
