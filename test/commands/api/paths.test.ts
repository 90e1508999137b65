// The target of `grantctl api`: always the configured origin, below its prefix, for any path.
import { describe, expect, test } from "vitest";
import { startRecordingServer } from "../../support/recording-server.ts";
import { runMain } from "../../support/test-host.ts";

describe.each(["", "/api/v3"])("below %j", (prefix) => {
  test.each([
    ["user", "/user"],

    ["/user?a=b&c=%20d+e", "/user?a=b&c=%20d+e"],

    ["/a b/ä/\u{1f980}", "/a%20b/%C3%A4/%F0%9F%A6%80"],
  ])("sends %j as %j", async (written, sent) => {
    const server = await startRecordingServer(() => ({ status: 200, body: {} }));
    const environment = { ...server.environment, GRANTCTL_BASE_URL: `${server.root}${prefix}` };
    const run = await runMain(["api", "--", written], { environment });
    expect(run).toEqual({ code: 0, stdout: "{}", stderr: "" });
    expect(server.lines()).toEqual([`GET ${prefix}${sent}`]);
  });

  test.each([
    ["/a/../b"],

    ["//host/x"],
    ["///host/x"],

    ["/a%0d%0ab"],

    ["http://elsewhere.example/x"],
  ])("rejects %j before any request", async (written) => {
    const server = await startRecordingServer();
    const environment = { ...server.environment, GRANTCTL_BASE_URL: `${server.root}${prefix}` };
    const run = await runMain(["api", "--", written], { environment });
    expect([run.code, run.stdout, server.requests]).toEqual([2, "", []]);
    expect(run.stderr).toMatch(/^grantctl: [^\n]*\n(hint: [^\n]*\n)?$/);
  });

  test("accepts a URL on the configured origin as its path and rejects all other origins", async () => {
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
