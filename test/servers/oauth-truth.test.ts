// The built grantctl at third-party OAuth 2.0 servers: its report about each kind of token before and after a
// revocation, compared with the server's own store afterwards.
import { writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import type { SandboxOptions } from "../../src/sandbox/sandbox.ts";
import { fault, openAccount } from "../support/account.ts";
import { runMain } from "../support/test-host.ts";
import { unfinishedJob } from "../support/killed-program.ts";
import { inFull, soakStep } from "../support/soak.ts";
import { makeFolder } from "../support/state-folder.ts";
import { rowsOf, tabulate, worldOf } from "./grantctl-rows.ts";
import {
  type Application,
  type OAuthServer,
  plainApplication,
  type ProviderOptions,
  startLiar,
  startOidcProvider,
} from "./oauth-servers.ts";

const odd = { id: "odd:id&x", secret: "p%+~ :=/?" };

test.each<readonly [string, ProviderOptions, Readonly<Record<string, string>>]>([
  ["Basic", {}, {}],
  ["post", { own: { ...plainApplication, auth: "post" } }, { GRANTCTL_CLIENT_AUTH: "post" }],
  ["special characters with Basic", { own: { ...odd, auth: "basic" } }, {}],
  ["special characters with post", { own: { ...odd, auth: "post" } }, { GRANTCTL_CLIENT_AUTH: "post" }],
  ["an issuer with a path", { path: "/realms/main" }, {}],
])("oidc-provider, %s: only the client's own tokens are revoked", async (_, options, variables) => {
  const server = await startOidcProvider(options);
  const tokens = {
    access: await server.issue("access", server.own),
    refresh: await server.issue("refresh", server.own),
    jwt: await server.issue("jwt", server.own),
    foreign: await server.issue("access", server.other),
    unknown: "no-such-token",
  };
  expect(await tabulate(server, Object.values(tokens), variables)).toEqual([
    ["active", "revoked", false],
    ["active", "revoked", false],
    // The server neither introspects nor revokes a JWT.
    ["unproven", "failed", true],
    ["failed", "failed", true],
    // Its text has no form of a token of this server.
    ["unproven", "unproven", false],
  ]);
  const sent = (part: string): number => server.requests.filter((line) => line.includes(part)).length;
  // Once per run, at two locations for an issuer with a path.
  expect(sent("/.well-known/")).toBe(options.path === undefined ? 2 : 4);
  // Each once in the check, before its revocation and after it, and once more while it is inactive; the first also to find
  // an active one.
  expect([sent("/token/introspection"), sent("/token/revocation")]).toEqual([6 + 1 + 6 + 6, 4]);
});

test("oidc-provider that hides tokens: all are revoked, and none is reported as revoked", async () => {
  const server = await startOidcProvider({ hidesTokens: true });
  const tokens = [
    await server.issue("access", server.own),
    await server.issue("refresh", server.own),
    await server.issue("access", server.other),
    "no-such-token",
  ];
  expect(await tabulate(server, tokens)).toEqual([
    ["unproven", "unproven", false],
    ["unproven", "unproven", false],
    ["unproven", "unproven", true],
    ["unproven", "unproven", false],
  ]);
});

test("oauth2-mock-server: a token that stays active after a 200 is not reported as revoked", async () => {
  const server = await startLiar();
  expect(await tabulate(server, ["one-token", "another-token"])).toEqual([
    ["active", "failed", true],
    ["active", "failed", true],
  ]);
});

/** The sandbox's own applications and tokens; `isActive` is its response to the first application. */
async function openSandbox(
  options: Partial<SandboxOptions>,
): Promise<Pick<OAuthServer, "issuer" | "own" | "isActive"> & { readonly tokens: readonly string[] }> {
  const { sandbox } = await openAccount({ serverType: "oauth", ...options });
  onTestFinished(() => sandbox.close());
  const { base_url: issuer, client_id: id, client_secret: secret, tokens } = sandbox.description;
  const own: Application = { id, secret, auth: "basic" };
  return {
    issuer,
    own,
    tokens: tokens.map(({ token }) => token),
    isActive: async (token) => {
      const body = new URLSearchParams({ token, client_id: id, client_secret: secret });
      const ask = async (): Promise<boolean | undefined> => {
        const response = await fetch(`${issuer}/oauth/introspect`, { method: "POST", body });
        return ((await response.json()) as { active?: boolean }).active;
      };
      // Retries, because the sandbox's faults affect this request, too.
      let active: boolean | undefined;
      while (active === undefined) active = await ask().catch(() => undefined);
      return active;
    },
  };
}

test("the sandbox, own tokens", async () => {
  const server = await openSandbox({});
  // One by one, because revoking a refresh token also revokes its access token.
  expect(await tabulate(server, server.tokens, {}, ["--concurrency", "1"])).toEqual(
    Array.from({ length: 4 }, () => ["active", "revoked", false]),
  );
});

/** A server in front of another that reports success for one revocation in ten without passing it on. */
async function ignoreRevocations(target: string, seed: number): Promise<string> {
  let revocations = seed;
  let issuer = "";
  const pass = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(message);
    if (message.url === "/oauth/revoke" && ++revocations % 10 === 0) {
      response.writeHead(200).end();
      return;
    }
    const { method = "", headers } = message;
    const answer = await fetch(`${target}${message.url}`, {
      method,
      headers: {
        ...(headers.authorization === undefined ? {} : { authorization: headers.authorization }),
        "content-type": headers["content-type"] ?? "",
      },
      ...(body === "" ? {} : { body }),
    });
    const received = await answer.text();
    const kept = ["content-type", "retry-after"].map((name) => [name, answer.headers.get(name) ?? ""]);
    response
      .writeHead(answer.status, Object.fromEntries(kept.filter(([, value]) => value !== "")))
      .end(received.replaceAll(target, issuer));
  };
  // A response that the target has cut off is cut off here, too.
  const front = createServer((message, response) => {
    pass(message, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => void front.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    front.closeAllConnections();
    front.close();
  });
  issuer = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
  return issuer;
}

test.each(inFull([1], soakStep === 1 ? [1, 2, 3, 4, 5] : [2, 4]))(
  "faults and ignored revocations, seed %i: never overstates a result, and repeating revokes every token",
  { tags: "soak" },
  async (seed) => {
    const sandbox = await openSandbox({
      authorizations: inFull(12, 60),
      seed,
      faults: [fault("drop-answer=0.05"), fault("status=503:0.04"), fault("status=429:0.04")],
    });
    const server = { ...sandbox, issuer: await ignoreRevocations(sandbox.issuer, seed) };
    // The last sign-in's access token and refresh token: without proof, a run that finds only tokens that earlier runs
    // revoked cannot tell them from hidden ones.
    const proof = join(makeFolder(), "proof");
    writeFileSync(proof, server.tokens.slice(-2).join("\n"));
    const tokens = server.tokens.slice(0, -2);
    const environment = worldOf(server);
    const codes: (number | null)[] = [];
    while (codes.at(-1) !== 0 && codes.length < 30) {
      const job = await unfinishedJob(environment);
      const resume = job === null ? [] : ["--resume", job];
      const words = ["token", "revoke", "--yes", "--json", "--proof-token-file", proof, ...resume];
      const done = await runMain(words, { environment, input: tokens.join("\n") });
      codes.push(done.code);
      const active: string[] = [];
      for (const token of tokens) if (await server.isActive(token)) active.push(token.slice(-8));
      const claims = rowsOf(done).filter(({ status }) => ["revoked", "inactive"].includes(status));
      const wrong = claims.filter(({ token_last_eight }) => active.includes(token_last_eight));
      expect([wrong, done.code === 0 ? active : []]).toEqual([[], []]);
    }
    expect(codes.at(-1)).toBe(0);
    // Success, a server failure, an incomplete job, an invalid response, an unknown result.
    expect([0, 8, 9, 1, 13]).toEqual(expect.arrayContaining(codes));
  },
);

/** A file with an active token of each type. */
async function makeProof(server: OAuthServer) {
  const proof = join(makeFolder(), "proof");
  const tokens = [await server.issue("access", server.own), await server.issue("refresh", server.own)];
  writeFileSync(proof, tokens.join("\n"));
  return { proof, tokens };
}

test("proof tokens of both types that the server shows prove the others; hidden ones prove nothing", async () => {
  for (const [hidesTokens, code, isActive] of [
    [false, 0, false],
    [true, 9, false],
  ] as const) {
    const server = await startOidcProvider({ hidesTokens });
    const { proof, tokens } = await makeProof(server);
    const token = await server.issue("refresh", server.own);
    const run = {
      environment: worldOf(server),
      input: `${token}\n${"no-such-token".padEnd(token.length, "-")}\n`,
    };
    const words = ["token", "revoke", "--yes", "--proof-token-file", proof];
    expect([(await runMain(words, run)).code, await server.isActive(token)]).toEqual([code, isActive]);
    for (const each of tokens) expect(await server.isActive(each)).toBe(true);
  }
});

test("login stores only a correct secret, and doctor reports if tokens are visible to this client", async () => {
  for (const [hidesTokens, code] of [
    [false, 0],
    [true, 9],
  ] as const) {
    const server = await startOidcProvider({ path: "/realms/main", hidesTokens });
    const { GRANTCTL_CLIENT_SECRET: secret = "", ...environment } = worldOf(server);
    const login = ["auth", "login", "--app", "--store", "file", "--client-secret-stdin"];
    expect((await runMain(login, { environment, input: "wrong" })).code).toBe(4);
    expect((await runMain(login, { environment, input: secret })).code).toBe(0);
    // The profile has the server's URL from here on.
    const { GRANTCTL_STATE_DIR = "", GRANTCTL_CONFIG_DIR = "" } = environment;
    const stored = { GRANTCTL_STATE_DIR, GRANTCTL_CONFIG_DIR };
    const token = await server.issue("access", server.own);
    expect((await runMain(["token", "check"], { environment: stored, input: token })).code).toBe(code);
    const proof = join(makeFolder(), "proof");
    writeFileSync(proof, token);
    const doctor = await runMain(["doctor", "--json", "--proof-token-file", proof], { environment: stored });
    const findings = JSON.parse(doctor.stdout) as readonly { check: string; status: string }[];
    const statusOf = (name: string): string | undefined =>
      findings.find(({ check }) => check === name)?.status;
    expect(["server type", "application"].map(statusOf)).toEqual(["fine", hidesTokens ? "note" : "fine"]);
  }
});
