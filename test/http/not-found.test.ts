// The condition for "gone": a 404 of the server itself. A gateway's page proves nothing. That the credentials must be proven as
// well is in proof.test.ts, and what each command does with it in shapes.test.ts.
import { expect } from "vitest";
import { Failure } from "../../src/errors/errors.ts";
import { isItemNotFound } from "../../src/http/responses.ts";
import { test } from "../support/grantctl.ts";
import { checkedJson, tokenValue } from "../support/resources.ts";
import { json, on, plain } from "../support/serve.ts";

const html = "<html><head><title>404 Not Found</title></head></html>";
const pageOf = (type: string, body: string): Response => plain(404, body, { "Content-Type": type });

test.for<readonly [what: string, answer: Response, isOwn: boolean]>([
  ["with words", json(404, { message: "Not Found" }), true],
  ["without a body", plain(404), true],
  ["with an empty object", json(404, {}), true],
  ["of an OAuth 2.0 server", json(404, { active: false }), true],
  ["that is a page by its type", pageOf("text/html", html), false],
  // The default 404 of a Go server, or of an ingress without a backend.
  ["as plain text", pageOf("text/plain", "404 page not found\n"), false],
  // JSON, but not an object as in the server's own errors.
  ["that is its number alone", pageOf("text/plain", "404"), false],
  ["without a word", pageOf("text/html", ""), false],
  ["with a message of its own", json(404, { message: "no Route matched with those values" }), false],
  ["of a framework", json(404, { message: "Route GET:/x not found", statusCode: 404 }), false],
  ["with another object", json(404, { error: "route not found" }), false],
  ["that is called JSON", pageOf("application/json", html), false],
])("a 404 %s", async ([, answer, isOwn]) => {
  const received = {
    status: 404,
    headers: Object.fromEntries(answer.headers),
    body: Buffer.from(await answer.clone().arrayBuffer()),
  };
  expect(isItemNotFound(new Failure("not-found", "404", { received }))).toBe(isOwn);
});

test("a token that a gateway answers with 404 is not gone", async ({ grantctl, serve }) => {
  const [active, other] = [tokenValue(1), tokenValue(2)];
  await serve(
    on("GET /*", ({ path }) =>
      path.endsWith(other) ? pageOf("text/html", html) : json(200, checkedJson(active)),
    ),
  );
  const done = await grantctl("token check --concurrency 1", { input: `${active}\n${other}\n` });
  expect([done.code, done.stdout]).toEqual([9, expect.stringContaining("\nunproven\t")]);
});
