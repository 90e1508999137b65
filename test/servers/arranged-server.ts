// A fixture: an OAuth 2.0 server with arranged answers, and grantctl run against it.
import { test as base, type Run, type RunOptions } from "../support/grantctl.ts";
import { json, on, plain, type ServedRequest, type Server } from "../support/serve.ts";

export const live = "at_live-token-1234567";
export const dead = "at_dead-token-7654321";

export type Answers = (request: ServedRequest, token: string) => Response | undefined;

/** A token store behind the two endpoints; arranged `answers` take precedence. */
export interface Arranged {
  readonly metadata?: (root: string) => unknown;
  readonly answers?: Answers;
  readonly active?: readonly string[];
}

export interface ArrangedServer extends Server {
  /** Runs a command line, which may begin with variables (`NAME=value token check`). */
  readonly run: (line: string, options?: RunOptions) => Promise<Run>;
}

/** `arrange` starts such a server, which grantctl then uses. */
export const test = base.extend<{ arrange: (arranged?: Arranged) => Promise<ArrangedServer> }>({
  arrange: async ({ serve, environment, grantctl }, use) =>
    use(async ({ metadata = metadataOf, answers, active = [live] } = {}) => {
      const store = new Set(active);
      const answer = (request: ServedRequest): Response => {
        const token = new URLSearchParams(request.body).get("token") ?? "";
        const first = answers?.(request, token);
        if (first !== undefined) return first.clone();
        if (request.path === "/.well-known/oauth-authorization-server")
          return json(200, metadata(server.root));
        if (request.path === "/introspect") return json(200, { active: store.has(token) });
        if (request.path !== "/revoke") return json(404, {});
        store.delete(token);
        return plain(200);
      };
      const server = await serve(on("ALL /*", answer));
      environment["GRANTCTL_SERVER_TYPE"] = "oauth";
      const run = (line: string, options: RunOptions = {}): Promise<Run> => {
        const [, before = "", words = ""] = /^((?:[A-Z_]+=\S+ )*)(.*)$/.exec(line) ?? [];
        const variables = [...before.matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name, value]);
        const all = { ...options.environment, ...Object.fromEntries(variables) };
        return grantctl(words, { ...options, environment: all });
      };
      return { ...server, run };
    }),
});

export const metadataOf = (root: string): Readonly<Record<string, unknown>> => ({
  issuer: root,
  introspection_endpoint: `${root}/introspect`,
  revocation_endpoint: `${root}/revoke`,
  userinfo_endpoint: `${root}/userinfo`,
});

/** The requests after the metadata. */
export const endpoints = (server: Server): readonly string[] =>
  server.lines().filter((line) => !line.includes("well-known"));

export const statesOf = (rows: string): readonly string[] => rows.match(/^[^\t\n]+/gm) ?? [];

export function at(start: string, answer: Response): Answers {
  return ({ path }) => (path.startsWith(start) ? answer : undefined);
}
