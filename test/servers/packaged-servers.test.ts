// What servers from Debian's packages and the npm registry say of each kind of token, and what grantctl reports of it, beside
// the state in the server's own store. They agree only on success; a client must handle each row.
//
//   left   introspection before a revocation, the status of the revocation, introspection after it, the token's real state
//   right  the rows of `token check` and of two revocations, with proof tokens of both types, and the token's real state
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inFull } from "../support/soak.ts";
import { makeFolder } from "../support/state-folder.ts";
import { runMain } from "../support/test-host.ts";
import { rowsOf, worldOf } from "./grantctl-rows.ts";
import type { Application, TokenKind } from "./oauth-servers.ts";
import {
  startDoorkeeper,
  startGlewlwyd,
  startNpm,
  startPython,
  unpack,
  type PackagedServer,
} from "./packaged-servers.ts";

type Start = (skip: (reason: string) => never) => Promise<PackagedServer>;
type Table = Readonly<Partial<Record<TokenKind | "foreign", string>>> & { readonly wrongSecret: string };

const opaque = {
  access: "ours 200 inactive gone; active revoked unproven gone",
  refresh: "ours 200 inactive gone; active revoked unproven gone",
  expired: "inactive 200 inactive gone; unproven unproven unproven gone",
};

const doorkeeper: Table = {
  ...opaque,
  // Hidden, and not revoked: an access token and a refresh token, of which it says the same, vouch for nothing.
  old: "inactive 200 inactive active; unproven unproven unproven active",
  foreign: "inactive 403 inactive active; unproven unproven unproven active",
  wrongSecret: "401 403",
};

const ruby = ["ruby-activerecord", "ruby-sqlite3", "ruby-webrick"];

const cases: readonly (readonly [name: string, start: Start, table: Table])[] = [
  [
    "Glewlwyd",
    (skip) => startGlewlwyd(unpack(["glewlwyd"], skip)),
    {
      // Its access tokens are JWTs, which say their type and their client.
      access: "ours 200 inactive gone; active revoked inactive gone",
      refresh: "ours 200 inactive gone; active revoked inactive gone",
      foreign: "inactive 200 inactive active; unproven unproven unproven active",
      wrongSecret: "401 401",
    },
  ],
  [
    "Django OAuth Toolkit",
    (skip) => startPython("django", unpack(["python3-django-oauth-toolkit"], skip)),
    {
      ...opaque,
      // Introspection reports refresh tokens as inactive from the start; only a revocation deactivates them.
      refresh: "inactive 200 inactive gone; unproven unproven unproven gone",
      old: "inactive 200 inactive gone; unproven unproven unproven gone",
      // The token is revoked by an application that does not own it.
      foreign: "another's 200 inactive gone; failed failed failed active",
      wrongSecret: "403 401",
    },
  ],
  [
    "Authlib",
    (skip) => startPython("authlib", unpack(["python3-authlib", "python3-flask"], skip)),
    {
      ...opaque,
      // Hidden like those of Doorkeeper, but revoked.
      old: "inactive 200 inactive gone; unproven unproven unproven gone",
      foreign: "inactive 200 inactive active; unproven unproven unproven active",
      wrongSecret: "401 401",
    },
  ],
  ["Doorkeeper", (skip) => startDoorkeeper(unpack(["ruby-doorkeeper", ...ruby], skip), false), doorkeeper],
  [
    "Doorkeeper with OpenID",
    (skip) => startDoorkeeper(unpack(["ruby-doorkeeper-openid-connect", ...ruby], skip), true),
    doorkeeper,
  ],
  [
    "better-auth",
    (skip) =>
      startNpm(
        "better-auth.mjs",
        ["better-auth@1.7.25", "@better-auth/oauth-provider@1.7.5", "@better-auth/utils@0.4.2"],
        skip,
      ),
    {
      access: opaque.access,
      refresh: opaque.refresh,
      foreign: "inactive 200 inactive active; unproven unproven unproven active",
      wrongSecret: "401 401",
    },
  ],
  [
    "Cloudflare's workers-oauth-provider",
    (skip) => startNpm("cloudflare.mjs", ["@cloudflare/workers-oauth-provider@1.2.3"], skip),
    // It has no introspection, and accepts revocations of anything.
    {
      access: "- 200 - gone; failed accepted accepted gone",
      refresh: "- 200 - gone; not-tried accepted accepted gone",
      foreign: "- 200 - active; not-tried accepted accepted active",
      wrongSecret: "- 401",
    },
  ],
];

/** Sends a form with the client's credentials. */
const send = (path: string, { issuer }: PackagedServer, { id, secret }: Application, token: string) =>
  fetch(new URL(path, issuer), {
    method: "POST",
    headers: { Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}` },
    body: new URLSearchParams({ token }),
  });

/** "ours", "another's", "inactive", the status of any other response, or "-" without an endpoint. */
async function introspect(server: PackagedServer, application: Application, token: string): Promise<string> {
  const { introspection } = server.paths;
  if (introspection === undefined) return "-";
  const response = await send(introspection, server, application, token);
  if (response.status !== 200) return String(response.status);
  const { active, client_id } = (await response.json()) as { active: boolean; client_id?: string };
  if (!active) return "inactive";
  return client_id === application.id ? "ours" : "another's";
}

const revoke = async (server: PackagedServer, application: Application, token: string): Promise<number> =>
  (await send(server.paths.revocation, server, application, token)).status;

test.runIf(inFull(false, true)).for(cases)("%s", { tags: "soak" }, async ([, start, table], { skip }) => {
  const server = await start(skip);
  const { own, other } = server;
  const issue = (kind: string): Promise<string> =>
    kind === "foreign" ? server.issue("access", other) : server.issue(kind as TokenKind, own);
  const stateOf = async (token: string) => ((await server.isActive(token)) ? "active" : "gone");
  const kinds = Object.keys(table).filter((kind) => kind !== "wrongSecret");

  const seen: Record<string, string> = {};
  for (const kind of kinds) {
    const token = await issue(kind);
    const before = await introspect(server, own, token);
    const status = await revoke(server, own, token);
    const after = await introspect(server, own, token);
    seen[kind] = `${before} ${status} ${after} ${await stateOf(token)};`;
  }
  const wrong = { ...own, secret: "wrong" };
  const token = await issue("access");
  seen["wrongSecret"] = `${await introspect(server, wrong, token)} ${await revoke(server, wrong, token)}`;

  const tokens = new Map<string, string>();
  for (const kind of kinds) tokens.set(kind, await issue(kind));
  const proof = join(makeFolder(), "proof");
  writeFileSync(proof, `${await issue("access")}\n${await issue("refresh")}\n`);
  const environment = { ...worldOf(server), ...server.variables };
  const input = [...tokens.values()].join("\n");
  // One at a time: concurrent writes to SQLite fail in the server, which this test is not about.
  const flags = ["--json", "--concurrency", "1", "--proof-token-file", proof];
  for (const words of [["check"], ["revoke", "--yes"], ["revoke", "--yes"]]) {
    const rows = rowsOf(await runMain(["token", ...words, ...flags], { environment, input }));
    for (const [kind, value] of tokens)
      seen[kind] += ` ${rows.find((row) => row.token_last_eight === value.slice(-8))?.status ?? ""}`;
  }
  for (const [kind, value] of tokens) seen[kind] += ` ${await stateOf(value)}`;
  expect(seen).toEqual(table);
});
