// `grantctl token check`: checks with the application's credentials if tokens are active.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { credentials, credentialsOf, startRecordingServer } from "../../support/recording-server.ts";
import { checkedJson, tokenValue } from "../../support/resources.ts";
import { makeFolder } from "../../support/state-folder.ts";
import { runMain } from "../../support/test-host.ts";
import { knows, pathOf } from "./known-tokens.ts";

const [first, second, third] = [tokenValue(1), tokenValue(2), tokenValue(3)] as const;

test("checks one token with the application's credentials, and does not print its value", async () => {
  const server = await startRecordingServer(knows(first));
  const run = await server.run(["token", "check", "--json"], { input: `${first}\n` });
  expect(run.code).toBe(0);
  expect(JSON.parse(run.stdout)).toEqual({ ...checkedJson(first), token: "" });
  expect(server.lines()).toEqual([`GET ${pathOf(first)}`]);
  expect(credentialsOf(server.requests[0])).toBe(`Basic ${credentials.clientId}:${credentials.clientSecret}`);
  for (const flags of [
    [],
    ["--format", "csv"],
    ["--format", "ndjson"],
    ["--debug"],
    ["--json", "token,user.login"],
  ]) {
    for (const columns of [null, 100]) {
      const other = await server.run(["token", "check", ...flags], { input: first, columns });
      expect(other.code).toBe(0);
      expect(other.stdout + other.stderr).not.toContain(first);
      expect(other.stdout).toContain("octavia");
    }
  }
});

test("does not send the account's password and one-time password to application endpoints", async () => {
  const server = await startRecordingServer(knows(first));
  await server.run(["token", "check", "--otp", "777888"], { input: first });
  expect(JSON.stringify(server.requests)).not.toContain("777888");
});

test.each([
  ["lines", `${first}\n${second}\n${third}\n`],
  ["lines without a last end", `${first}\n${second}\n${third}`],
  ["CR LF", `${first}\r\n${second}\r\n${third}\r\n`],
  ["CR", `${first}\r${second}\r${third}\r`],
  ["a byte order mark", `\uFEFF${first}\n${second}\n${third}\n`],
  ["blanks around and between", `\n  ${first}\t\n\n\n ${second} \n${third}\n\n`],
  ["duplicates", `${first}\n${second}\n${first}\n${third}\n${second}\n`],
  ["a JSON array of texts", JSON.stringify([first, second, third])],
  [
    "a JSON array of objects",
    JSON.stringify([{ token: first }, { token: second }, { token: third }], null, 2),
  ],
  ["a JSON array with a byte order mark", `\uFEFF${JSON.stringify([first, second, third])}\r\n`],
  ["ndjson", [first, second, third].map((token) => `${JSON.stringify({ id: 1, token })}\r\n`).join("")],
])("reads %s", async (_, input) => {
  const server = await startRecordingServer(knows(first, second, third));
  const run = await server.run(["token", "check", "--concurrency", "1"], { input });
  const lines = [first, second, third].map((token) => `live\t${token.slice(-8)}\n`).join("");
  expect(run).toMatchObject({ code: 0, stdout: lines });
  expect(server.lines()).toEqual([first, second, third].map((token) => `GET ${pathOf(token)}`));
});

test("reads the same tokens from --token-file, standard input, and - in both forms", async () => {
  const server = await startRecordingServer(knows(first, second));
  const file = join(makeFolder(), "tokens.txt");
  writeFileSync(file, `\uFEFF${first}\r\n${second}\r\n`);
  const fromFile = await server.run(["token", "check", "--token-file", file], { input: "x" });
  const fromInput = await server.run(["token", "check", "-"], { input: `${first}\n${second}\n` });
  expect(fromFile.stdout).toBe(`live\t${first.slice(-8)}\nlive\t${second.slice(-8)}\n`);
  expect(fromInput.stdout).toBe(fromFile.stdout);
  const words = ["token", "check", "--token-file", "-"];
  const named = await server.run(words, { input: `${first}\n${second}\n` });
  expect([named.code, named.stdout]).toEqual([0, fromFile.stdout]);
});

test.each([
  ["a space", "tok en-hush-hush", "line 3"],
  ["a control character", "tok\u0007en-hush-hush", "line 3"],
  ["NUL", "tok\u0000en-hush-hush", "line 3"],
  ["text beyond ASCII", "tökén-hush-hush", "line 3"],
  ["a dot segment", "..", "line 3"],
  ["five kilobytes", "hush-hush".repeat(600), "line 3"],
  ["broken JSON", '{"token":"hush-hush"', "line 3"],
  ["an object without a token", '{"id":"hush-hush"}', "line 3"],
  ["a number in place of the token", '{"token":{"hush-hush":1}}', "line 3"],
  ["an empty token", '{"token":""}', "line 3"],
])("%s in line 3: exits with 2 before any request, and names only the line", async (_, line, place) => {
  const server = await startRecordingServer(knows(first));
  for (const flags of [[], ["--json"]]) {
    const run = await server.run(["token", "check", ...flags], { input: `${first}\n\n${line}\n${second}\n` });
    expect([run.code, run.stdout, server.lines()]).toEqual([2, "", []]);
    expect(run.stderr).toContain(place);
    expect(run.stderr).not.toMatch(/hush|en-|öké/);
    expect(run.stderr).not.toContain(first);
  }
});

test.each([
  ["nothing", ""],
  ["blank lines", "\n \r\n"],
  ["an array that is not closed", `["${first}"`],
  ["an array with nothing in it", "[null]"],
  ["an array with a list", `[["${first}"]]`],
])("%s on standard input exits with 2 before any request", async (_, input) => {
  const server = await startRecordingServer(knows(first));
  const run = await server.run(["token", "check"], { input });
  expect([run.code, run.stdout, server.lines()]).toEqual([2, "", []]);
  expect(run.stderr).not.toContain(first);
});

test.each([[[first]], [["-", first]]])(
  "rejects a token as an argument with exit code 2 before any request, without repeating it",
  async (words) => {
    const server = await startRecordingServer(knows(first));
    for (const verb of ["check", "reset", "revoke", "revoke-grant"]) {
      const run = await server.run(["token", verb, "--yes", ...words], { input: first });
      expect([run.code, run.stdout, server.lines()]).toEqual([2, "", []]);
      expect(run.stderr).not.toContain(first);
    }
  },
);

test.each(["token check", "token inspect", "token reset", "token report", "authorization identify"])(
  "%s reports a token as an argument before an unknown profile or field",
  async (command) => {
    const run = await runMain([...command.split(" "), first, "--profile", "nosuch", "--json", "nosuch"]);
    expect([run.code, run.stdout]).toEqual([2, ""]);
    expect(run.stderr).toContain("a token cannot be an argument");
    expect(run.stderr).not.toContain(first);
  },
);

test.each([
  [{}, ["--client-id", "short"], first, 2],
  [{}, ["--client-secret-stdin"], first, 2],
  [{}, ["--token-file", "/nonexistent/tokens"], "", 2],
  [{}, ["--token-file", "/"], "", 2],
  [{}, ["--json", "nosuch"], first, 2],
] as const)("%j with %j fails before any request", async (variables, flags, input, code) => {
  const server = await startRecordingServer(knows(first));
  const run = await server.run(["token", "check", ...flags], { environment: variables, input });
  expect([run.code, run.stdout, server.lines()]).toEqual([code, "", []]);
});

test("never uses the account's credentials instead of the application's", async () => {
  const server = await startRecordingServer(knows(first));
  const { GRANTCTL_CLIENT_ID: _id, GRANTCTL_CLIENT_SECRET: _secret, ...environment } = server.environment;
  const run = await runMain(["token", "check"], { environment, input: first });
  expect([run.code, server.lines()]).toEqual([4, []]);
});

test("rejects a token file with an ambiguous encoding", async () => {
  const server = await startRecordingServer(knows(first));
  const file = join(makeFolder(), "tokens.txt");
  writeFileSync(file, Buffer.concat([Buffer.from(first), Buffer.from([0x0a, 0xff, 0xfe])]));
  const run = await server.run(["token", "check", "--token-file", file]);
  expect([run.code, server.lines()]).toEqual([2, []]);
});

test("exits with 3 for one revoked token, and with 9 and a line per token for several", async () => {
  const server = await startRecordingServer(knows(first, third));
  const one = await server.run(["token", "check"], { input: second });
  expect([one.code, one.stdout]).toEqual([3, ""]);
  expect(one.stderr).toContain(second.slice(-8));
  expect(one.stderr).not.toContain(second);
  const many = await server.run(["token", "check"], { input: [first, second, third].join("\n") });
  expect(many.code).toBe(9);
  expect(many.stdout).toBe(
    `live\t${first.slice(-8)}\nnot-found\t${second.slice(-8)}\nlive\t${third.slice(-8)}\n`,
  );
  // The credentials are valid, as other tokens were found with them.
  expect(one.stderr).toContain("or the client ID or secret is wrong");
  expect(many.stderr).toMatch(
    /^note: active tokens of other applications .*\ngrantctl: 2 live, 1 not found, 0 failed, 0 not tried\n$/,
  );
});

test("checks every token and reports unproven results if no token is found", async () => {
  const server = await startRecordingServer(knows());
  const input = Array.from({ length: 8 }, (_, index) => tokenValue(index)).join("\n");
  const run = await server.run(["token", "check", "--concurrency", "1"], { input });
  expect(run.code).toBe(9);
  expect(server.requests).toHaveLength(8);
  expect(run.stdout.match(/^unproven\t/gm)).toHaveLength(8);
});

test("prints status, last eight characters and authorization of several tokens as ndjson and JSON", async () => {
  const server = await startRecordingServer(knows(first));
  const input = `${first}\n${second}\n`;
  const expected = [
    { status: "live", token_last_eight: first.slice(-8), ...checkedJson(first), token: "" },
    { status: "not-found", token_last_eight: second.slice(-8) },
  ];
  const ndjson = await server.run(["token", "check", "--format", "ndjson"], { input });
  expect(ndjson.code).toBe(9);
  expect(
    ndjson.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual(expected);
  const json = await server.run(["token", "check", "--json"], { input });
  expect(JSON.parse(json.stdout)).toEqual(expected);
});

test("accepts status and every other printed field as a field name for several tokens", async () => {
  const server = await startRecordingServer(knows(first));
  const run = await server.run(["token", "check", "--json", "status,id"], { input: `${first}\n${second}\n` });
  expect(run.code).toBe(9);
  expect(JSON.parse(run.stdout)).toEqual([
    { status: "live", id: 42 },
    { status: "not-found", id: null },
  ]);
});

test("prints the state of one active token in the first line, without the user's URLs on a terminal", async () => {
  const server = await startRecordingServer(knows(first));
  const run = await server.run(["token", "check"], { input: first, columns: 100 });
  const { app, user } = checkedJson(first) as { app: { name: string }; user: { login: string } };
  expect(run.stdout.split("\n")[0]).toBe(
    `the token ending in ${first.slice(-8)} is active (user ${user.login}, application ${app.name})`,
  );
  expect(run.stdout).not.toContain("followers_url");
  const piped = await server.run(["token", "check"], { input: first });
  expect(piped.stdout).not.toContain("is active");
});

test.each([
  { user: null, app: null },
  { user: undefined, app: undefined },
])("leaves out fields of one active token that the server does not report: %j", async (changes) => {
  const server = await startRecordingServer(() => ({ status: 200, body: checkedJson(first, changes) }));
  const run = await server.run(["token", "check"], { input: first, columns: 100 });
  expect(run.code).toBe(0);
  expect(run.stdout.split("\n")[0]).toBe(`the token ending in ${first.slice(-8)} is active`);
});

test("prints a hint about --proof-token-file if no token is found and the credentials are unverified", async () => {
  const server = await startRecordingServer(knows(third));
  const unproven = await server.run(["token", "check"], { input: `${first}\n${second}\n` });
  expect(unproven.code).toBe(9);
  expect(unproven.stdout).toContain("unproven\t");
  expect(unproven.stderr).toMatch(/hint: .*--proof-token-file/);
  const proven = await server.run(["token", "check"], { input: `${first}\n${third}\n` });
  expect(proven.stdout).toContain("not-found\t");
  expect(proven.stderr).not.toContain("--proof-token-file");
});

test("reports that a token that is not found may be a personal access token, detected by its prefix", async () => {
  const server = await startRecordingServer(knows());
  const plain = await server.run(["token", "check"], { input: first });
  expect(plain.code).toBe(3);
  expect(plain.stderr).toContain("run `grantctl token inspect` to check it");
  const personal = await server.run(["token", "check"], { input: `ghp_${"a1B2".repeat(9)}` });
  expect(personal.code).toBe(3);
  expect(personal.stderr).toMatch(/is a personal token, which belongs to no application\nhint: .*identify/);
  expect(personal.stderr).not.toContain("credentials are wrong");
});

test.each([
  ["one", "\nabc\n", 3, "the token in line 2"],
  ["several", `\n\nabc\n${second}\n`, 9, "the token in line 3"],
])("%s: identifies a token by its line if it is too short", async (_, input, code, name) => {
  const server = await startRecordingServer(knows(first));
  const run = await server.run(["token", "check"], { input });
  expect([run.code, run.stderr.includes(name), run.stderr.includes("ending in c")]).toEqual([
    code,
    true,
    false,
  ]);
});

describe("a response with the same token of another application", () => {
  const app = { url: "https://other.test/", name: "Other", client_id: "f".repeat(20) };
  const serve = (): ReturnType<typeof startRecordingServer> =>
    startRecordingServer(({ path, method }) =>
      method === "DELETE"
        ? { status: 204 }
        : {
            status: 200,
            body: checkedJson(path.endsWith(second) ? second : first, path.endsWith(second) ? {} : { app }),
          },
    );

  test("exits with 11, and among others with 9", async () => {
    const { environment } = await serve();
    const one = await runMain(["token", "check"], { environment, input: first });
    expect([one.code, one.stdout]).toEqual([11, ""]);
    const two = await runMain(["token", "check"], { environment, input: `${first}\n${second}` });
    expect([two.code, two.stdout]).toEqual([9, expect.stringContaining(`protocol\t${first.slice(-8)}`)]);
  });

  test("does not verify the credentials, and stops the run", async () => {
    const server = await serve();
    const file = join(makeFolder(), "live.txt");
    writeFileSync(file, first, { mode: 0o600 });
    const run = await server.run(["token", "revoke", "--yes", "--proof-token-file", file], { input: second });
    expect([run.code, run.stdout, server.lines()]).toEqual([11, "", [`GET ${pathOf(first)}`]]);
  });
});
