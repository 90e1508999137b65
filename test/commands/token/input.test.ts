// Text that is no token.
import { expect } from "vitest";
import { test } from "../../support/grantctl.ts";
import { checkedJson, tokenValue } from "../../support/resources.ts";
import { json, on } from "../../support/serve.ts";

const [first, second] = [tokenValue(1), tokenValue(2)] as const;
const both = on("GET /applications/:client/tokens/:token", ({ path }) =>
  json(200, checkedJson(path.split("/").at(-1) ?? "")),
);

test.for([
  ["a control character", "tok\u0007en-hush-hush"],
  ["NUL", "tok\u0000en-hush-hush"],
  ["text beyond ASCII", "tökén-hush-hush"],
  ["nine kilobytes", "hush-hush".repeat(1_000)],
  ["a number in place of the token", '{"token":{"hush-hush":1}}'],
  ["an empty token", '{"token":""}'],
] as const)("%s in line 3 is 2, and only its line is named", async ([, line], { grantctl, serve }) => {
  const server = await serve(both);
  const run = await grantctl("token check", { input: `${first}\n\n${line}\n${second}\n` });
  expect([run.code, run.stdout, server.lines()]).toEqual([2, "", []]);
  expect(run.stderr).toContain("line 3");
  expect(run.stderr).not.toMatch(/hush|en-|öké/);
});
