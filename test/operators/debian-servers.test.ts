// The responses of Glewlwyd, Django OAuth Toolkit and Doorkeeper to introspection and revocation, next to the state in
// their databases. They agree only on success; a client must handle each row.
import { expect, test } from "vitest";
import { inFull } from "../support/soak.ts";
import { type DebianServer, startDjango, startDoorkeeper, startGlewlwyd, unpack } from "./debian-servers.ts";
import { type GrantctlRow, tabulate } from "./grantctl-rows.ts";
import type { Application } from "./oauth-servers.ts";

/** Introspection before, the status of the revocation, introspection after, and whether the token is still active. */
type Row = readonly [before: string, status: number, after: string, isActive: boolean];

/** Sends a form with the client's credentials. */
function send(
  { issuer }: DebianServer,
  path: string,
  { id, secret }: Application,
  token: string,
): Promise<Response> {
  return fetch(new URL(path, issuer), {
    method: "POST",
    headers: { Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}` },
    body: new URLSearchParams({ token }),
  });
}

/** "ours", "another's", "inactive", or the status of any other response. */
async function introspect(server: DebianServer, application: Application, token: string): Promise<string> {
  const response = await send(server, server.paths.introspection, application, token);
  if (response.status !== 200) return String(response.status);
  const { active, client_id } = (await response.json()) as { active: boolean; client_id?: string };
  if (!active) return "inactive";
  return client_id === application.id ? "ours" : "another's";
}

async function observe(server: DebianServer, application: Application, token: string): Promise<Row> {
  const before = await introspect(server, application, token);
  const { status } = await send(server, server.paths.revocation, application, token);
  return [before, status, await introspect(server, application, token), await server.isActive(token)];
}

interface Answers {
  readonly access: Row;
  readonly refresh: Row;
  readonly foreign: Row;
  readonly wrongSecret: readonly [introspection: string, revocation: number];
}

const revoked: Row = ["ours", 200, "inactive", false];

interface Expected {
  readonly answers: Answers;
  /** The report of grantctl for an access token, a refresh token, and another application's access token. */
  readonly grantctl: readonly GrantctlRow[];
}

interface Case {
  readonly packages: readonly [string, ...string[]];
  readonly start: (root: string) => Promise<DebianServer>;
  readonly expected: Expected;
}

const cases: readonly Case[] = [
  {
    packages: ["glewlwyd"],
    start: startGlewlwyd,
    expected: {
      answers: {
        access: revoked,
        refresh: revoked,
        foreign: ["inactive", 200, "inactive", true],
        wrongSecret: ["401", 401],
      },
      grantctl: [
        ["active", "revoked", false],
        ["active", "revoked", false],
        // Its tokens are JWTs, and one of another client vouches for nothing.
        ["unproven", "unproven", true],
      ],
    },
  },
  {
    packages: ["python3-django-oauth-toolkit"],
    start: startDjango,
    expected: {
      answers: {
        access: revoked,
        // Introspection reports it as inactive from the start; only revocation deactivates it.
        refresh: ["inactive", 200, "inactive", false],
        // The token is revoked by an application that does not own it.
        foreign: ["another's", 200, "inactive", false],
        wrongSecret: ["403", 401],
      },
      grantctl: [
        ["active", "revoked", false],
        ["inactive", "unproven", false],
        ["failed", "failed", true],
      ],
    },
  },
  {
    packages: ["ruby-doorkeeper", "ruby-activerecord", "ruby-sqlite3", "ruby-webrick"],
    start: startDoorkeeper,
    expected: {
      answers: {
        access: revoked,
        refresh: revoked,
        foreign: ["inactive", 403, "inactive", true],
        wrongSecret: ["401", 403],
      },
      grantctl: [
        ["active", "revoked", false],
        ["active", "revoked", false],
        ["inactive", "unproven", true],
      ],
    },
  },
];

test.runIf(inFull(false, true)).for(cases)(
  "$packages.0",
  { tags: "soak" },
  async ({ packages, start, expected }, { skip }) => {
    const server = await start(unpack(packages, skip));
    expect(await observeAll(server)).toEqual(expected.answers);
    const { introspection, revocation } = server.paths;
    const tokens = [
      await server.issue("access", server.own),
      await server.issue("refresh", server.own),
      await server.issue("access", server.other),
    ];
    // One at a time: concurrent writes to SQLite fail in the server, which this test is not about.
    const paths = { GRANTCTL_INTROSPECTION_PATH: introspection, GRANTCTL_REVOCATION_PATH: revocation };
    expect(await tabulate(server, tokens, paths, ["--concurrency", "1"])).toEqual(expected.grantctl);
  },
);

async function observeAll(server: DebianServer): Promise<Answers> {
  const { own, other } = server;
  const wrong = { ...own, secret: "wrong" };
  const token = await server.issue("access", own);
  return {
    access: await observe(server, own, await server.issue("access", own)),
    refresh: await observe(server, own, await server.issue("refresh", own)),
    foreign: await observe(server, own, await server.issue("access", other)),
    wrongSecret: [
      await introspect(server, wrong, token),
      (await send(server, server.paths.revocation, wrong, token)).status,
    ],
  };
}
