// The format of a failure: one line and a hint, or one JSON object of the documented shape.
import { describe, expect, test } from "vitest";
import { Failure } from "../../src/errors/errors.ts";
import { foreign } from "../../src/errors/foreign.ts";
import { commandName } from "../../src/command-line/help-page.ts";
import { hints } from "../../src/errors/hints.ts";
import { asFailure, stackOf } from "../../src/printing/notices.ts";
import { createWholeProgram } from "../../src/program.ts";
import { createRedactor } from "../../src/redaction/redact.ts";
import { grantctlWords } from "../support/example-words.ts";
import { reportOf } from "../support/failure-of.ts";
import { startRecordingServer, type ArrangedAnswer } from "../support/recording-server.ts";
import { runMain } from "../support/test-host.ts";

const cases: readonly (readonly [string, ArrangedAnswer | "cut", string, number, number | null])[] = [
  ["403", { status: 403, body: { message: "no" } }, "refused", 1, 403],
  ["422", { status: 422, body: { message: "no" } }, "refused", 1, 422],
  ["400 with a page", { status: 400, body: "<html>" }, "refused", 1, 400],
  ["404", { status: 404, body: { message: "Not Found" } }, "not-found", 3, 404],
  ["401", { status: 401, body: { message: "Bad credentials" } }, "authentication", 4, 401],
  [
    "401 that asks for a code",
    { status: 401, headers: { "X-Service-OTP": "required; app" }, body: {} },
    "otp",
    5,
    401,
  ],
  [
    "403 that asks for approval",
    { status: 403, headers: { "X-Service-SSO": "required; url=https://sso.test/x" }, body: {} },
    "sso",
    6,
    403,
  ],
  ["429", { status: 429, body: { message: "slow" } }, "rate-limited", 7, 429],
  ["503", { status: 503, body: { message: "down" } }, "rate-limited", 7, 503],
  ["a cut connection", "cut", "network", 8, null],
  ["a redirect", { status: 302, headers: { Location: "https://elsewhere.test/" } }, "protocol", 11, 302],
  ["500", { status: 500, body: "" }, "protocol", 11, 500],
  ["no JSON", { status: 200, body: "<html>" }, "protocol", 11, null],
  ["a list of the wrong things", { status: 200, body: [1] }, "protocol", 11, null],
];

test.each<[string, ArrangedAnswer, RegExp]>([
  ["403", { status: 403, body: { message: "no" } }, /`grantctl auth status`/],
  ["422", { status: 422, body: { message: "no" } }, /^none$/],
  ["500", { status: 500, body: "" }, /^Try again later.*`grantctl doctor`/],
  ["503", { status: 503, body: { message: "down" } }, /^Try again later.*`grantctl doctor`/],
  ["no JSON", { status: 200, body: "<html>" }, /`grantctl doctor`/],
])("%s for a read has its hint", async (_, arranged, hint) => {
  const server = await startRecordingServer(() => Promise.resolve(arranged));
  const run = await runMain(["grant", "list"], { environment: server.environment });
  const [, given = "none"] = /^hint: (.*)$/m.exec(run.stderr) ?? [];
  expect(given).toMatch(hint);
});

test("without a response, the hint is to run doctor with the typed URL", async () => {
  const environment = { GRANTCTL_USERNAME: "u", GRANTCTL_PASSWORD: "p" };
  const run = await runMain(["grant", "list", "--base-url", "http://127.0.0.1:1"], {
    environment,
  });
  expect([run.code, run.stderr]).toEqual([
    8,
    expect.stringContaining("\nhint: Run `grantctl --base-url http://127.0.0.1:1 doctor`"),
  ]);
});

describe("a 404", () => {
  const account = { status: 404, body: { message: "Not Found" } } as const;

  test("for a list of the account blames user name, password or base URL, because every account has one", async () => {
    for (const words of [
      ["grant", "list"],
      ["authorization", "list"],
    ]) {
      const server = await startRecordingServer(() => Promise.resolve(account));
      const run = await runMain(words, { environment: server.environment });
      expect([run.code, run.stderr]).toEqual([
        3,
        expect.stringMatching(/^grantctl: wrong user name or password \(or wrong base URL\)/),
      ]);
      expect(run.stderr).toContain(hints.login);
    }
  });
});

describe("on a terminal of 40 columns", () => {
  test("an error is text, even with --json, and an unknown field is followed by the list of fields", async () => {
    const words = ["grant", "list", "--json", "nosuch"];
    const onTerminal = await runMain(words, { errorColumns: 40 });
    expect(onTerminal.code).toBe(2);
    expect(onTerminal.stderr).toMatch(/^grantctl: unknown field: nosuch\nAvailable fields:\n {2}id\n/);
    expect(onTerminal.stderr.split("\n")).toEqual(expect.arrayContaining(["  app.name", "  scopes"]));
    const inPipe = await runMain(words);
    const { error } = JSON.parse(inPipe.stderr) as { error: { hint: string } };
    expect(error.hint).toMatch(/^Available fields: id, /);
  });

  test("lines break between words, and a command is never split", async () => {
    const base = ["--base-url", "http://127.0.0.1:1"];
    const environment = { GRANTCTL_USERNAME: "u", GRANTCTL_PASSWORD: "p" };
    const narrow = await runMain(["grant", "list", ...base], { environment, errorColumns: 40 });
    const wide = await runMain(["grant", "list", ...base], { environment });
    expect(narrow.stderr.replaceAll("\n", " ")).toBe(wide.stderr.replaceAll("\n", " "));
    const lines = narrow.stderr.split("\n");
    expect(lines.filter((line) => line.length > 40 && !line.includes("`"))).toEqual([]);
    expect(lines).toContainEqual(expect.stringContaining("`grantctl --base-url http://127.0.0.1:1 doctor`"));
  });
});

test("a hint is a sentence, and its commands can be parsed", async () => {
  const program = await createWholeProgram();
  const commands = program.commands.flatMap((noun) => [noun, ...noun.commands]);
  for (const hint of Object.values(hints)) {
    expect(hint).toMatch(/^(?:[A-Z]|grantctl )[^]*\.$/);
    for (const [, command = ""] of hint.matchAll(/`(grantctl [^`]+)`/g)) {
      const [words = []] = grantctlWords(command);
      const path = words
        .filter((word) => !word.startsWith("-"))
        .slice(0, 2)
        .join(" ");
      expect(commands.map((one) => commandName(one).replace("grantctl ", ""))).toContain(path);
    }
  }
});

describe.each(cases)("%s", (_, arranged, kind, code, status) => {
  test("is one line and a hint in text form", async () => {
    const server = await startRecordingServer(() => Promise.resolve(arranged));
    const run = await runMain(["grant", "list"], { environment: server.environment });
    expect([run.code, run.stdout]).toEqual([code, ""]);
    expect(run.stderr).toMatch(/^grantctl: [a-zG][^\n]*[^.\n]\n(hint: [^\n]+\n)?(https:[^\n]+\n)?$/);
  });

  test.each([["--json"], ["--format=json"], ["--format=ndjson"]])("is one object with %s", async (flag) => {
    const server = await startRecordingServer(() => Promise.resolve(arranged));
    const run = await runMain(["grant", "list", flag], { environment: server.environment });
    expect([run.code, run.stdout]).toEqual([code, ""]);
    const { error } = JSON.parse(run.stderr) as { error: Record<string, unknown> };
    expect(Object.keys(error).slice(0, 5)).toEqual(["class", "message", "status", "exit_code", "hint"]);
    expect(error).toMatchObject({ class: kind, exit_code: code });
    expect(error["status"] ?? null).toBe(status);
    expect(run.stderr.split("\n")).toHaveLength(2);
  });
});

test.each([
  [["grant", "list", "--json", "--no-such-flag"]],
  [["grant", "list", "--format", "ndjson", "--limit", "x"]],
  [["grant", "list", "--format=json", "surplus"]],
  [["grant", "nosuch", "--json"]],
  [["grant", "view", "abc", "--json"]],
  [["grant", "delete", "1", "--json", "id"]],
  [["grant", "list", "--json=nosuch"]],
  [["grant", "list", "--json"]],
])("usage errors are JSON too: %j", async (words) => {
  const run = await runMain(words);
  expect([run.code, run.stdout]).toEqual([2, ""]);
  expect(JSON.parse(run.stderr)).toMatchObject({ error: { class: "usage", status: null, exit_code: 2 } });
});

test("--json after -- is not a flag", async () => {
  const run = await runMain(["grant", "list", "--no-such-flag", "--", "--json"]);
  expect(run.stderr).toMatch(/^grantctl: /);
});

test("--debug after -- is not a flag", async () => {
  const run = await runMain(["config", "path", "--", "--debug"]);
  expect(run.stderr).not.toContain("debug:");
  expect((await runMain(["config", "path", "--debug"])).stderr).toContain("debug: exit code 0");
});

test("the value after an equals sign is not repeated", async () => {
  for (const words of [
    ["--password=hush"],
    ["grant", "list", "--token=hu'sh"],
    ["token", "reset", "--client-secret=hush"],
  ]) {
    const run = await runMain(words);
    expect(run.code).toBe(2);
    expect(run.stderr).not.toMatch(/hush|hu|sh'/);
  }
});

test("an internal error exits with code 70 and one line, in both formats", () => {
  const failure = asFailure(new TypeError("a\nb\u001b[2J"));
  expect(failure).toMatchObject({ kind: "internal", exitCode: 70 });
  expect(reportOf(failure, false)).toMatch(/^grantctl: [^\n]+\nhint: [^\n]+\n$/);
  expect(reportOf(failure, false)).not.toContain("\u001b");
  expect(JSON.parse(reportOf(failure, true))).toMatchObject({
    error: { class: "internal", exit_code: 70 },
  });
  expect(asFailure("thrown text").exitCode).toBe(70);
  expect(asFailure(undefined).exitCode).toBe(70);
});

test("a message of megabytes is cut, but only after secrets are removed", () => {
  const redactor = createRedactor(() => "");
  redactor.add("canary-SECRET-1");
  for (let length = 980; length <= 1000; length += 1) {
    const message = `${"x ".repeat(length / 2)}canary-SECRET-1 ${"y ".repeat(10_000)}`;
    const failure = new Failure("refused", foreign(message), { requestId: message });
    for (const asJson of [true, false]) {
      const text = reportOf(failure, asJson, redactor);
      expect(text).not.toContain("cana");
      expect(text.length).toBeLessThan(2500);
      expect(text).toContain("…");
    }
  }
});

test.each(["class", "message", "n1234", "u001b", "exit_code", "refused", '","class":"', "n", "\\"])(
  "a secret like %j keeps the JSON valid",
  (secret) => {
    const redactor = createRedactor(() => "");
    redactor.add(secret);
    const failure = new Failure("refused", `it said\n1234 ${foreign(secret)} \u001b \\ `, {
      hint: foreign(secret),
    });
    const text = reportOf(failure, true, redactor);
    const { error } = JSON.parse(text) as { error: Record<string, unknown> };
    expect(error).toMatchObject({ class: "refused", hint: "[secret]", exit_code: 1 });
    expect(error["message"]).toMatch(/^it said/);
  },
);

test("an internal error is reported with its position and without its message", () => {
  const bug = asFailure(new TypeError("hush\n    at hush (hush:1:1)"));
  expect(stackOf(bug).length).toBeGreaterThan(2);
  for (const line of stackOf(bug).slice(1)) expect(line).toMatch(/^ {4}at /);
  expect(stackOf(asFailure("text"))).toEqual([]);
  expect(stackOf(new Failure("refused", "no", { cause: new Error("x") }))).toEqual([]);
});

test("a cause is kept but never shown", () => {
  const failure = new Failure("network", "it broke", { cause: new Error("hush") });
  expect(failure.cause).toBeInstanceOf(Error);
  for (const asJson of [true, false]) expect(reportOf(failure, asJson)).not.toContain("hush");
});
