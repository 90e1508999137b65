// `grantctl token reset`: new values are printed once, and unknown outcomes are reported.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  credentials,
  credentialsOf,
  startRecordingServer,
  type Answer,
} from "../../support/recording-server.ts";
import { authorizationJson, checkedJson, tokenValue } from "../../support/resources.ts";
import { makeFolder } from "../../support/state-folder.ts";
import { pathOf } from "./known-tokens.ts";

const [first, second, third] = [tokenValue(1), tokenValue(2), tokenValue(3)] as const;
const after = (token: string): string => token.replaceAll("ab", "cd");
const words = ["token", "reset", "--yes"];

/** Resets every token but those arranged here. */
function resets(exceptions: Readonly<Record<string, Awaited<ReturnType<Answer>>>> = {}): Answer {
  return ({ path: asked }) => {
    const token = asked.split("/").at(-1) ?? "";
    const id = 41 + Number(token.slice(-8));
    return Promise.resolve(exceptions[token] ?? { status: 200, body: checkedJson(after(token), { id }) });
  };
}

test("resets one token with the application's credentials, and prints the bare new value", async () => {
  const server = await startRecordingServer(resets());
  const run = await server.run(words, { input: `\uFEFF${first}\r\n` });
  expect(run).toEqual({ code: 0, stdout: `${after(first)}\n`, stderr: "" });
  expect(server.lines()).toEqual([`POST ${pathOf(first)}`]);
  expect(credentialsOf(server.requests[0])).toBe(`Basic ${credentials.clientId}:${credentials.clientSecret}`);
});

test("prints one object with the value for one token with --json", async () => {
  const server = await startRecordingServer(resets());
  const run = await server.run([...words, "--json"], { input: first });
  expect(JSON.parse(run.stdout)).toMatchObject({ ...checkedJson(after(first)), token: after(first) });
  const some = await server.run([...words, "--json", "token_last_eight_before,token"], { input: first });
  expect(some.stdout).toBe(`{"token_last_eight_before":"${first.slice(-8)}","token":"${after(first)}"}\n`);
});

test("prints one object with four fields per line for several tokens, in input order", async () => {
  const server = await startRecordingServer(resets({ [second]: { status: 404, body: {} } }));
  const run = await server.run(words, { input: [third, second, first].join("\n") });
  expect(run.code).toBe(9);
  expect(
    run.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([
    { token_last_eight_before: third.slice(-8), id: 44, token: after(third), status: "reset" },
    { token_last_eight_before: second.slice(-8), id: null, token: null, status: "not-found" },
    { token_last_eight_before: first.slice(-8), id: 42, token: after(first), status: "reset" },
  ]);
  expect(Object.keys(JSON.parse(run.stdout.split("\n")[0] ?? "") as object)).toEqual([
    "token_last_eight_before",
    "id",
    "token",
    "status",
  ]);
});

test("rejects a response with the old value, as the leaked token may still be active", async () => {
  const server = await startRecordingServer(({ path: asked }) => ({
    status: 200,
    body: checkedJson(asked.split("/").at(-1) ?? ""),
  }));
  const one = await server.run(words, { input: first });
  expect([one.code, one.stdout]).toEqual([13, ""]);
  expect(one.stderr).toContain("token is the old value, not a new one");
  expect(one.stderr).toContain("the old token is still active, so the reset did not take effect");
  const several = await server.run(words, { input: `${first}\n${second}` });
  expect(several.code).toBe(13);
  expect(several.stdout).not.toContain('"status":"reset"');
  const kept = await server.run(["recover", "list", "--json", "state"]);
  expect(kept.stdout).toContain("outcome unknown");
  expect(kept.stdout).not.toContain("value kept");
});

test.each(["*".repeat(40), "ghp_********", "[FILTERED]", "<redacted>"])(
  "rejects a value that a proxy has redacted: %s",
  async (value) => {
    const server = await startRecordingServer(() => ({ status: 200, body: checkedJson(value) }));
    const run = await server.run(words, { input: first });
    expect([run.code, run.stdout]).toEqual([13, ""]);
    const kept = await server.run(["recover", "list", "--json", "state"]);
    expect(kept.stdout).toContain("outcome unknown");
  },
);

test.each([
  ["a success without its value", { status: 200, body: authorizationJson() }],

  ["a cut connection", "cut"],
] as const)("%s: exits with 13 for one and for several, and is sent once", async (_, arranged) => {
  const server = await startRecordingServer(resets({ [second]: arranged }));
  const one = await server.run([...words], { input: second });
  expect([one.code, one.stdout, server.writes().length]).toEqual([13, "", 1]);
  const many = await server.run([...words], { input: [first, second, third].join("\n") });
  expect(many.code).toBe(13);
  expect(server.writes().filter(({ path: asked }) => asked === pathOf(second))).toHaveLength(2);
  expect(many.stdout).toContain(after(first));
  expect(many.stdout).toContain(after(third));
  expect(JSON.parse(many.stdout.split("\n")[1] ?? "")).toMatchObject({ status: "unknown", token: null });
});

test("exits with 2 before any request if standard output discards everything", async () => {
  const server = await startRecordingServer(resets());
  for (const input of [first, `${first}\n${second}`]) {
    const run = await server.run(words, { input, isDiscarded: true });
    expect([run.code, server.lines()]).toEqual([2, []]);
  }
});

test.each([
  ["csv", /^BEFORE,ID,TOKEN,STATUS\r\n/],
  ["tsv", /^[^\t\n]+\t42\t[^\t\n]+\treset\n/],
  ["table", /^BEFORE +ID +TOKEN +STATUS\n/],
])("prints several tokens as %s", async (format, pattern) => {
  const server = await startRecordingServer(resets());
  const run = await server.run([...words, "--format", format], { input: `${first}\n${second}` });
  expect(run.code).toBe(0);
  expect(run.stdout).toMatch(pattern);
  for (const token of [first, second]) expect(run.stdout).toContain(after(token));
});

test("also accepts fields of several new tokens with --output-file, and prints them without the values", async () => {
  const server = await startRecordingServer(resets());
  const file = join(makeFolder(), "new.txt");
  const run = await server.run([...words, "--json", "status,token,id", "--output-file", file], {
    input: `${first}\n${second}\n`,
  });
  expect(run.code).toBe(0);
  expect(JSON.parse(run.stdout)).toEqual([42, 43].map((id) => ({ status: "reset", token: "", id })));
  expect(
    readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual(
    [first, second].map((token, index) => ({ status: "reset", token: after(token), id: 42 + index })),
  );
});

test("reports the destination on a terminal if the new value is not printed", async () => {
  const server = await startRecordingServer(resets());
  const file = join(makeFolder(), "new.txt");
  for (const flags of [
    ["--output-file", file],
    ["--to-command", "true"],
  ]) {
    const run = await server.run([...words, ...flags], { input: first, columns: 100 });
    expect([run.code, run.stdout]).toEqual([0, ""]);
    expect(run.stderr).toContain(`reset the token ending in ${first.slice(-8)}`);
  }
});
