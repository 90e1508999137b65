// The whole service as one application of hono: the gate, the control requests of `sandbox code` and `tokens`, the faults, and
// the routes of the server type.
//
//   request -> gate (this machine only, no web pages) -> hook of tests -> faults -> who sends it -> handler
import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono, type Context, type MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import { getPath } from "hono/utils/url";
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { accountRoutes } from "./account.ts";
import { asAccount, asApplication, asTokenOwner, type Codes } from "./auth.ts";
import type { Fault } from "./faults.ts";
import { oauthRoutes } from "./oauth.ts";
import { resourceRoutes } from "./resources.ts";
import { type Person, readBody, refuse } from "./responses.ts";
import { makeToken } from "./seed.ts";
import type { SandboxOptions } from "./sandbox.ts";
import type { Application, Store, Token } from "./store.ts";
import { reportRoutes, tokenRoutes } from "./tokens.ts";

/**
 * service      the specification's own
 * github       a GitHub Enterprise Server: tokens travel in bodies and may expire, `GET /meta`
 * github.com   like `github`, without operations for the account and with reports of leaked tokens
 * oauth        an OAuth 2.0 authorization server, without the operations of the others
 */
export type SimulatedType = "service" | "github" | "github.com" | "oauth";

export interface World extends SandboxOptions {
  /** The server types `github` and `github.com`. */
  readonly isGithub: boolean;
  readonly store: Store;
  readonly account: Person & { readonly password: string };
  readonly codes: Codes;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Seconds since the epoch. */
  readonly seconds: () => number;
  readonly drawFaults: () => readonly Fault[];
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

export type Handler = (c: Context<Env>) => Response | Promise<Response>;
/** By method and path: `GET /authorizations/:id`. */
export type Routes = Readonly<Record<string, Handler>>;

/** The routes of a server type, and who may use them; null for anybody. */
function routesOf(world: World): readonly (readonly [MiddlewareHandler<Env> | null, Routes])[] {
  const { ofAnybody, ofTokenOwner } = resourceRoutes(world);
  const account = [asAccount(world), accountRoutes(world)] as const;
  const applications = [asApplication(world), tokenRoutes(world)] as const;
  const tokenOwners = [asTokenOwner(world), ofTokenOwner] as const;
  const ofEnterprise: Routes = {
    "GET /meta": (c) => c.json({ verifiable_password_authentication: true, installed_version: "3.19.2" }),
  };
  const ofGithubCom: Routes = {
    "GET /meta": (c) => c.json({ verifiable_password_authentication: false }),
    ...reportRoutes(world),
  };
  return {
    service: [[null, ofAnybody], account, applications, tokenOwners] as const,
    github: [[null, ofAnybody], [null, ofEnterprise], account, applications, tokenOwners] as const,
    "github.com": [[null, ofAnybody], [null, ofGithubCom], applications, tokenOwners] as const,
    oauth: [[null, oauthRoutes(world)]] as const,
  }[world.serverType];
}

const rehearsal = { note: "rehearsal", noteUrl: null, fingerprint: null, scopes: ["repo"] };

export function createApp(world: World): Hono<Env> {
  const { serverType, headerWord, store, codes, seconds, onRequest = (_, carryOut) => carryOut() } = world;
  const app = new Hono<Env>({
    // Clients of Enterprise Servers prefix every path with `/api/v3`.
    getPath: (request) => getPath(request).replace(/^\/+(?:api\/v3(?=\/|$)\/*)?/, "/"),
  });
  app.notFound(() => refuse(404, "Not Found").getResponse());
  app.onError((error) =>
    (error instanceof HTTPException ? error : refuse(500, "Server Error")).getResponse(),
  );

  app.use(async (c, next) => {
    checkGate(world, c);
    c.set("body", await text(c.env.incoming));
    await next();
    c.header("Date", new Date(seconds() * 1000).toUTCString());
    c.header(serverType === "oauth" ? "X-Request-Id" : `X-${headerWord}-Request-Id`, randomUUID());
  });

  // For `sandbox code` and `sandbox tokens`.
  app.post("/sandbox/code", (c) => {
    const code = codes.provide();
    if (code === null) throw refuse(409, "Two-factor authentication is off.");
    return c.text(`${code}\n`);
  });
  app.post("/sandbox/tokens", (c) => {
    const length = Number(readBody(c)["count"]);
    const values = Array.from({ length }, () => makeToken(serverType, "access"));
    for (const value of values) store.add(value, store.applications[0] ?? null, rehearsal);
    return c.text(values.map((value) => `${value}\n`).join(""));
  });

  app.use(async (c, next) => {
    const answer = await onRequest({ message: c.env.incoming, body: c.get("body") }, async () => {
      await next();
      return c.res;
    });
    // Otherwise hono merges the headers of the earlier response.
    c.res = undefined;
    c.res = answer;
  });

  app.use(async (c, next) => {
    const faults = world.drawFaults();
    const status = faults.find(({ kind }) => kind === "status")?.amount;
    if (status === undefined) await next();
    for (const { kind, amount } of faults) if (kind === "delay") await sleep(amount);
    if (status !== undefined) {
      const headers: Record<string, string> = status === 429 || status === 503 ? { "Retry-After": "1" } : {};
      throw refuse(status, "a fault of the sandbox, nothing was done", headers);
    }
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

  return app;
}

/** Only programs of this machine get in. The form to approve a token sends the sandbox's own `Origin`. */
function checkGate({ baseUrl }: World, c: Context<Env>): void {
  const origin = c.req.header("Origin");
  const isForm = /^\/orgs\/[^/]+\/sso$/.test(c.req.path);
  if (origin !== undefined && !(isForm && origin === baseUrl))
    throw refuse(403, "The sandbox accepts no requests from web pages: this one has an Origin header.");
  const host = (c.req.header("Host") ?? "localhost").replace(/:\d*$/, "").toLowerCase();
  if (!/^(?:localhost|\[::1\]|127(?:\.\d{1,3}){3})$/.test(host))
    throw refuse(403, "The sandbox does not accept the name in the Host header.");
}
