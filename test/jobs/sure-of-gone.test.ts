// A server that returns 404 for an unsupported operation: items that still exist must not be reported as gone.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startRecordingServer, type Answer } from "../support/recording-server.ts";
import { authorizationJson, checkedJson, grantJson, tokenValue } from "../support/resources.ts";
import { makeFolder, makeStateFolder } from "../support/state-folder.ts";

const notFound = { status: 404, body: { message: "Not Found" } };
const numbers = Array.from({ length: 9 }, (_, index) => index + 1);
const ids = numbers.map(String);
const tokens = numbers.map((number) => tokenValue(number)).join("\n");

/** Supports reads, except of `gone` items, and no writes. */
const onlyReads =
  (gone: (path: string) => boolean = () => false): Answer =>
  ({ method, path }) => {
    if (method !== "GET" || gone(path)) return notFound;
    const number = Number(/(\d+)$/.exec(path)?.[1]);
    if (path.includes("/tokens/")) return { status: 200, body: checkedJson(path.split("/").at(-1) ?? "") };
    const itemJson = path.includes("grants") ? grantJson : authorizationJson;
    return { status: 200, body: path.includes("?") ? [itemJson({ id: 1 })] : itemJson({ id: number }) };
  };

test.each([
  ["token revoke", [], tokens],
  ["token revoke-grant", [], tokens],
  ["grant delete", ids, ""],
  ["authorization delete", ids, ""],
])("%s: an item that still exists is not reported as gone", async (command, words, input) => {
  const server = await startRecordingServer(onlyReads());
  const run = await server.run([...command.split(" "), ...words, "--yes", "--concurrency", "1"], {
    environment: makeStateFolder().environment,
    input,
  });
  expect(run.code).toBe(9);
  expect(run.stdout).toMatch(/^(?:(?:refused|not-tried)\t\S+\n){9}$/);
  expect(run.stderr).toContain("still exists, and the server returns 404 only for this operation");
});

test("token reset: an active token is not reported as not found in a job that is proven by a read", async () => {
  const server = await startRecordingServer(onlyReads());
  const run = await server.run(["token", "reset", "--yes", "--concurrency", "1"], {
    environment: makeStateFolder().environment,
    input: tokens,
  });
  expect([run.code, run.stdout.includes("not-found")]).toEqual([9, false]);
});

test.each(["revoke", "reset"])("token %s of one active token, with a proof token, fails", async (verb) => {
  const server = await startRecordingServer(onlyReads());
  const file = join(makeFolder(), "live.txt");
  writeFileSync(file, tokenValue(99), { mode: 0o600 });
  const run = await server.run(["token", verb, "--yes", "--proof-token-file", file], {
    environment: makeStateFolder().environment,
    input: tokenValue(1),
  });
  expect([run.code, run.stdout]).toEqual([1, ""]);
  expect(run.stderr).toContain("the token ending in 00000001 still exists");
});

test("an item is reported as gone if reading it also returns 404, and is read at most once", async () => {
  const dead = tokenValue(1);
  const server = await startRecordingServer(onlyReads((path) => !path.endsWith(tokenValue(9))));
  const run = await server.run(["token", "revoke", "--yes", "--concurrency", "1"], {
    environment: makeStateFolder().environment,
    input: tokens,
  });
  expect(run.stdout).toContain(`already-gone\t${dead.slice(-8)}\n`);
  expect(server.lines().filter((line) => line.startsWith("GET") && line.endsWith(dead))).toHaveLength(1);
});

test("nothing is read if the operation has worked before", async () => {
  const server = await startRecordingServer(({ path }) =>
    path.endsWith("/1") ? { status: 204 } : path.endsWith("/9") ? notFound : { status: 204 },
  );
  const run = await server.run(["authorization", "delete", ...ids, "--yes"], {
    environment: makeStateFolder().environment,
  });
  expect([run.code, run.stdout.endsWith("already-gone\t9\n")]).toEqual([0, true]);
  expect(server.lines().every((line) => line.startsWith("DELETE"))).toBe(true);
});
