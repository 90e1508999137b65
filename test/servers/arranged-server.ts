// An OAuth 2.0 server with arranged answers, which records its requests, and grantctl run against it.
import {
  startRecordingServer,
  type ArrangedAnswer,
  type RecordedRequest,
  type RecordingServer,
} from "../support/recording-server.ts";
import { makeStateFolder } from "../support/state-folder.ts";
import { runMain, type World } from "../support/test-host.ts";

export const live = "at_live-token-1234567";
export const dead = "at_dead-token-7654321";

/** A token store behind the two endpoints; arranged `answers` take precedence. */
export interface Arranged {
  readonly metadata?: (root: string) => unknown;
  readonly answers?: (request: RecordedRequest, token: string) => ArrangedAnswer | undefined;
  readonly active?: readonly string[];
}

export async function startServer({
  metadata,
  answers,
  active = [live],
}: Arranged = {}): Promise<RecordingServer> {
  const store = new Set(active);
  let root = "";
  const server = await startRecordingServer((request) => {
    const token = new URLSearchParams(request.body).get("token") ?? "";
    const first = answers?.(request, token);
    if (first !== undefined) return first;
    if (request.path === "/.well-known/oauth-authorization-server")
      return { status: 200, body: (metadata ?? metadataOf)(root) };
    if (request.path === "/introspect")
      return { status: 200, body: store.has(token) ? { active: true } : { active: false } };
    if (request.path === "/revoke") {
      store.delete(token);
      return { status: 200 };
    }
    return { status: 404, body: {} };
  });
  root = server.root;
  return server;
}

export const metadataOf = (root: string): Readonly<Record<string, unknown>> => ({
  issuer: root,
  introspection_endpoint: `${root}/introspect`,
  revocation_endpoint: `${root}/revoke`,
  userinfo_endpoint: `${root}/userinfo`,
});

/** Runs a command line, which may begin with variables (`NAME=value token check`). */
export function run(line: string, server: { readonly environment: World["environment"] }, world: World = {}) {
  const words = line.split(" ");
  const first = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
  const variables = words
    .slice(0, first)
    .map((word) => [word.replace(/=.*/, ""), word.replace(/^[^=]*=/, "")]);
  return runMain(words.slice(first), {
    ...world,
    environment: {
      ...server.environment,
      ...makeStateFolder().environment,
      GRANTCTL_SERVER_TYPE: "oauth",
      ...world.environment,
      ...Object.fromEntries(variables),
    },
  });
}

/** The requests after the metadata. */
export const endpoints = (server: RecordingServer): readonly string[] =>
  server.lines().filter((line) => !line.includes("well-known"));

export function statesOf(rows: string): readonly string[] {
  return rows
    .trim()
    .split("\n")
    .map((row) => row.split("\t")[0] ?? "");
}

export function at(path: string, answer: ArrangedAnswer): NonNullable<Arranged["answers"]> {
  return (request) => (request.path === path ? answer : undefined);
}

export function introspects(
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): NonNullable<Arranged["answers"]> {
  return at("/introspect", { status: 200, body, headers });
}

export function wellKnown(answer: ArrangedAnswer): NonNullable<Arranged["answers"]> {
  return (request) => (request.path.includes("/.well-known/") ? answer : undefined);
}
