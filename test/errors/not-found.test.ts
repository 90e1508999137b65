// The condition for "gone": a 404 of the server itself, if the credentials are proven. A gateway's page proves nothing.
import { expect } from "vitest";
import { test } from "../support/grantctl.ts";
import { authorizationJson, checkedJson, tokenValue } from "../support/resources.ts";
import { json, on, plain } from "../support/serve.ts";

const html = "<html><head><title>404 Not Found</title></head></html>";
const page = (type: string, body: string): Response => plain(404, body, { "Content-Type": type });
const pages: readonly (readonly [what: string, page: Response])[] = [
  ["by its type", page("text/html", html)],
  // The default 404 of a Go server, or of an ingress without a backend.
  ["as plain text", page("text/plain", "404 page not found\n")],
  // JSON, but not an object as in the server's own errors.
  ["that is its number alone", page("text/plain", "404")],
  ["without a word", page("text/html", "")],
  ["with a message of its own", json(404, { message: "no Route matched with those values" })],
  ["of a framework", json(404, { message: "Route GET:/x not found", statusCode: 404 })],
  ["with another object", json(404, { error: "route not found" })],
  ["that is called JSON", page("application/json", html)],
];

const [live, other] = [tokenValue(1), tokenValue(2)];
const tokens = `${live}\n${other}\n`;
/** Each job with one item that is there, and one that is answered with a 404. */
const jobs: readonly (readonly [words: string, input: string, code: number])[] = [
  ["token revoke --yes", tokens, 0],
  ["token revoke-grant --yes", tokens, 0],
  ["token check", tokens, 9],
  ["grant delete 1 2 --yes", "", 0],
  ["authorization delete 1 2 --yes", "", 0],
];

/** A server with the first item, that gives this answer about the second. */
const about = (answer: Response) =>
  on("ALL /*", ({ method, path }) => {
    if (path.endsWith(other) || path.endsWith("/2")) return answer.clone();
    if (method === "DELETE") return plain(204);
    if (path.includes("?")) return json(200, [authorizationJson({ id: 9 })]);
    return json(200, path.includes("/tokens/") ? checkedJson(live) : authorizationJson({ id: 9 }));
  });

/** The status of the second item. */
const statusOf = (stdout: string): string | undefined =>
  stdout
    .split("\n")
    .find((line) => /\t(?:2$|0*2)/.test(line))
    ?.split("\t")[0];

test.for(jobs)(
  "%s: what is not found, among items that are, is gone",
  async ([words, input, code], { grantctl, serve }) => {
    await serve(about(json(404, { message: "Not Found" })));
    const done = await grantctl(`${words} --concurrency 1`, { input });
    expect([done.code, statusOf(done.stdout)]).toEqual([code, "not-found"]);
  },
);

/** Each page in answer to two of the jobs, in turn. */
const pairs = pages.flatMap(([what, answer], turn) =>
  [0, 3].map((more) => {
    const [words = "", input = ""] = jobs[(turn + more) % jobs.length] ?? [];
    return { what, answer, words, input };
  }),
);

test.for(pairs)(
  "$words: a 404 of a gateway, $what, proves nothing",
  async ({ answer, words, input }, { grantctl, serve }) => {
    await serve(about(answer));
    const done = await grantctl(`${words} --concurrency 1`, { input });
    expect([done.code, statusOf(done.stdout)]).toEqual([9, "unproven"]);
  },
);
