// Reports of scanners as the input of the token commands and identify: they print a row per token with its locations.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startRecordingServer, type Answer } from "../../support/recording-server.ts";
import { gitleaksFinding, lines, trufflehogFinding } from "../../support/reports.ts";
import { checkedJson, tokenValue } from "../../support/resources.ts";
import { makeFolder, makeStateFolder } from "../../support/state-folder.ts";
import { runMain } from "../../support/test-host.ts";
import { startTruthService } from "../../support/truth-service.ts";
import { pathOf } from "./known-tokens.ts";

const [first, second, third] = [tokenValue(1), tokenValue(2), tokenValue(3)] as const;
const everyCommand: readonly string[][] = [
  ["token", "check"],
  ["token", "reset", "--yes"],
  ["token", "revoke", "--yes"],
  ["token", "revoke-grant", "--yes"],
  ["authorization", "identify"],
];

/** A command for each way of reading a report; the tokens found do not depend on the command. */
const eachReader = everyCommand.filter((_, index) => [0, 1, 4].includes(index));

/** Every token is active. */
const allLive: Answer = ({ path: asked }) => ({
  status: 200,
  body: checkedJson(asked.split("/").at(-1) ?? ""),
});

const report = JSON.stringify([
  gitleaksFinding(first, "a.env", 1),
  gitleaksFinding(second, "b.env", 2),
  gitleaksFinding(first, "c.env", 3),
]);

test("check: merges a secret in several locations into one item, with its sources only in JSON", async () => {
  const server = await startRecordingServer(allLive);
  const json = await server.run(["token", "check", "--json"], { input: report });
  expect(json.code).toBe(0);
  const rows = JSON.parse(json.stdout) as { readonly sources: readonly object[] }[];
  expect(rows.map(({ sources }) => sources.length)).toEqual([2, 1]);
  expect(rows[0]?.sources[1]).toEqual({
    tool: "gitleaks",
    rule: "generic-api-key",
    file: "c.env",
    line: 3,
    commit: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    url: null,
  });
  expect(json.stderr).toContain("gitleaks report");
  expect(json.stdout + json.stderr).not.toContain(first);
  expect(json.stdout).not.toContain("TOKEN =");

  const plain = await server.run(["token", "check"], { input: report });
  expect(plain.stdout).toBe(`live\t${first.slice(-8)}\nlive\t${second.slice(-8)}\n`);
  const terminal = await server.run(["token", "check"], { input: report, columns: 100 });
  expect(terminal.stdout).toContain("FOUND IN");
  expect(terminal.stdout).toContain("a.env:1 +1");
  expect(terminal.stdout).toContain("b.env:2");
  const deep = "infrastructure/environments/production/cluster/deploy.env";
  const narrow = await server.run(["token", "check"], {
    input: JSON.stringify([gitleaksFinding(first, deep, 12), gitleaksFinding(second, "b.env", 2)]),
    columns: 60,
  });
  // People look for the file and its line.
  expect(narrow.stdout).toContain(" …/cluster/deploy.env:12\n");
  const one = await server.run(["token", "check", "--json", "sources"], {
    input: lines([trufflehogFinding(first)]),
  });
  expect(JSON.parse(one.stdout)).toMatchObject({
    sources: [{ tool: "trufflehog", file: "deploy.sh", line: 3 }],
  });
});

test.each(eachReader)(
  "%s %s: rejects a redacted report with exit code 2, before any request and without echo",
  async (...words) => {
    const server = await startRecordingServer(allLive);
    const redacted = JSON.stringify([gitleaksFinding(first), gitleaksFinding("REDACTED", "d.env")]);
    const run = await server.run(words, { input: redacted });
    expect([run.code, run.stdout, server.lines()]).toEqual([2, "", []]);
    expect(run.stderr).toContain("item 2");
    expect(run.stderr).not.toContain(first);
    expect(run.stderr).not.toContain(".env");
  },
);

test.each(eachReader)(
  "%s %s: reports an empty report and exits with 0 without a request",
  async (...words) => {
    const server = await startRecordingServer(allLive);
    const run = await server.run([...words, "--json"], { input: "[]\n" });
    expect([run.code, run.stdout, server.lines()]).toEqual([0, "[]\n", []]);
    expect(run.stderr).toContain("no findings");
  },
);

test("revoke and revoke-grant: process each token once, with its sources", async () => {
  for (const [verb, segment] of [
    ["revoke", "tokens"],
    ["revoke-grant", "grants"],
  ] as const) {
    const server = await startRecordingServer(() => ({ status: 204 }));
    const run = await server.run(["token", verb, "--yes", "--format", "ndjson", "--concurrency", "1"], {
      input: report,
    });
    expect(run.code).toBe(0);
    expect(server.lines()).toEqual(
      [first, second].map((token) => `DELETE ${pathOf(token).replace("/tokens/", `/${segment}/`)}`),
    );
    const rows = run.stdout.trimEnd().split("\n");
    expect(rows.map((row) => (JSON.parse(row) as { sources: object[] }).sources.length)).toEqual([2, 1]);
  }
});

test("reset: prints new values with the locations of the old ones, in the file and in the pipe", async () => {
  const service = await startTruthService();
  const tokens = [service.addToken(), service.addToken()] as const;
  const environment = { ...service.environment, ...makeStateFolder().environment };
  const file = join(makeFolder(), "new.txt");
  const input = lines([trufflehogFinding(tokens[0]), trufflehogFinding(tokens[1], { file: "b" })]);
  const run = await runMain(["token", "reset", "--yes", "--output-file", file], { environment, input });
  expect([run.code, run.stdout]).toEqual([0, tokens.map((token) => `reset\t${token.slice(-8)}\n`).join("")]);
  const kept = readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as object);
  expect(kept[1]).toMatchObject({
    token_last_eight_before: tokens[1].slice(-8),
    sources: [{ file: "b", line: 3 }],
  });
  expect(tokens.some((token) => service.isLive(token))).toBe(false);
});

test("identify: prints the matching rows with the locations of each token, and sends no token", async () => {
  const service = await startTruthService();
  const token = service.addToken({ hashed_token: createHash("sha256").update(third).digest("hex") });
  expect(token).not.toBe("");
  const input = JSON.stringify([
    gitleaksFinding(third, "x.env", 9),
    gitleaksFinding(first),
    gitleaksFinding(third, "y.env"),
  ]);
  const { environment } = service;
  const run = await runMain(["authorization", "identify", "--json"], { environment, input });
  expect(run.code).toBe(0);
  expect(JSON.parse(run.stdout)).toMatchObject([
    { id: 1001, sources: [{ file: "x.env", line: 9 }, { file: "y.env" }] },
  ]);
  expect(run.stderr).toContain("1 of 2 tokens");
  const terminal = await runMain(["authorization", "identify"], { environment, input, columns: 120 });
  expect(terminal.stdout).toContain("x.env:9 +1");
  const ids = await runMain(["authorization", "identify"], { environment, input });
  expect(ids.stdout).toMatch(/^1001\t/);
  expect(ids.stdout).not.toContain("x.env");
  expect(JSON.stringify(service.requests)).not.toContain(third);
});

test("reports a UTF-16 file, as PowerShell writes it, with a hint", async () => {
  const server = await startRecordingServer(allLive);
  const file = join(makeFolder(), "report.json");
  writeFileSync(file, Buffer.from(`\uFEFF${report}`, "utf16le"));
  const run = await server.run(["token", "check", "--token-file", file]);
  expect([run.code, run.stdout, server.lines()]).toEqual([2, "", []]);
  expect(run.stderr).toContain("UTF-16");
  expect(run.stderr).toContain(
    "Convert it to UTF-8 with `iconv -f UTF-16 -t UTF-8`. In PowerShell, write it with `Out-File -Encoding utf8`.\n",
  );
});

test.each(["check", "inspect", "reset", "revoke", "revoke-grant"])(
  "token %s: skips findings of other services on GitHub, which has recognisable token formats",
  async (verb) => {
    const other = "AKIAIOSFODNN7EXAMPLE";
    const input = JSON.stringify([gitleaksFinding(other), gitleaksFinding(first)]);
    const words = ["token", verb, ...(verb === "check" || verb === "inspect" ? [] : ["--yes"])];
    const sentTo = async (operator: string) => {
      const server = await startRecordingServer(() => ({ status: 404, body: { message: "Not Found" } }));
      const environment = { ...server.environment, GRANTCTL_OPERATOR: operator };
      const { stderr } = await runMain(words, { environment, input });
      const sent = server.requests.map(({ method, path, headers, body }) =>
        JSON.stringify([method, path, headers, body]),
      );
      return { stderr, sent };
    };
    const { stderr, sent } = await sentTo("github");
    expect(stderr).toContain("warning: left out 1 secret that cannot be a GitHub token\n");
    expect(sent.filter((request) => request.includes(first))).toHaveLength(1);
    expect(sent.join("\n")).not.toContain(other);
    expect((await sentTo("service")).sent.join("\n")).toContain(other);
  },
);

const privateKey = "-----BEGIN PRIVATE KEY-----\nhush-hush-hush-hush\n-----END PRIVATE KEY-----";
const everyVerb: readonly string[][] = [...everyCommand, ["token", "inspect"]];

test.each(everyVerb)(
  "%s %s: reports a report with only private keys, and exits with 2 before any request",
  async (...words) => {
    const server = await startRecordingServer(allLive);
    const input = JSON.stringify([privateKey, privateKey].map((key) => gitleaksFinding(key)));
    const run = await server.run(words, { input });
    expect([run.code, run.stdout, server.lines()]).toEqual([2, "", []]);
    expect(run.stderr).toContain("left out 2 findings that cannot be a token (items 1, 2)");
    expect(run.stderr).not.toContain("hush");
  },
);

test.each(everyVerb)("%s %s: does not send a finding of an AWS key detector", async (...words) => {
  const other = "AKIAIOSFODNN7EXAMPLE";
  const aws = { ...gitleaksFinding(other), RuleID: "aws-access-token" };
  const server = await startRecordingServer(allLive);
  const alone = await server.run(words, { input: JSON.stringify([aws]) });
  expect([alone.code, alone.stdout, server.lines()]).toEqual([2, "", []]);
  expect(alone.stderr).toContain("left out 1 finding of detectors for other secrets (cloud keys)");
  expect(alone.stderr).toContain("--all-findings");
  const input = JSON.stringify([aws, gitleaksFinding(first)]);
  const both = await server.run(words, { input });
  expect(both.stderr).toContain("1 token\n");
  expect(JSON.stringify(server.requests)).not.toContain(other);
  const all = await server.run([...words, "--all-findings"], { input });
  expect(all.stderr).toContain("2 tokens\n");
});

test("check: shows no secret of another finding in a location, in any format", async () => {
  const server = await startRecordingServer(allLive);
  const place = `x?one=${first}&two=${second}`;
  const input = JSON.stringify([
    { ...gitleaksFinding(first, place), Link: `https://h/${place}` },
    { ...gitleaksFinding(second, place), Link: `https://h/${place}` },
  ]);
  for (const format of ["json", "ndjson", "csv", "tsv", "table"]) {
    const words = ["token", "check", "--format", format];
    const { code, stdout, stderr } = await server.run(words, { input, columns: 200 });
    expect(code).toBe(0);
    for (const secret of [first, second]) expect(stdout + stderr).not.toContain(secret);
  }
});

test("check: lists 1,000 locations of a token found 1,002 times, and counts the other two", async () => {
  const server = await startRecordingServer(allLive);
  const input = lines(Array.from({ length: 1002 }, () => trufflehogFinding(first)));
  const run = await server.run(["token", "check", "--json", "sources,sources_omitted"], { input });
  const row = JSON.parse(run.stdout) as { sources: object[]; sources_omitted: number };
  expect([row.sources.length, row.sources_omitted]).toEqual([1000, 2]);
  const two = `${input}${lines([trufflehogFinding(second)])}`;
  const table = await server.run(["token", "check"], { input: two, columns: 120 });
  expect(table.stdout).toContain("deploy.sh:3 +1001");
});
