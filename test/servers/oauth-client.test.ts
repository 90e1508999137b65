// How a client of an OAuth 2.0 server authenticates at each endpoint, and how configured paths work without metadata.
import type { IncomingMessage } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished } from "vitest";
import { createCertificateMaker, hasOpenssl } from "../support/certificates.ts";
import { makeConfigurationFolder } from "../support/configuration.ts";
import { json, plain, type ServedRequest, type Server } from "../support/serve.ts";
import {
  at,
  endpoints,
  live,
  metadataOf,
  statesOf,
  test,
  type Arranged,
  type ArrangedServer,
} from "./arranged-server.ts";

/** The endpoint and the method of a request to one: `/revoke post`. */
function methodOf({ path, headers, body }: ServedRequest): string {
  const isBasic = headers["authorization"] !== undefined;
  const isPost = new URLSearchParams(body).has("client_secret");
  return `${path} ${isBasic && isPost ? "both" : isBasic ? "basic" : isPost ? "post" : "none"}`;
}

function methods(server: Server): readonly string[] {
  const sent = server.requests.filter(({ path }) => !path.includes("well-known")).map(methodOf);
  return [...new Set(sent)];
}

const [basic, post, jwt] = ["client_secret_basic", "client_secret_post", "private_key_jwt"];

test.for<readonly [readonly string[] | undefined, readonly string[] | undefined, string, number, string]>([
  [undefined, undefined, "token revoke --yes", 0, "/introspect basic, /revoke basic"],
  [[post], undefined, "token revoke --yes", 0, "/introspect post, /revoke basic"],
  [undefined, [post], "token revoke --yes", 0, "/introspect basic, /revoke post"],
  [[basic], [post], "token revoke --yes", 0, "/introspect basic, /revoke post"],
  [[post, jwt], [jwt, post, basic], "token revoke --yes", 0, "/introspect post, /revoke basic"],
  [[basic], [post], "GRANTCTL_CLIENT_AUTH=post token revoke --yes", 0, "/introspect post, /revoke post"],
  [[jwt], [jwt], "GRANTCTL_CLIENT_AUTH=basic token revoke --yes", 0, "/introspect basic, /revoke basic"],
  [undefined, [jwt], "token check", 0, "/introspect basic"],
  [undefined, [jwt], "token revoke --yes", 2, ""],
  [undefined, [jwt], "token revoke --dry-run", 2, ""],
  [[jwt, jwt], [post], "token check", 2, ""],
  [[jwt], [post], "token revoke --yes", 0, "/revoke post"],
  [[jwt], [post], "GRANTCTL_CLIENT_AUTH=post token revoke --yes", 0, "/introspect post, /revoke post"],
])("methods %j and %j: %s", async ([introspection, revocation, words, code, sent], { arrange }) => {
  const server = await arrange({
    metadata: (root) => ({
      ...metadataOf(root),
      introspection_endpoint_auth_methods_supported: introspection,
      revocation_endpoint_auth_methods_supported: revocation,
    }),
  });
  const done = await server.run(words, { input: live });
  expect([done.code, methods(server).join(", ")]).toEqual([code, sent]);
  // Also in the warning about an introspection that is not available.
  const isNamed = code === 2 || !methods(server).join().includes("introspect");
  expect(done.stderr.match(/private_key_jwt/g)?.length ?? 0).toBe(isNamed ? 1 : 0);
});

const foreignIssuer: Arranged = { metadata: () => metadataOf("https://attacker.example") };
const failing: Arranged = { answers: at("/.well-known/", plain(500)) };
const none: Arranged = { answers: at("/.well-known/", plain(404)) };
const check = "GRANTCTL_INTROSPECTION_PATH=/introspect token check";
const revoke = "GRANTCTL_REVOCATION_PATH=/revoke token revoke --yes";

test.for<readonly [string, Arranged, string, number, readonly string[]]>([
  ["a foreign issuer", foreignIssuer, check, 0, ["introspect"]],
  ["a server error", failing, check, 0, ["introspect"]],
  ["no metadata", none, check, 0, ["introspect"]],
  [
    "metadata without that path",
    {},
    "GRANTCTL_INTROSPECTION_PATH=/introspect?x=1 token check",
    9,
    ["introspect?x=1"],
  ],
  ["a foreign issuer", foreignIssuer, revoke, 0, ["revoke"]],
  // The introspection endpoint that the metadata may name fails with it.
  ["a server error", failing, revoke, 9, ["revoke"]],
  ["no metadata", none, revoke, 0, ["revoke"]],
  ["metadata", {}, revoke, 0, ["introspect", "revoke", "introspect", "introspect"]],
  ["a foreign issuer", foreignIssuer, "GRANTCTL_REVOCATION_PATH=/revoke token revoke --dry-run", 0, []],
  // The metadata is required.
  ["a foreign issuer", foreignIssuer, "GRANTCTL_REVOCATION_PATH=/revoke token check", 1, []],
  ["a foreign issuer", foreignIssuer, "GRANTCTL_INTROSPECTION_PATH=/introspect token revoke --yes", 1, []],
  ["no metadata", none, "GRANTCTL_INTROSPECTION_PATH=/introspect token revoke --yes", 1, []],
  ["a limit", { answers: at("/.well-known/", plain(429, "", { "Retry-After": "61" })) }, revoke, 8, []],
])("%s: %s %s", async ([, arranged, words, code, sent], { arrange }) => {
  const server = await arrange(arranged);
  const done = await server.run(words, { input: live });
  expect([done.code, endpoints(server)]).toEqual([code, sent.map((name) => `POST /${name}`)]);
  const isAccepted = done.stdout.startsWith("accepted");
  expect(isAccepted).toBe(sent.join(" ") === "revoke");
});

function wellKnownOf({ requests }: Server): readonly string[] {
  return requests.map(({ path }) => path).filter((path) => path.includes("well-known"));
}

async function doctor(
  server: ArrangedServer,
  variables = "",
): Promise<{ code: number; of: (name: string) => unknown }> {
  const { code, stdout } = await server.run(`${variables} doctor --json`.trim(), {
    environment: { GRANTCTL_CONFIG_DIR: makeConfigurationFolder().path },
  });
  const findings = JSON.parse(stdout) as readonly { check: string; status: string; fix: string | null }[];
  return { code, of: (name) => findings.find((finding) => finding.check === name) };
}

test("login and doctor verify a client with a configured path, whatever the metadata contains", async ({
  arrange,
}) => {
  for (const [arranged, codeWithout] of [
    [foreignIssuer, 1],
    [failing, 8],
  ] as const) {
    const server = await arrange(arranged);
    const path = "GRANTCTL_INTROSPECTION_PATH=/introspect";
    for (const [more, code] of [
      [path, 0],
      ["", codeWithout],
    ] as const) {
      const environment = { GRANTCTL_CONFIG_DIR: makeConfigurationFolder().path };
      const login = `${more} auth login --app --store file`.trim();
      expect((await server.run(login, { environment, input: "" })).code).toBe(code);
    }
    const found = await doctor(server, path);
    expect([found.code, found.of("server type"), found.of("application")]).toMatchObject([
      0,
      { status: "note" },
      { status: "fine" },
    ]);
    expect((await doctor(server)).code).toBe(codeWithout);
  }
});

test("doctor reads the metadata once, in the order of the RFC, and reports endpoints on other hosts", async ({
  arrange,
}) => {
  const usual = await arrange();
  expect((await doctor(usual)).code).toBe(0);
  expect(wellKnownOf(usual)).toEqual(["/.well-known/oauth-authorization-server"]);
  const without = await arrange({ answers: at("/.well-known/", plain(404)) });
  await doctor(without);
  expect(wellKnownOf(without)).toEqual([
    "/.well-known/oauth-authorization-server",
    "/.well-known/openid-configuration",
  ]);
  const server = await arrange({
    metadata: (root) => ({ ...metadataOf(root), introspection_endpoint: "https://other.example/x" }),
  });
  const found = await doctor(server);
  const fix = expect.stringContaining("introspection_path") as unknown;
  expect([found.code, found.of("application")]).toMatchObject([0, { status: "note", fix }]);
  expect((await doctor(server, "GRANTCTL_INTROSPECTION_PATH=/introspect")).code).toBe(0);
});

test.skipIf(!hasOpenssl)(
  "an endpoint that the user has configured may be at another origin, which gets only the client's credentials",
  async ({ arrange }) => {
    const maker = createCertificateMaker();
    const { key, cert, file } = maker.make("server", { names: "IP:127.0.0.1", isAuthority: true });
    onTestFinished(() => {
      maker.remove();
    });
    const received: IncomingMessage[] = [];
    const elsewhere = createServer({ key, cert }, (request, response) => {
      received.push(request);
      response.writeHead(200, { "Content-Type": "application/json" }).end('{"active":true}');
    });
    await new Promise<void>((resolve) => void elsewhere.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void elsewhere.close());
    const server = await arrange();
    const { port } = elsewhere.address() as AddressInfo;
    const environment = {
      GRANTCTL_INTROSPECTION_PATH: `https://127.0.0.1:${port}/admin/introspect?x=1`,
      GRANTCTL_HEADERS: "X-Gateway-Key: a-secret",
    };
    const done = await server.run(`token check --ca-cert ${file}`, { input: live, environment });
    expect([done.code, statesOf(done.stdout), endpoints(server)]).toEqual([0, ["active"], []]);
    const [{ url, headers } = {}] = received;
    expect([url, headers?.authorization?.split(" ")[0], headers?.["x-gateway-key"]]).toEqual([
      "/admin/introspect?x=1",
      "Basic",
      undefined,
    ]);
  },
);

test("api sends the client's credentials, and needs no metadata with a token", async ({ arrange }) => {
  const server = await arrange({ answers: () => json(200, {}) });
  const done = await server.run("GRANTCTL_TOKEN=a-token-of-mine api /anything");
  expect([done.code, server.lines()]).toEqual([0, ["GET /anything"]]);
  expect(server.requests[0]?.headers["authorization"]).toBe("Bearer a-token-of-mine");
});
