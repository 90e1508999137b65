// Plants secrets everywhere and then triggers every failure that a server or a user can cause: standard error must not
// contain them, with or without --debug.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { test } from "../support/grantctl.ts";
import { authorizationJson, checkedJson } from "../support/resources.ts";
import { cut, json, on, plain, type ServedRequest } from "../support/serve.ts";
import { inTurn } from "../support/soak.ts";

const planted = {
  password: "canary-PASSWORD/word",
  clientSecret: "canary-SECRET".padEnd(40, "z"),
  token: "canary-TOKEN".padEnd(40, "y"),
  otp: "canary-OTP",
} as const;
const clientId = "0123456789abcdef0123";
const secrets = {
  GRANTCTL_USERNAME: "octavia",
  GRANTCTL_PASSWORD: planted.password,
  GRANTCTL_OTP: planted.otp,
  GRANTCTL_CLIENT_ID: clientId,
  GRANTCTL_CLIENT_SECRET: planted.clientSecret,
  GRANTCTL_TOKEN: planted.token,
};

/** Every form in which a secret could appear. */
const forms = Object.values(planted).flatMap((secret) => [
  secret,
  encodeURIComponent(secret),
  Buffer.from(secret).toString("base64").replace(/=+$/, ""),
]);
const basics = [`octavia:${planted.password}`, `${clientId}:${planted.clientSecret}`].map((pair) =>
  Buffer.from(pair).toString("base64"),
);
const expectClean = (text: string): void => {
  // Not even a part of one.
  expect.soft(text).not.toContain("canary");
  for (const form of [...forms, ...basics]) expect.soft(text).not.toContain(form);
};

/** Everything in a request, as a careless or curious server might echo it. */
const echo = ({ path, headers, body }: ServedRequest): string => `${path} ${JSON.stringify(headers)} ${body}`;

const answers = {
  "404": () => json(404, { message: "Not Found" }),
  "a cut connection": cut,
  "a success without its value": () => json(201, authorizationJson()),
  "a redirect to the same path on another host": ({ path }) =>
    plain(301, "", { Location: `https://elsewhere.test${path}` }),
  "a message that repeats the request": (request) => json(400, { message: echo(request) }),
  "a message that repeats the request, encoded": (request) => {
    const said = echo(request);
    const encoded = [encodeURIComponent(said), JSON.stringify(said), String(new URLSearchParams({ said }))];
    return json(403, { message: encoded.join(" "), errors: encoded });
  },
  "a message that is cut within the request": (request) =>
    json(
      403,
      { message: "x".repeat(970) + request.path.slice(-60) + echo(request) },
      { "X-Request-Id": "y".repeat(970) + request.path },
    ),
  "errors that repeat the request": (request) =>
    json(422, {
      message: "Validation Failed",
      errors: [{ message: echo(request) }, { code: "custom", field: request.path }],
    }),
  "headers that repeat the request": (request) =>
    json(
      403,
      {},
      {
        "X-Request-Id": request.path,
        "X-Service-SSO": `required; url=https://sso.test${request.path}?${String(request.headers["x-service-otp"])}`,
      },
    ),
} satisfies Readonly<Record<string, (request: ServedRequest) => Response>>;

const commands: readonly (readonly string[])[] = [
  ["grant", "list"],
  ["grant", "view", "1"],
  ["grant", "delete", "1", "2", "--yes"],
  ["authorization", "create", "--note", "n", "--client-id", clientId],
  ["authorization", "get-or-create"],
  ["authorization", "update", "1", "--note", "n"],
  ["token", "check"],
  ["token", "reset", "--yes"],
  ["token", "revoke", "--yes"],
  ["token", "revoke-grant", "--yes"],
  ["token", "report", "--server-type", "github", "--yes"],
];

const ofAnswers = Object.entries(answers).map(([name, answer], row) => ({ name, answer, row }));

test.for(ofAnswers)(
  "no secret appears if a server responds with $name",
  { tags: "soak" },
  async (given, { serve, grantctl }) => {
    const server = await serve(on("ALL /*", given.answer));
    let runs = 0;
    for (const [place, words] of inTurn([...commands.entries()], 2, given.row)) {
      for (const flags of inTurn([["--debug"], ["--debug", "--json"]], 2, (given.row + place) >> 1)) {
        runs += 1;
        const run = await grantctl([...words, ...flags], { environment: secrets, input: planted.token });
        expect.soft([words, run.code]).not.toEqual([words, 0]);
        expect.soft(run.stderr).not.toContain("this is a bug");
        expectClean(run.stderr);
        expectClean(run.stdout);
      }
    }
    expect(server.requests.length).toBeGreaterThanOrEqual(runs);
  },
);

const file = join(mkdtempSync(join(tmpdir(), "grantctl-")), "tokens.txt");
writeFileSync(file, `${planted.token}\n${planted.token} ${planted.token}\n`);

test.for([
  [["token", "check", "--token-file", file], {}, ""],
  [["token", "check"], {}, `good-token\n${planted.token} with more`],
  [["token", "check"], {}, `["${planted.token}", `],
  [["token", "check", planted.token], {}, ""],
  [["token", planted.token], {}, ""],
  [["grant", "view", planted.token], {}, ""],
  [["grant", "delete", "-", "--yes"], {}, planted.token],
  [["grant", "list", `--password=${planted.password}`], {}, ""],
  [["grant", "list", "--client-id", planted.token], {}, ""],
  [["grant", "list", "--password-stdin"], {}, `${planted.password}\n${planted.password}`],
  [["api", "/x", "-H", `Authorization: ${planted.password}`], {}, ""],
  [["api", "/x", "-H", planted.token], {}, ""],
  [["grant", "list"], { GRANTCTL_HEADERS: `X-A: ${planted.token}\u0001` }, ""],
  [["grant", "list", "--otp", `${planted.otp} x`], {}, ""],
  [["grant", "list", "--base-url", `http://octavia:${planted.token}@127.0.0.1`], {}, ""],
  [["grant", "list", "--base-url", `http://127.0.0.1/?access_token=${planted.token}`], {}, ""],
  [["grant", "list"], { GRANTCTL_PASSWORD: `${planted.password}\u0001` }, ""],
  [["grant", "list"], { GRANTCTL_OTP: `${planted.otp}\u0001` }, ""],
  [["grant", "list"], { GRANTCTL_CLIENT_ID: planted.token, GRANTCTL_BASE_URL: "" }, ""],
  [["token", "check"], { GRANTCTL_CLIENT_ID: planted.token }, "x"],
  [["token", "check"], { GRANTCTL_CLIENT_SECRET: `${planted.clientSecret}\u0001` }, planted.token],
] as const)("invalid input is not repeated: %j", async ([words, variables, input], { serve, grantctl }) => {
  await serve(on("ALL /*", answers["404"]));
  for (const flags of [["--debug"], ["--debug", "--json"]]) {
    const run = await grantctl([...words, ...flags], { environment: { ...secrets, ...variables }, input });
    expect(run.code).not.toBe(0);
    expectClean(run.stderr);
    expectClean(run.stdout);
  }
});

test("a new value is not shown if a later response repeats it", async ({ serve, grantctl }) => {
  const issued: string[] = [];
  await serve(
    on("GET /*", ({ path }) => json(200, checkedJson(path.slice(-40)))),
    on("POST /*", ({ path }) => {
      if (issued.length > 0) return json(403, { message: `no more after ${issued[0]}` });
      const token = path.slice(-40).replace("TOKEN", "FRESH").replace(/y$/, "z");
      issued.push(token);
      return json(200, authorizationJson({ token }));
    }),
  );
  const run = await grantctl("token reset --yes --concurrency 1", {
    environment: secrets,
    input: [1, 2].map((count) => `canary-TOKEN${count}`.padEnd(40, "y")).join("\n"),
  });
  expect(run.code).toBe(9);
  expect(run.stdout).toContain(issued[0]);
  expect(run.stderr).toContain("no more after [secret]");
});
