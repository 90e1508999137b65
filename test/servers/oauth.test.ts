// `--server-type oauth`: check, revoke and inspect at OAuth 2.0 servers, honest and hostile. Requests are counted, and
// reports are compared with the server's own state.
import { describe, expect } from "vitest";
import { json, plain, type ServedRequest } from "../support/serve.ts";
import { at, dead, endpoints, live, metadataOf, statesOf, test } from "./arranged-server.ts";

const ofJson = { "Content-Type": "application/json" };

describe("check", () => {
  test.for([
    [
      "a web page",
      { answers: at("/introspect", plain(200, "<html>", { "Content-Type": "text/html" })) },
      live,
      1,
    ],
    ["a JWT", { answers: at("/introspect", plain(200, "eyJhbGciOiJub25lIn0.e30.", ofJson)) }, live, 1],
    [
      "absurd dates",
      { answers: at("/introspect", json(200, { active: true, exp: 1e300, iat: "soon" })) },
      live,
      0,
    ],
    ["no such path", { answers: at("/introspect", json(404, {})) }, live, 9],
    [
      "wrong credentials as 400",
      { answers: at("/introspect", json(400, { error: "invalid_client" })) },
      live,
      4,
    ],
    ["a redirect", { answers: at("/introspect", plain(302, "", { location: "/x" })) }, live, 1],
  ] as const)("%s", async ([, arranged, token, code], { arrange }) => {
    const server = await arrange(arranged);
    const done = await server.run("token check", { input: token });
    expect([done.code, done.stdout.startsWith("active\t")]).toEqual([code, code === 0]);
    expect(new Set(endpoints(server))).toEqual(new Set(["POST /introspect"]));
  });

  test("several tokens: another client's is rejected, an inactive one is gone only if a token was active", async ({
    arrange,
  }) => {
    const server = await arrange({ answers: isForeign });
    const proven = await server.run("token check", { input: `${live}\n${dead}\nforeign-token-11\n` });
    expect([proven.code, statesOf(proven.stdout)]).toEqual([9, ["active", "inactive", "failed"]]);
    const unproven = await server.run("token check", { input: `${dead}\nforeign-token-11\n` });
    expect([unproven.code, statesOf(unproven.stdout)]).toEqual([9, ["unproven", "failed"]]);
  });
});

describe("revoke", () => {
  test.for([
    ["active before, inactive after", {}, live, 0, "revoked", "irii"],
    ["a 5xx: unknown", { answers: at("/revoke", plain(503)) }, live, 13, "unknown", "ir"],
    ["still active", { answers: at("/revoke", plain(200)) }, live, 1, "failed", "iri"],
  ] as const)("%s", async ([, arranged, token, code, status, sent], { arrange }) => {
    const server = await arrange(arranged);
    const done = await server.run("token revoke --yes", { input: token });
    expect(done).toMatchObject({ code, stdout: expect.stringMatching(`^${status}\t\\S+\n$`) as string });
    const paths = { i: "POST /introspect", r: "POST /revoke" } as const;
    expect(endpoints(server)).toEqual(sent.split("").map((letter) => paths[letter as "i" | "r"]));
  });

  test("a job with proof by active tokens reports inactive ones as already gone, and never relies on a 200", async ({
    arrange,
  }) => {
    const tokens = Array.from({ length: 12 }, (_, index) => `at_number-${10 + index}`);
    const server = await arrange({ active: tokens.slice(0, 3) });
    // One that is active is kept for last, to vouch for the others.
    const done = await server.run("token revoke --yes", { input: tokens.join("\n") });
    const inactive = Array.from({ length: 9 }, () => "inactive");
    expect([done.code, statesOf(done.stdout)]).toEqual([0, ["revoked", "revoked", ...inactive, "revoked"]]);
    const none = await server.run("token revoke --yes", { input: tokens.join("\n") });
    expect([none.code, new Set(statesOf(none.stdout))]).toEqual([9, new Set(["unproven"])]);
  });

  test("a text whose revocation was only accepted does not show the form of a token", async ({ arrange }) => {
    const server = await arrange({
      answers: ({ path }, token) =>
        path === "/introspect" && token === "at_garbage-1" ? plain(500) : undefined,
    });
    const input = `at_garbage-1\nat_garbage-2\n${live}`;
    const done = await server.run("token revoke --yes --concurrency 1", { input });
    expect([done.code, statesOf(done.stdout)]).toEqual([9, ["accepted", "unproven", "revoked"]]);
  });

  test("a resumed job sends a refused revocation again, and none that was accepted of an inactive token", async ({
    arrange,
  }) => {
    const [hidden, refused, cached] = ["at_hidden", `${live}2`, `${live}3`];
    let isFirst = true;
    const server = await arrange({
      active: [live, refused],
      answers({ path }, token) {
        if (path === "/introspect" && token === cached) return json(200, { active: isFirst });
        if (path !== "/revoke" || !isFirst) return undefined;
        return token === live ? plain(500) : json(200, { ok: token !== refused });
      },
    });
    const world = { input: [hidden, live, refused, cached].join("\n") };
    const words = "token revoke --yes --concurrency 1";
    const done = await server.run(words, world);
    expect([done.code, statesOf(done.stdout)]).toEqual([13, ["unproven", "failed", "failed", "unknown"]]);
    isFirst = false;
    const id = /--resume ([\w-]+)/.exec(done.stderr)?.[1] ?? "";
    const resumed = await server.run(`${words} --resume ${id}`, world);
    const states = ["unproven", "revoked", "inactive", "revoked"];
    expect([resumed.code, statesOf(resumed.stdout)]).toEqual([9, states]);
    const sent = server.requests.filter(({ path }) => path === "/revoke").map(({ body }) => body);
    const tokens = [hidden, refused, cached, live, refused, live];
    expect(sent).toEqual(tokens.map((token) => `token=${token}`));
    expect((await server.run("recover list", world)).stdout).toBe("");
  });

  test("a resumed job sends no accepted revocation again if the introspection is not available any more", async ({
    arrange,
  }) => {
    let isFirst = true;
    const server = await arrange({
      answers({ path }, token) {
        if (path === "/introspect") return isFirst ? json(200, { active: false }) : plain(403);
        return path === "/revoke" && token === live && isFirst ? plain(500) : undefined;
      },
    });
    const world = { input: `at_hidden\n${live}` };
    const done = await server.run("token revoke --yes --concurrency 1", world);
    expect([done.code, statesOf(done.stdout)]).toEqual([13, ["unproven", "unknown"]]);
    isFirst = false;
    const id = /--resume ([\w-]+)/.exec(done.stderr)?.[1] ?? "";
    const resumed = await server.run(`token revoke --yes --resume ${id}`, world);
    expect([resumed.code, statesOf(resumed.stdout)]).toEqual([9, ["unproven", "accepted"]]);
    const sent = server.requests.filter(({ path }) => path === "/revoke").map(({ body }) => body);
    expect(sent).toEqual(["at_hidden", live, live].map((token) => `token=${token}`));
  });

  test("after the first 400 about an inactive token, no other inactive one is sent", async ({ arrange }) => {
    const server = await arrange({ answers: at("/revoke", json(400, { error: "invalid_request" })) });
    const input = `${dead}\n${dead}2\n${dead}3`;
    const done = await server.run("token revoke --yes --concurrency 1", { input });
    expect([done.code, new Set(statesOf(done.stdout))]).toEqual([9, new Set(["unproven"])]);
    expect(done.stderr).toMatch(/hint: Revocations were sent (?!.*nothing was changed)/i);
    expect(endpoints(server).filter((line) => line === "POST /revoke")).toHaveLength(1);
  });

  test("a public client sends its ID alone, and introspection can be turned off", async ({ arrange }) => {
    const server = await arrange();
    const words = "GRANTCTL_CLIENT_AUTH=none GRANTCTL_INTROSPECTION_PATH=none token revoke --yes";
    const done = await server.run(words, { input: live, environment: { GRANTCTL_CLIENT_SECRET: "" } });
    expect([done.code, statesOf(done.stdout), endpoints(server)]).toEqual([
      0,
      ["accepted"],
      ["POST /revoke"],
    ]);
    const sent = server.requests.at(-1);
    expect(sent?.headers["authorization"]).toBeUndefined();
    expect([...new URLSearchParams(sent?.body).keys()]).toEqual(["token", "client_id"]);
  });
});

describe("metadata", () => {
  const elsewhere = "https://attacker.example";
  test.for([
    ["another issuer", { metadata: () => metadataOf(elsewhere) }, 1],
    ["not JSON", { answers: at("/.well-known/", plain(200, "<html>", ofJson)) }, 1],
    ["no issuer", { metadata: () => ({}) }, 1],
    ["a redirect", { answers: at("/.well-known/", plain(302, "", { location: `${elsewhere}/x` })) }, 1],
    ["a server error", { answers: at("/.well-known/", plain(500)) }, 8],
    ...[`${elsewhere}/introspect`, "ROOT.attacker.example/introspect"].map(
      (url) =>
        [
          `an endpoint at ${url}`,
          {
            metadata: (root: string) => ({
              ...metadataOf(root),
              introspection_endpoint: url.replace("ROOT", root),
            }),
          },
          2,
        ] as const,
    ),
    ["none at either place", { answers: at("/.well-known/", plain(404)) }, 1],
  ] as const)("%s", async ([, arranged, code], { arrange }) => {
    const server = await arrange(arranged);
    const check = await server.run("token check", { input: live });
    expect([check.code, check.stdout.split("\t")[0], endpoints(server)]).toEqual([code, "failed", []]);
    // Without an introspection, a revocation is not verified.
    const revocation = await server.run("token revoke --yes", { input: live });
    const isAccepted = code === 2;
    expect([revocation.code, revocation.stdout.split("\t")[0]]).toEqual(
      isAccepted ? [0, "accepted"] : [code, "failed"],
    );
    expect(endpoints(server)).toEqual(isAccepted ? ["POST /revoke"] : []);
    for (const { headers } of server.requests.filter(({ path }) => path !== "/revoke"))
      expect(headers["authorization"]).toBeUndefined();
  });

  test.for<[string, Response]>([
    ["a web page", plain(200, "<html>", ofJson)],
    ["400", plain(400)],
    ["401", plain(401)],
    ["403", plain(403)],
    ["500", plain(500)],
    ["a redirect", plain(302, "", { location: "/login" })],
    ["another issuer", json(200, { issuer: "https://other.example" })],
  ])("at the second place, after %s at the first", async ([, first], { arrange }) => {
    const server = await arrange({
      answers: ({ path, headers }) => {
        const host = String(headers.host);
        const document = { ...metadataOf(`http://${host}`), issuer: `http://${host}/` };
        if (path.endsWith("openid-configuration")) return json(200, document);
        return path.includes("well-known") ? first : undefined;
      },
    });
    expect((await server.run("token check", { input: live })).code).toBe(0);
    const url = `${server.root}/.well-known/openid-configuration`;
    expect((await server.run(`token check --base-url ${url}`, { input: live })).code).toBe(0);
  });
});

describe("inspect", () => {
  test.for([
    ["alive without the scope", plain(403, "", bearer("insufficient_scope")), 0, "active"],
    ["no such endpoint", json(404, {}), 1, ""],
    ["a signed JWT", plain(200, "eyJhbGciOiJub25lIn0.e30.", ofJson), 1, ""],
  ] as const)("%s", async ([, answer, code, state], { arrange }) => {
    const server = await arrange({ answers: at("/userinfo", answer) });
    const done = await server.run("token inspect --json status", { input: live });
    expect(done.code).toBe(code);
    expect(JSON.parse(done.stdout)).toEqual([{ status: state === "" ? "unknown" : state }]);
    const [request] = server.requests.slice(-1);
    expect([request?.path, request?.headers["authorization"]]).toEqual(["/userinfo", `Bearer ${live}`]);
  });
});

test("no part of the token or the secret is in --debug output, errors or the URL, with basic or post", async ({
  arrange,
}) => {
  const secret = "p%+~ :=/?sécret".replace("é", "e");
  const token = "to+ken/with.signs~1234==";
  for (const method of ["basic", "post"]) {
    const server = await arrange({ answers: echo });
    const done = await server.run(`GRANTCTL_CLIENT_AUTH=${method} token check --debug`, {
      input: token,
      environment: { GRANTCTL_CLIENT_SECRET: secret, GRANTCTL_CLIENT_ID: "odd:id&x" },
    });
    const text = done.stderr + done.stdout;
    for (const part of [secret, token, encodeURIComponent(secret), encodeURIComponent(token), "p%25%2B%7E"])
      expect(text).not.toContain(part);
    expect(done.code).toBe(9);
    const sent = server.requests.find(({ path }) => path === "/introspect");
    const form = Object.fromEntries(new URLSearchParams(sent?.body));
    const basic = `Basic ${Buffer.from("odd%3Aid%26x:p%25%2B%7E+%3A%3D%2F%3Fsecret").toString("base64")}`;
    expect([form, sent?.headers["authorization"]]).toEqual(
      method === "basic"
        ? [{ token }, basic]
        : [{ token, client_id: "odd:id&x", client_secret: secret }, undefined],
    );
  }
});

test.for([
  [131_072, 0],
  [131_073, 2],
] as const)("a token of %d characters", async ([length, code], { arrange }) => {
  const token = "t".repeat(length);
  const server = await arrange({ active: [token] });
  expect((await server.run("token check", { input: token })).code).toBe(code);
});

function isForeign(request: ServedRequest, token: string): Response | undefined {
  return request.path === "/introspect" && token === "foreign-token-11"
    ? json(200, { active: true, client_id: "another" })
    : undefined;
}

function bearer(error: string): Readonly<Record<string, string>> {
  return { "www-authenticate": `Bearer realm="x", error="${error}"` };
}

/** A server that repeats the body in its error, encoded and decoded. */
function echo({ path, body }: ServedRequest): Response | undefined {
  const description = `${body} ${decodeURIComponent(body.replaceAll("+", " "))}`;
  return path === "/introspect"
    ? json(400, { error: "invalid_request", error_description: description })
    : undefined;
}
