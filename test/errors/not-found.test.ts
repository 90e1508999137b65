// The condition for "gone": a 404 of the server itself, if the credentials are proven. A gateway's page proves nothing.
import { expect, test } from "vitest";
import { startRecordingServer, type ArrangedAnswer } from "../support/recording-server.ts";
import { authorizationJson, checkedJson, tokenValue } from "../support/resources.ts";

const html = "<html><head><title>404 Not Found</title></head></html>";
const pages: readonly [string, ArrangedAnswer][] = [
  ["by its type", { status: 404, headers: { "Content-Type": "text/html" }, body: html }],
  // The default 404 of a Go server, or of an ingress without a backend.
  ["as plain text", { status: 404, headers: { "Content-Type": "text/plain" }, body: "404 page not found\n" }],
  // JSON, but not an object as in the server's own errors.
  ["that is its number alone", { status: 404, headers: { "Content-Type": "text/plain" }, body: "404" }],
  ["without a word", { status: 404, headers: { "Content-Type": "text/html" }, body: "" }],
  ["with a message of its own", { status: 404, body: { message: "no Route matched with those values" } }],
  ["of a framework", { status: 404, body: { message: "Route GET:/x not found", statusCode: 404 } }],
  ["with another object", { status: 404, body: { error: "route not found" } }],
  ["that is called JSON", { status: 404, headers: { "Content-Type": "application/json" }, body: html }],
];
const own: ArrangedAnswer = { status: 404, body: { message: "Not Found" } };

const [live, other] = [tokenValue(1), tokenValue(2)];

async function runBeside(
  answer: ArrangedAnswer,
  words: readonly string[],
  input = "",
): Promise<readonly [number, string]> {
  const server = await startRecordingServer(({ method, path }) => {
    if (path.endsWith(other) || path.endsWith("/2")) return answer;
    if (method === "DELETE") return { status: 204 };
    if (path.includes("?")) return { status: 200, body: [authorizationJson({ id: 9 })] };
    return {
      status: 200,
      body: path.includes("/tokens/") ? checkedJson(live) : authorizationJson({ id: 9 }),
    };
  });
  const { code, stdout } = await server.run([...words, "--concurrency", "1"], { input });
  const row = stdout.split("\n").find((line) => /\t(?:2$|0*2)/.test(line)) ?? "";
  return [code, row.split("\t")[0] ?? ""];
}

const input = `${live}\n${other}\n`;
const jobs: readonly [string, readonly string[], string, string, number][] = [
  ["token revoke", ["token", "revoke", "--yes"], input, "not-found", 0],
  ["token revoke-grant", ["token", "revoke-grant", "--yes"], input, "not-found", 0],
  ["token check", ["token", "check"], input, "not-found", 9],
  ["grant delete", ["grant", "delete", "1", "2", "--yes"], "", "not-found", 0],
  ["authorization delete", ["authorization", "delete", "1", "2", "--yes"], "", "not-found", 0],
];

test.each(jobs)(
  "%s: an item that is not found, among items that are, is gone",
  async (_, words, given, gone, code) => {
    expect(await runBeside(own, words, given)).toEqual([code, gone]);
  },
);

/** Each page in answer to two of the jobs, in turn. */
const pairs = pages.flatMap(([what, page], turn) =>
  [0, 1].map((more) => ({ what, page, job: jobs[(turn + 3 * more) % jobs.length] as (typeof jobs)[number] })),
);

test.each(pairs)(
  "$job.0: a 404 of a gateway, $what, proves nothing",
  async ({ page, job: [, words, given] }) => {
    expect(await runBeside(page, words, given)).toEqual([9, "unproven"]);
  },
);
