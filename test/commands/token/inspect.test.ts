// `grantctl token inspect`: which 401 means that a token is inactive.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { test } from "../../support/grantctl.ts";
import { cut, json, on, plain } from "../../support/serve.ts";
import { checkedJson, tokenValue } from "../../support/resources.ts";

const input = "abababababababababababababababab00000001\n";

test.for([
  [
    "the service's own words",
    { "WWW-Authenticate": 'Basic realm="service"' },
    '{"message":"Bad credentials"}',
    3,
  ],
  // The response of an Enterprise Server in private mode to a revoked token and to requests without one.
  ["private mode", {}, '{"message":"Must authenticate to access this API.","documentation_url":"x"}', 3],
  ["more words", {}, '{"message":"Bad credentials. The API can\'t be accessed using …"}', 3],
  [
    "a page of a gateway",
    { "WWW-Authenticate": "Negotiate", "Content-Type": "text/html" },
    "<html>401</html>",
    4,
  ],
  ["a one-time password", { "X-Service-OTP": "required; app" }, '{"message":"Must specify …"}', 4],
  // The response of nginx with auth_request.
  ["a page without a challenge", { "Content-Type": "text/html" }, "<html>401</html>", 4],
  ["a page that is called JSON", { "Content-Type": "application/json" }, "<html>401</html>", 4],
  // A proxy that does not pass the Authorization header.
  ["the token lost on the way", {}, '{"message":"Requires authentication"}', 4],
  ["an API gateway's JSON", {}, '{"message":"Unauthorized"}', 4],
  ["another form of error", {}, '{"error":"invalid_token","error_description":"Bad credentials"}', 4],
  ["nothing", {}, "", 4],
] as const)("a 401 with %s", async ([, headers, body, code], { grantctl, serve }) => {
  await serve(on("GET /user", plain(401, body, headers)));
  const run = await grantctl("token inspect --jq .[].status", { input });
  expect([run.code, run.stdout]).toEqual([code, code === 3 ? "inactive\n" : "unknown\n"]);
});

test("a resumed job inspects what an earlier run found to be gone, too", async ({
  folder,
  grantctl,
  serve,
}) => {
  const [proof, active, gone] = [tokenValue(1), tokenValue(2), `ghp_${"a1B2".repeat(9)}`];
  writeFileSync(join(folder, "proof"), proof);
  const answers = [cut(), plain(204)];
  await serve(
    on("GET /user", json(200, { login: "mallory" })),
    on("ALL /*", ({ method, path }) => {
      if (path.endsWith(gone)) return json(404, { message: "Not Found" });
      return (method === "DELETE" && answers.shift()) || json(200, checkedJson(path.slice(-40)));
    }),
  );
  const words = ["token", "revoke", "--yes", "--proof-token-file", join(folder, "proof")];
  const both = { input: `${gone}\n${active}` };
  const { stderr } = await grantctl(words, both);
  const again = await grantctl([...words, "--resume", /--resume (\S+)`/.exec(stderr)?.[1] ?? ""], both);
  expect([again.code, again.stderr]).toEqual([9, expect.stringContaining("1 token still active elsewhere")]);
});

test("of more than 100 tokens that the application does not have, the others are counted", async ({
  folder,
  grantctl,
  serve,
}) => {
  const [proof = "", ...leaked] = Array.from({ length: 104 }, (_, index) => tokenValue(index));
  writeFileSync(join(folder, "proof"), proof);
  const report = leaked.map((Secret) => ({ RuleID: "generic-api-key", Secret, File: "a", StartLine: 1 }));
  await serve(
    on("GET /user", plain(401, '{"message":"Bad credentials"}')),
    on("ALL /*", ({ path }) =>
      path.endsWith(proof) ? json(200, checkedJson(proof)) : json(404, { message: "Not Found" }),
    ),
  );
  const words = ["token", "check", "--proof-token-file", join(folder, "proof")];
  const { code, stderr } = await grantctl(words, { input: JSON.stringify(report) });
  expect(stderr).toMatch(/^grantctl: 3 tokens not inspected; none of the 103 tokens is an active token of /m);
  expect(code).toBe(9);
});
