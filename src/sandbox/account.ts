// The routes of the account: its grants and authorizations. Only the response that creates a token has its value. Notes are
// unique among personal tokens, fingerprints among the tokens of an application.
import type { Context } from "hono";
import type { App, Authorization, Grant as GrantJson } from "../api/resources.ts";
import { findApplication } from "./auth.ts";
import { documentationUrl, found, invalid, page, readBody, readText, userJson } from "./responses.ts";
import type { Body } from "./responses.ts";
import { makeToken } from "./seed.ts";
import type { Env, Handler, Routes, World } from "./service.ts";
import type { Application, Details, Token } from "./store.ts";

export function accountRoutes(world: World): Routes {
  const { store } = world;

  const findToken = (c: Context<Env>): Token => found(store.token(Number(c.req.param("id"))));
  /** The application of a grant. */
  const findGrant = (c: Context<Env>): Application =>
    found(store.withGrant().find(({ id }) => id === Number(c.req.param("id"))));

  /** The service's errors call a note `description`. */
  function requireUnused(owner: Application | null, { note, fingerprint }: Details, own?: Token): void {
    const others = [...store.ofOwner(owner)].filter((token) => token !== own);
    if (owner === null && others.some((token) => token.note === note))
      throw invalid("description", "already_exists");
    if (fingerprint !== null && others.some((token) => token.fingerprint === fingerprint))
      throw invalid("fingerprint", "already_exists");
  }

  function add(application: Application | null, details: Details): Response {
    requireUnused(application, details);
    const value = makeToken(world.serverType, application === null ? "personal" : "access");
    const token = store.add(value, application, details);
    const headers = { Location: urlOf(world, token) };
    return Response.json(authorizationJson(world, token, value), { status: 201, headers });
  }

  const getOrCreate: Handler = (c) => {
    const body = readBody(c);
    const application = verifySecret(world, c.req.param("client_id") ?? "", body);
    const details = readDetails(body);
    const fingerprint = c.req.param("fingerprint") ?? details.fingerprint;
    const own = [...store.ofOwner(application)];
    const existing =
      own.find((token) => token.fingerprint === fingerprint) ?? (fingerprint === null ? own[0] : undefined);
    if (existing === undefined) return add(application, { ...details, fingerprint });
    return c.json(authorizationJson(world, existing), 200, { Location: urlOf(world, existing) });
  };

  return {
    "GET /applications/grants": (c) =>
      page(c, world, store.withGrant(), (application) => grantJson(world, application)),
    "GET /applications/grants/:id{[0-9]+}": (c) => c.json(grantJson(world, findGrant(c))),
    "DELETE /applications/grants/:id{[0-9]+}": (c) => {
      for (const token of store.ofOwner(findGrant(c))) store.remove(token);
      return c.body(null, 204);
    },
    "GET /authorizations": (c) => page(c, world, store.tokens(), (token) => authorizationJson(world, token)),
    "GET /authorizations/:id{[0-9]+}": (c) => c.json(authorizationJson(world, findToken(c))),
    "POST /authorizations": (c) => {
      const body = readBody(c);
      const details = readDetails(body);
      if (details.note === null) throw invalid("description", "missing_field");
      const clientId = readText(body, "client_id");
      return add(clientId === null ? null : verifySecret(world, clientId, body), details);
    },
    "PUT /authorizations/clients/:client_id": getOrCreate,
    "PUT /authorizations/clients/:client_id/:fingerprint": getOrCreate,
    "PATCH /authorizations/:id{[0-9]+}": (c) => {
      const token = findToken(c);
      const body = readBody(c);
      const { note, noteUrl, fingerprint } = readDetails(body);
      const changed = {
        note: note ?? token.note,
        noteUrl: noteUrl ?? token.noteUrl,
        fingerprint: fingerprint ?? token.fingerprint,
        scopes: changeScopes(token.scopes, body),
      };
      requireUnused(token.application, changed, token);
      store.change(token, changed);
      return c.json(authorizationJson(world, token));
    },
    "DELETE /authorizations/:id{[0-9]+}": (c) => {
      store.remove(findToken(c));
      return c.body(null, 204);
    },
  };
}

function grantJson(world: World, application: Application): GrantJson {
  const tokens = [...world.store.ofOwner(application)];
  return {
    id: application.id,
    url: `${world.baseUrl}/applications/grants/${application.id}`,
    app: appJson(application),
    created_at: isoSeconds(tokens.reduce((first, { createdAt }) => Math.min(first, createdAt), Infinity)),
    updated_at: isoSeconds(tokens.reduce((last, { updatedAt }) => Math.max(last, updatedAt), 0)),
    scopes: [...new Set(tokens.flatMap(({ scopes }) => scopes))],
    ...(world.isGithub ? { user: userJson(world, world.account) } : {}),
  };
}

/** `2026-11-20T19:02:04Z`, of seconds since the epoch. */
function isoSeconds(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(".000", "");
}

function urlOf({ baseUrl }: World, { id }: Token): string {
  return `${baseUrl}/authorizations/${id}`;
}

/** `value` is "" where the service does not send it. */
export function authorizationJson(world: World, token: Token, value = ""): Authorization {
  const { application, note, noteUrl, fingerprint, expiresAt } = token;
  return {
    id: token.id,
    url: urlOf(world, token),
    app:
      application === null
        ? { url: noteUrl ?? documentationUrl, name: note ?? "", client_id: "0".repeat(20) }
        : appJson(application),
    token: value,
    hashed_token: token.hash,
    token_last_eight: token.lastEight,
    note,
    note_url: noteUrl,
    created_at: isoSeconds(token.createdAt),
    updated_at: isoSeconds(token.updatedAt),
    scopes: token.scopes,
    fingerprint: world.isGithub ? fingerprint : (fingerprint ?? ""),
    ...(world.isGithub
      ? { expires_at: expiresAt === null ? null : isoSeconds(expiresAt), installation: null }
      : {}),
  };
}

function appJson({ url, name, clientId }: Application): App {
  return { url, name, client_id: clientId };
}

/** The error does not reveal whether the ID or the secret is wrong. */
function verifySecret(world: World, clientId: string, body: Body): Application {
  const application = findApplication(world, clientId, readText(body, "client_secret") ?? "");
  if (application === undefined) throw invalid("client_secret", "invalid");
  return application;
}

function readDetails(body: Body): Details {
  return {
    note: readText(body, "note"),
    noteUrl: readText(body, "note_url"),
    fingerprint: readText(body, "fingerprint"),
    scopes: readScopes(body, "scopes") ?? [],
  };
}

function readScopes(body: Body, field: "scopes" | "add_scopes" | "remove_scopes"): readonly string[] | null {
  const scopes = body[field] ?? null;
  if (scopes === null) return null;
  if (Array.isArray(scopes) && scopes.every((scope) => typeof scope === "string")) return scopes;
  throw invalid(field, "invalid");
}

function changeScopes(current: readonly string[], body: Body): readonly string[] {
  const all = readScopes(body, "scopes");
  const added = readScopes(body, "add_scopes");
  const removed = readScopes(body, "remove_scopes");
  if ([all, added, removed].filter((change) => change !== null).length > 1)
    throw invalid("scopes", "custom", "only one of scopes, add_scopes, remove_scopes may be sent");
  if (all !== null) return all;
  return [...new Set([...current, ...(added ?? [])])].filter((scope) => removed?.includes(scope) !== true);
}
