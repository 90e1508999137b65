// The whole service as one application of hono: the gate, the control requests of `sandbox code` and `tokens`, the faults, and
// the routes of the server type.
//
//   request -> gate (this machine only, no web pages, limited bodies) -> hook of tests -> faults -> who sends it -> handler
import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono, type Context, type MiddlewareHandler } from "hono";
import { getPath } from "hono/utils/url";
import { randomUUID } from "node:crypto";
import { type IncomingMessage, STATUS_CODES } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { accountHandlers } from "./account.ts";
import { asAccount, asApplication, asTokenOwner, type Codes } from "./auth.ts";
import type { Fault } from "./faults.ts";
import { oauthHandlers } from "./oauth.ts";
import { resourceHandlers } from "./resources.ts";
import { type Person, readBody, Refusal, refuse } from "./responses.ts";
import type { TokenKind } from "./seed.ts";
import type { Application, Store, Token } from "./store.ts";
import { tokenHandlers } from "./tokens.ts";

/**
 * | type       | server                                                                                       |
 * | ---------- | -------------------------------------------------------------------------------------------- |
 * | service    | the specification's own                                                                      |
 * | github     | a GitHub Enterprise Server: tokens travel in bodies and may expire, `GET /meta`              |
 * | github.com | like `github`, without operations for the account and with reports of leaked tokens          |
 * | oauth      | an OAuth 2.0 authorization server, without the operations of the others                      |
 */
export type ServerType = "service" | "github" | "github.com" | "oauth";

/** Everything that handlers need. */
export interface World {
  readonly type: ServerType;
  /** `github` or `github.com`. */
  readonly isGithub: boolean;
  readonly store: Store;
  readonly account: Person & { readonly password: string };
  readonly codes: Codes;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly headerWord: string;
  /** Host names that are accepted besides those of loopback. */
  readonly hosts: readonly string[];
  /** Seconds since the epoch. */
  readonly seconds: () => number;
  readonly startedAt: number;
  readonly makeToken: (kind: TokenKind) => string;
  readonly faults: () => readonly Fault[];
  readonly lies: Lies;
  readonly onRequest: RequestHook | null;
}

/** How a server lies, for tests. */
export interface Lies {
  /** True for an active token that its own application is told is not. */
  readonly hides: (token: Token) => boolean;
  /** True for a token that stays active after its application revoked it. */
  readonly keeps: (token: Token) => boolean;
}

/** For tests: sees each request, and may answer in its place, wait, or change the answer of `carryOut`. */
export type RequestHook = (
  request: { readonly message: IncomingMessage; readonly body: string },
  carryOut: () => Promise<Response>,
) => Promise<Response>;

export interface Env {
  Bindings: HttpBindings;
  Variables: {
    readonly body: string;
    readonly token: Token | null;
    readonly application: Application;
  };
}

type Handler = (c: Context<Env>) => Response | Promise<Response>;
/** By method and path: `GET /authorizations/:id`. */
type Routes = Readonly<Record<string, Handler>>;

type Guarded = readonly [guard: MiddlewareHandler<Env> | null, routes: Routes];

const enterpriseVersion = "3.19.2";

/** The routes of a server type, with who may use them. */
function routesOf(world: World): readonly Guarded[] {
  const account = accountHandlers(world);
  const tokens = tokenHandlers(world);
  const resources = resourceHandlers(world);
  const oauth = oauthHandlers(world);
  const ofAccount: Routes = {
    "GET /applications/grants": account.listGrants,
    "GET /applications/grants/:id": account.viewGrant,
    "DELETE /applications/grants/:id": account.deleteGrant,
    "GET /authorizations": account.list,
    "GET /authorizations/:id": account.view,
    "POST /authorizations": account.create,
    "PUT /authorizations/clients/:client_id": account.getOrCreate,
    "PUT /authorizations/clients/:client_id/:fingerprint": account.getOrCreate,
    "PATCH /authorizations/:id": account.update,
    // For clients that cannot send PATCH.
    "POST /authorizations/:id": account.update,
    "DELETE /authorizations/:id": account.delete,
  };
  const ofTokenOwner: Routes = {
    "GET /user": resources.user,
    "GET /user/issues": resources.issues,
    "GET /orgs/:org/members": resources.members,
    "GET /repos/:owner/:repo/pulls": resources.pulls,
    "GET /repos/:owner/:repo/pulls/:number": resources.pull,
    "GET /repos/:owner/:repo/pulls/:number/commits": resources.commits,
    "GET /repos/:owner/:repo/pulls/:number/reviews": resources.reviews,
    "GET /repos/:owner/:repo/issues/:number/comments": resources.comments,
    "POST /graphql": resources.graphql,
    "POST /api/graphql": resources.graphql,
    ...(world.isGithub ? { "GET /": resources.root } : {}),
  };
  const ofAnybody: Routes = {
    [`GET ${approvalPath}`]: resources.approval,
    [`POST ${approvalPath}`]: resources.approval,
  };
  const withBody: Routes = {
    "POST /applications/:client_id/token": tokens.check,
    "PATCH /applications/:client_id/token": tokens.reset,
    "DELETE /applications/:client_id/token": tokens.revoke,
    "DELETE /applications/:client_id/grant": tokens.revokeGrant,
  };
  const withPath: Routes = {
    "GET /applications/:client_id/tokens/:token": tokens.check,
    "POST /applications/:client_id/tokens/:token": tokens.reset,
    "DELETE /applications/:client_id/tokens/:token": tokens.revoke,
    "DELETE /applications/:client_id/grants/:token": tokens.revokeGrant,
  };
  const ofOauth: Routes = {
    "GET /.well-known/oauth-authorization-server": oauth.metadata,
    "GET /.well-known/openid-configuration": oauth.metadata,
    "POST /oauth/introspect": oauth.introspect,
    "POST /oauth/revoke": oauth.revoke,
    "GET /oauth/userinfo": oauth.userInfo,
    "POST /oauth/userinfo": oauth.userInfo,
  };
  const [asOwner, asClient, asUser] = [asTokenOwner(world), asApplication(world), asAccount(world)];
  const ofOwner = [asOwner, ofTokenOwner] as const;
  const byType: Readonly<Record<ServerType, readonly Guarded[]>> = {
    service: [[null, ofAnybody], [asUser, ofAccount], [asClient, withPath], ofOwner],
    github: [
      [null, { ...ofAnybody, "GET /meta": enterpriseMeta }],
      [asUser, ofAccount],
      [asClient, withBody],
      ofOwner,
    ],
    "github.com": [
      [null, { ...ofAnybody, "GET /meta": githubComMeta, "POST /credentials/revoke": tokens.report }],
      [asClient, withBody],
      ofOwner,
    ],
    oauth: [[null, ofOauth]],
  };
  return byType[world.type];
}

const enterpriseMeta: Handler = (c) =>
  c.json({ verifiable_password_authentication: true, installed_version: enterpriseVersion });
const githubComMeta: Handler = (c) => c.json({ verifiable_password_authentication: false });

const approvalPath = "/orgs/:org/sso";

const maxBodyBytes = 1024 * 1024;
const maxTokens = 100_000;

export function createService(world: World): Hono<Env> {
  const { codes, onRequest, seconds } = world;
  const app = new Hono<Env>({ getPath: pathBelowBaseUrl });

  app.use(async (c, next) => {
    checkGate(world, c);
    c.set("body", await readText(c.env.incoming));
    await next();
    c.header("Date", new Date(seconds() * 1000).toUTCString());
    c.header(world.type === "oauth" ? "X-Request-Id" : `X-${world.headerWord}-Request-Id`, randomUUID());
    if (world.type === "github") c.header(`X-${world.headerWord}-Enterprise-Version`, enterpriseVersion);
  });

  app.post("/sandbox/code", (c) => {
    const code = codes.provide();
    if (code === null) throw refuse(409, "Two-factor authentication is off.");
    return c.json({ code });
  });
  app.post("/sandbox/tokens", (c) => {
    const { count } = readBody(c);
    if (!Number.isInteger(count) || !(Number(count) >= 1 && Number(count) <= maxTokens))
      throw refuse(422, `count must be from 1 to ${maxTokens}`);
    return c.json({ tokens: Array.from({ length: Number(count) }, () => addToken(world)) });
  });

  if (onRequest !== null)
    app.use(async (c, next) => {
      const request = { message: c.env.incoming, body: c.get("body") };
      const answer = await onRequest(request, async () => {
        await next();
        return c.res;
      });
      // Otherwise hono merges the headers of the earlier response.
      c.res = undefined;
      c.res = answer;
    });

  app.use(async (c, next) => {
    const faults = world.faults();
    const status = faults.find(({ kind }) => kind === "status")?.amount;
    if (status === undefined) await next();
    for (const { kind, amount } of faults) if (kind === "delay") await sleep(amount);
    if (status !== undefined) throw faultRefusal(status);
    if (!faults.some(({ kind }) => kind === "drop-answer")) return;
    c.env.incoming.socket.destroy();
    c.res = RESPONSE_ALREADY_SENT;
  });

  for (const [guard, routes] of routesOf(world))
    for (const [route, handler] of Object.entries(routes)) {
      const [method = "", path = ""] = route.split(" ");
      if (guard !== null) app.on(method, path, guard);
      app.on(method, path, handler);
    }

  app.notFound(() => inFormat(world, refuse(404, "Not Found")));
  app.onError((error) => inFormat(world, error instanceof Refusal ? error : refuse(500, "Server Error")));
  return app;
}

/** Clients of Enterprise Servers prefix every path with `/api/v3`. */
function pathBelowBaseUrl(request: Request): string {
  return getPath(request).replace(/^\/+(?:api\/v3(?=\/|$)\/*)?/, "/");
}

/** One that is too large is read to its end, because a client that is still sending does not read the response. */
async function readText(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of message) {
    length += (chunk as Buffer).length;
    if (length <= maxBodyBytes) chunks.push(chunk as Buffer);
  }
  if (length > maxBodyBytes) throw refuse(413, "Request body is too large");
  return Buffer.concat(chunks).toString("utf8");
}

/** Only programs of this machine get in. The form to approve a token sends the sandbox's own `Origin`. */
function checkGate({ baseUrl, hosts }: World, c: Context<Env>): void {
  const origin = c.req.header("Origin");
  const isForm = /^\/orgs\/[^/]+\/sso$/.test(c.req.path);
  if (origin !== undefined && !(isForm && origin === baseUrl))
    throw refuse(403, "The sandbox accepts no requests from web pages: this one has an Origin header.");
  const host = (c.req.header("Host") ?? "localhost").replace(/:\d*$/, "").toLowerCase();
  if (!/^(?:localhost|\[::1\]|127(?:\.\d{1,3}){3})$/.test(host) && !hosts.includes(host))
    throw refuse(403, "The sandbox does not accept the name in the Host header.");
}

/** A new active token of the first application, to rehearse with. */
function addToken({ store, seconds, makeToken }: World): string {
  const [application = null] = store.applications;
  const value = makeToken("access");
  const details = { note: "rehearsal", noteUrl: null, fingerprint: null, scopes: ["repo"] };
  const [createdAt, updatedAt] = [seconds(), seconds()];
  store.add(value, { application, ...details, createdAt, updatedAt, expiresAt: null, refreshes: null });
  return value;
}

function faultRefusal(status: number): Refusal {
  const message = `${STATUS_CODES[status] ?? `Status ${status}`}: a fault of the sandbox, nothing was done`;
  return refuse(status, message, status === 429 || status === 503 ? { "Retry-After": "1" } : {});
}

/** OAuth servers have errors of their own (RFC 6749, 5.2). */
function inFormat({ type }: World, refusal: Refusal): Response {
  const { status, body, headers } = refusal;
  if (type !== "oauth" || !("message" in body)) return refusal.toResponse();
  const error = status === 401 ? "invalid_client" : status >= 500 ? "server_error" : "invalid_request";
  return new Refusal(status, { error, error_description: body.message }, headers).toResponse();
}
