// The target of `grantctl api`: always the configured origin, below its prefix, whatever the path says.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildPathTarget, parseOrigin } from "../../../src/http/origin.ts";
import { isFailure } from "../../../src/errors/errors.ts";
import { startRecordingServer } from "../../support/recording-server.ts";
import { runMain } from "../../support/test-host.ts";
import { unicode } from "../../support/unicode.ts";

describe.each(["", "/api/v3"])("below %j", (prefix) => {
  test.each([
    ["/user", "/user"],
    ["user", "/user"],
    ["", "/"],
    ["/", "/"],
    ["/user/", "/user/"],
    ["/user?a=b&c=%20d+e", "/user?a=b&c=%20d+e"],
    ["/user?a=b?c", "/user?a=b?c"],
    ["/user?", "/user"],
    ["/a b/ä/\u{1f980}", "/a%20b/%C3%A4/%F0%9F%A6%80"],
    ["/a%20b/%C3%A4", "/a%20b/%C3%A4"],
    ["/a%2Fb", "/a%2Fb"],
    ["/100%", "/100%25"],
    ["/a%zzb", "/a%25zzb"],
    ["/a#b", "/a%23b"],
    ["/user?q=a#b c\u0001", "/user?q=a%23b%20c%01"],
    ["/a\\b", "/a%5Cb"],
    ["\\\\host\\x", "/%5C%5Chost%5Cx"],
    ["/repos/o/r/pulls/1;v=2,3:4@5", "/repos/o/r/pulls/1;v=2,3:4@5"],
    ["/...", "/..."],
    ["/..a/a..", "/..a/a.."],
    ["/@host/x", "/@host/x"],
    ["?a=b", "/?a=b"],
  ])("%j is sent as %j", async (written, sent) => {
    const server = await startRecordingServer(() => ({ status: 200, body: {} }));
    const environment = { ...server.environment, GRANTCTL_BASE_URL: `${server.root}${prefix}` };
    const run = await runMain(["api", "--", written], { environment });
    expect(run).toEqual({ code: 0, stdout: "{}", stderr: "" });
    expect(server.lines()).toEqual([`GET ${prefix}${sent}`]);
  });

  test.each([
    ["/.."],
    ["/../x"],
    ["/a/../b"],
    ["/./a"],
    ["/a/."],
    ["/%2e%2e/x"],
    ["/%2E./x"],
    ["/.%2e"],
    ["/a/..%2f..%2fb"],
    ["/..%5Cb"],
    ["/a\\..\\b"],
    ["/a//b"],
    ["//host/x"],
    ["///host/x"],
    ["/a\nb"],
    ["/a%0d%0ab"],
    ["/a%00"],
    ["/a\u009b"],
    ["/a\ud800"],
    ["/a%ff"],
    ["http://elsewhere.example/x"],
    ["https://127.0.0.1/x"],
    ["file:///etc/passwd"],
    ["javascript:alert(1)"],
    ["HTTP://elsewhere.example"],
  ])("%j is rejected, with nothing sent", async (written) => {
    const server = await startRecordingServer();
    const environment = { ...server.environment, GRANTCTL_BASE_URL: `${server.root}${prefix}` };
    const run = await runMain(["api", "--", written], { environment });
    expect([run.code, run.stdout, server.requests]).toEqual([2, "", []]);
    expect(run.stderr).toMatch(/^grantctl: [^\n]*\n(hint: [^\n]*\n)?$/);
  });

  test("an address on the configured origin counts as its path, on any other it is rejected", async () => {
    const server = await startRecordingServer(() => ({ status: 200, body: {} }));
    const base = `${server.root}${prefix}`;
    const environment = { ...server.environment, GRANTCTL_BASE_URL: base };
    for (const more of ["/user?a=b", "", "/", "?a=b"]) {
      const run = await runMain(["api", `${base}${more}`], { environment });
      expect([more, run.code, run.stderr]).toEqual([more, 0, ""]);
    }
    expect(server.lines()).toEqual([
      `GET ${prefix}/user?a=b`,
      `GET ${prefix}/`,
      `GET ${prefix}/`,
      `GET ${prefix}/?a=b`,
    ]);
    const { port } = new URL(server.root);
    for (const address of [
      `${base}.elsewhere.example/x`,
      `http://127.0.0.1:${port}@elsewhere.example/x`,
      `http://127.0.0.1:${Number(port) + 1}/x`,
      `https://127.0.0.1:${port}/x`,
      `${server.root}/../x`,
      ...(prefix === "" ? [] : [`${server.root}/other`, `${base}x/y`]),
    ]) {
      const run = await runMain(["api", address], { environment });
      expect([address, run.code]).toEqual([address, 2]);
    }
    expect(server.requests).toHaveLength(4);
  });
});

test("--dry-run rejects the same paths", async () => {
  const server = await startRecordingServer();
  const { environment } = server;
  const run = await runMain(["api", "-X", "DELETE", "/a/../b", "--dry-run"], { environment });
  expect([run.code, server.requests]).toEqual([2, []]);
});

test.each([
  ["api", ["-X", "POST", "/x"]],
  ["graphql", ["mutation { x }"]],
])("%s --dry-run without credentials ends as the run itself", async (command, words) => {
  const server = await startRecordingServer();
  const environment = { ...server.environment, GRANTCTL_PASSWORD: "" };
  const run = await runMain([command, ...words], { environment });
  expect(run.code).toBe(4);
  expect(await runMain([command, ...words, "--dry-run"], { environment })).toEqual(run);
  const open = await runMain([command, ...words, "--dry-run", "--auth", "none"], { environment });
  expect([open.code, server.requests]).toEqual([0, []]);
});

const origin = parseOrigin("https://api.example.com/api/v3", false);

/** The sent body; null if it is rejected. */
function pathOf(written: string): string | null {
  try {
    return buildPathTarget(origin, written, [["q", "ä"]]).path;
  } catch (error) {
    if (isFailure(error, "usage")) return null;
    throw error;
  }
}

test("any path stays below the prefix and is one line of plain ASCII", () => {
  const piece = fc.constantFrom(
    "/",
    "..",
    ".",
    "%2e",
    "%2F",
    "\\",
    "?",
    "#",
    "%",
    "@",
    ":",
    "//",
    "a",
    "\u0000",
    "ä",
  );
  const text = fc.oneof(
    unicode(),
    fc.array(piece).map((pieces) => pieces.join("")),
  );
  fc.assert(
    fc.property(text, (written) => {
      const path = pathOf(written);
      if (path === null) return;
      expect(path).toMatch(/^\/api\/v3\/[\x21-\x7e]*$/);
      // As a parser sees it that folds dot segments.
      expect(new URL(`https://api.example.com${path}`).pathname).toMatch(/^\/api\/v3\//);
      expect(new URL(`https://api.example.com${path}`).host).toBe("api.example.com");
    }),
    { numRuns: 1000 },
  );
});
