// Hostile names, notes and messages, through whole commands: one row for each item, no terminal control characters on
// any stream, and JSON with exactly the server's data.
import { describe, expect } from "vitest";
import { test } from "../support/grantctl.ts";
import { authorizationJson, grantJson } from "../support/resources.ts";
import { json, on, plain } from "../support/serve.ts";

const hostile = [
  "\u001b[2J\u001b[31mred",
  "\u001b]8;;https://evil.test\u0007link\u001b]8;;\u0007",
  "\u001b]52;c;cm0gLXJm\u0007",
  "\u009b2J\u009d52;c;x\u009c",
  "\u202egnp.exe\u2066",
  "two\nlines\r\nand\rmore\u2028x\u2029y\u0085z",
  "tab\tbed",
  "nul\u0000del\u007f\b\u0007",
  "\ud800 alone \udfff",
  "漢字 e\u0301 \u{1f600}",
  '"quoted", \\ and =1+1',
  "=cmd|' /C calc'!A0",
  "\u{e0041}\u200b\ufeff",
  "x".repeat(20_000),
];
const items = hostile.map((text, index) =>
  authorizationJson({
    id: index + 1,
    note: text,
    fingerprint: text,
    scopes: [text],
    app: { name: text, client_id: text, url: text },
    created_at: text,
    updated_at: text,
    token_last_eight: text,
    "unknown field": { deeper: [text, null, 1.5, true, {}] },
  }),
);
const grants = hostile.map((text, index) =>
  grantJson({ id: index + 1, app: { name: text, client_id: text, url: text }, scopes: [text] }),
);

/** Characters that must not appear in a line on a terminal. */
const executable = /[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Zl}\p{Zp}]/u;
const withoutLayout = (text: string): string => text.replaceAll(/[\n\t]/g, "").replaceAll("\r\n", "");

function rowsIn(text: string, format: string): unknown {
  if (format === "json") return JSON.parse(text);
  const lines = text.trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as unknown);
}

describe.each([
  ["authorization", items],
  ["grant", grants],
] as const)("%s list", (noun, data) => {
  test.for([
    ["table", 100, 1],
    ["tsv", null, 0],
    ["tsv", 100, 0],
    ["csv", null, 1],
    ["csv", 100, 1],
  ] as const)("as %s, %s columns: one line each", async ([format, columns, headers], { grantctl, serve }) => {
    await serve(on("ALL /*", json(200, data)));
    const terminal = columns === null ? {} : { columns };
    const run = await grantctl(`${noun} list --format ${format} --no-color`, terminal);
    // A table on a terminal is followed by a hint, if columns do not fit, and a count.
    const count = format === "table" && columns !== null ? `${hostile.length} ${noun}s\n` : "";
    expect([run.code, run.stderr.replace(/^hint: .*\n/, "")]).toEqual([0, count]);
    expect(run.stdout.trimEnd().split(/\r?\n/)).toHaveLength(hostile.length + headers);
    expect(run.stdout.replaceAll("\r\n", "").replaceAll(/[\n\t]/g, "")).not.toMatch(executable);
  });

  test.for(["json", "ndjson"])(
    "on a terminal as %s: valid, the same data, no control characters",
    async (format, { grantctl, serve }) => {
      await serve(on("ALL /*", json(200, data)));
      const run = await grantctl(`${noun} list --format ${format}`, { columns: 100 });
      expect(rowsIn(run.stdout, format)).toEqual(JSON.parse(JSON.stringify(data)));
      expect(run.stdout.replaceAll("\n", "")).not.toMatch(executable);
    },
  );
});

const fieldsOfRecord =
  "id url app.name app.client_id app.url hashed_token token_last_eight note note_url created_at updated_at scopes fingerprint".split(
    " ",
  );

test("a record on a terminal has its labels at the left, the rest indented", async ({ grantctl, serve }) => {
  for (const item of items) {
    await serve(on("ALL /*", json(200, item)));
    const run = await grantctl(`authorization view ${String(item["id"])}`, { columns: 100 });
    const labels = run.stdout.split("\n").flatMap((line) => /^[^ ]+/.exec(line) ?? []);
    expect(labels).toEqual(fieldsOfRecord);
    expect(withoutLayout(run.stdout)).not.toMatch(executable);
  }
});

test.for(hostile.slice(0, 13))("a message with %j stays on one line", async (text, { grantctl, serve }) => {
  const headers = { "X-Request-Id": text.replaceAll(/[^\u0020-\u007e\u0080-\u00ff]/g, "?") };
  await serve(on("ALL /*", json(403, { message: text, errors: [{ message: text }] }, headers)));
  const run = await grantctl("grant list --no-color", { columns: 100 });
  expect(run.code).toBe(1);
  expect(run.stderr.replaceAll("\n", "")).not.toMatch(executable);
  for (const line of run.stderr.trimEnd().split("\n")) expect(line).toMatch(/^(grantctl|hint|request): /);
  const inJson = await grantctl("grant list --json --no-color", { columns: 100 });
  expect(inJson.stderr.trimEnd()).not.toMatch(executable);
  expect(JSON.parse(inJson.stderr)).toMatchObject({ error: { class: "refused" } });
});

test.for<readonly [string, string]>([
  ["__proto__ beside a big id", `{"id":9007199254740993,"__proto__":{"polluted":1}}`],
  ["__proto__", `{"id":42,"__proto__":{"polluted":1}}`],
  ["constructor and toJSON", `{"id":42,"constructor":{"x":1},"toJSON":"no"}`],
  ["a big decimal", `{"id":42,"ratio":123456789012345.123456789}`],
  ["a number beyond doubles", `{"id":42,"huge":1e999}`],
])("unknown fields are passed on unchanged: %s", async ([, body], { grantctl, serve }) => {
  await serve(on("ALL /*", plain(200, body, { "Content-Type": "application/json" })));
  const id = /\d+/.exec(body)?.[0] ?? "";
  const run = await grantctl(`authorization view ${id} --json`);
  expect(run).toEqual({ code: 0, stdout: `${body}\n`, stderr: "" });
});
