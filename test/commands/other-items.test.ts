// Responses about another item than the requested one, as from a faulty cache or proxy, are protocol errors: they prove
// nothing and are not printed. test/api/tokens.test.ts covers every field.
import { describe, expect, test } from "vitest";
import { startRecordingServer } from "../support/recording-server.ts";
import { authorizationJson, checkedJson, grantJson, tokenValue } from "../support/resources.ts";
import { makeStateFolder } from "../support/state-folder.ts";
import { runMain } from "../support/test-host.ts";

const other = tokenValue(99);
const notFound = { status: 404, body: { message: "Not Found" } };

describe.each([["service"], ["github"]])("%s", (operator) => {
  /** Responds to each check with another token's data. */
  const start = async (revoked: readonly string[] = []) => {
    const server = await startRecordingServer(({ method, path, body }) => {
      const isRevocation = method === "DELETE";
      const isKnown = !isRevocation && !revoked.some((token) => `${path}${body}`.includes(token));
      return isKnown ? { status: 200, body: checkedJson(other) } : notFound;
    });
    const environment = {
      ...server.environment,
      ...makeStateFolder().environment,
      GRANTCTL_SERVER_TYPE: operator,
    };
    return { server, environment };
  };

  test("token check of several reports no token as active, and the rest as unproven", async () => {
    const { environment } = await start([tokenValue(3)]);
    const input = [1, 2, 3].map(tokenValue).join("\n");
    const run = await runMain(["token", "check"], { environment, input });
    const states = run.stdout.split("\n").map((line) => line.split("\t")[0]);
    expect([run.code, states]).toEqual([9, ["failed", "failed", "unproven", ""]]);
  });

  test("token revoke does not report tokens as not-found after such checks", async () => {
    const { environment } = await start();
    const input = Array.from({ length: 7 }, (_, index) => tokenValue(index + 1)).join("\n");
    const run = await runMain(["token", "revoke", "--yes", "--concurrency", "1"], { environment, input });
    expect([run.code, run.stdout]).toEqual([1, ""]);
  });
});

test.each([
  [["grant", "view", "42"], 1],
  [["authorization", "view", "42"], 1],
  [["authorization", "view", "9007199254740993"], 1],
  [["authorization", "update", "42", "--add-scope", "repo"], 13],
] as const)("%j exits with code %i and prints nothing for another item", async (words, code) => {
  const server = await startRecordingServer(({ path }) => ({
    status: 200,
    // As a double, this id would equal the requested one.
    body: JSON.stringify(
      path.includes("grants") ? grantJson({ id: 0 }) : authorizationJson({ id: 0 }),
    ).replace('"id":0,', '"id":9007199254740992,'),
  }));
  const run = await server.run([...words]);
  expect([run.code, run.stdout]).toEqual([code, ""]);
  expect(run.stderr).toContain("id belongs to another item");
});

test("accepts an id written as a fraction", async () => {
  const server = await startRecordingServer(() => ({
    status: 200,
    body: JSON.stringify(grantJson()).replace('"id":42,', '"id":42.0,'),
  }));
  expect((await server.run(["grant", "view", "42"])).code).toBe(0);
});
