// Operations 1 to 10: the account's grants and authorizations (the specification, 4.1 to 4.7). Only the response that
// creates a token has its value. Notes are unique among personal tokens, fingerprints among the tokens of an application.
import type { Context } from "hono";
import type { App, Authorization, Grant as GrantJson } from "../api/resources.ts";
import { findApplication } from "./auth.ts";
import {
  type Body,
  documentationUrl,
  found,
  invalid,
  isoTime,
  page,
  readBody,
  readText,
  refuse,
  userJson,
} from "./responses.ts";
import type { Env, World } from "./service.ts";
import type { Application, Grant, Token } from "./store.ts";

export function accountHandlers(world: World) {
  const { store, seconds, isGithub } = world;

  const findToken = (c: Context<Env>): Token => found(store.token(readId(c)));
  const findGrant = (c: Context<Env>): Grant => found(store.grants().find(({ id }) => id === readId(c)));

  /** The application that a list is limited to; undefined for all. */
  function wantedApplication(c: Context<Env>): Application | null | undefined {
    const clientId = isGithub ? (c.req.query("client_id") ?? "") : "";
    if (clientId === "") return undefined;
    return store.applications.find((application) => application.clientId === clientId) ?? null;
  }

  function create(c: Context<Env>): Response {
    const body = readBody(c);
    const note = readNote(body);
    if (note === null || note === "") throw invalid("description", "missing_field");
    const clientId = readText(body, "client_id", ofApplication);
    // A secret alone is an error, so that nobody gets a personal token by mistake.
    if (clientId === null && readText(body, "client_secret", ofApplication) !== null)
      throw invalid("client_id", "missing_field", ofApplication);
    const application = clientId === null ? null : verifySecret(world, clientId, body);
    return add(application, { ...readDetails(body), note, fingerprint: readText(body, "fingerprint") });
  }

  function getOrCreate(c: Context<Env>): Response {
    const body = readBody(c);
    rejectUnknownKeys(body, ["client_secret", "scopes", "note", "note_url", "fingerprint"]);
    const application = verifySecret(world, c.req.param("client_id") ?? "", body);
    const fingerprint = c.req.param("fingerprint") ?? readText(body, "fingerprint");
    const details = { ...readDetails(body), note: readNote(body) || null, fingerprint };
    const own = [...store.ofOwner(application)];
    const existing =
      own.find((token) => token.fingerprint === fingerprint) ?? (fingerprint === null ? own[0] : undefined);
    if (existing === undefined) return add(application, details);
    return c.json(authorizationJson(world, existing), 200, { Location: urlOf(world, existing) });
  }

  function add(application: Application | null, details: Details): Response {
    requireUnused(world, application, details, null);
    const at = seconds();
    const value = world.makeToken(application === null ? "personal" : "access");
    const rest = { createdAt: at, updatedAt: at, expiresAt: null, refreshes: null };
    const token = store.add(value, { application, ...details, ...rest });
    const headers = { Location: urlOf(world, token) };
    return Response.json(authorizationJson(world, token, value), { status: 201, headers });
  }

  function update(c: Context<Env>): Response {
    const token = findToken(c);
    const body = readBody(c);
    const note = readNote(body);
    if (note === "" && token.application === null) throw invalid("description", "missing_field");
    const changed = {
      note: note === null ? token.note : note || null,
      noteUrl: readText(body, "note_url") ?? token.noteUrl,
      fingerprint: readText(body, "fingerprint") ?? token.fingerprint,
      scopes: changeScopes(token.scopes, body),
    };
    requireUnused(world, token.application, changed, token);
    store.change(token, seconds(), changed);
    return c.json(authorizationJson(world, token));
  }

  return {
    listGrants: (c: Context<Env>): Response => {
      const wanted = wantedApplication(c);
      const isWanted = (grant: Grant): boolean => wanted === undefined || grant.application === wanted;
      return page(c, world, store.grants().filter(isWanted), (grant) => grantJson(world, grant));
    },
    viewGrant: (c: Context<Env>): Response => c.json(grantJson(world, findGrant(c))),
    deleteGrant: (c: Context<Env>): Response => {
      store.removeGrant(findGrant(c).application, seconds());
      return c.body(null, 204);
    },
    list: (c: Context<Env>): Response => {
      const wanted = wantedApplication(c);
      const all = wanted === undefined ? store.tokens() : wanted === null ? [] : [...store.ofOwner(wanted)];
      return page(c, world, all, (token) => authorizationJson(world, token));
    },
    view: (c: Context<Env>): Response => c.json(authorizationJson(world, findToken(c))),
    create,
    getOrCreate,
    update,
    delete: (c: Context<Env>): Response => {
      store.remove(findToken(c), seconds());
      return c.body(null, 204);
    },
  };
}

/** 0, which no object has, for a text that is not an ID. */
function readId(c: Context<Env>): number {
  const text = c.req.param("id") ?? "";
  return /^\d{1,15}$/.test(text) ? Number(text) : 0;
}

function grantJson(world: World, grant: Grant): GrantJson {
  return {
    id: grant.id,
    url: `${world.baseUrl}/applications/grants/${grant.id}`,
    app: appJson(grant.application),
    created_at: isoTime(grant.createdAt),
    updated_at: isoTime(grant.updatedAt),
    scopes: world.store.scopesOf(grant),
    ...(world.isGithub ? { user: userJson(world, world.account) } : {}),
  };
}

function urlOf({ baseUrl }: World, { id }: Token): string {
  return `${baseUrl}/authorizations/${id}`;
}

/** `value` is "" where the service does not send it (the specification, 2.3). */
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
    created_at: isoTime(token.createdAt),
    updated_at: isoTime(token.updatedAt),
    scopes: token.scopes,
    fingerprint: world.isGithub ? fingerprint : (fingerprint ?? ""),
    ...(world.isGithub
      ? { expires_at: expiresAt === null ? null : isoTime(expiresAt), installation: null }
      : {}),
  };
}

function appJson({ url, name, clientId }: Application): App {
  return { url, name, client_id: clientId };
}

/** In errors about fields of the application. */
const ofApplication = { resource: "OauthApplication" } as const;

/** The error does not reveal whether the ID or the secret is wrong. */
function verifySecret(world: World, clientId: string, body: Body): Application {
  const secret = readText(body, "client_secret", ofApplication);
  if (secret === null) throw invalid("client_secret", "missing_field", ofApplication);
  const application = findApplication(world, clientId, secret);
  if (application === undefined) throw invalid("client_secret", "invalid", ofApplication);
  return application;
}

function requireUnused(
  { store }: World,
  application: Application | null,
  { note, fingerprint }: Pick<Token, "note" | "fingerprint">,
  own: Token | null,
): void {
  for (const token of store.ofOwner(application)) {
    if (token === own) continue;
    if (application === null && token.note === note) throw invalid("description", "already_exists");
    if (fingerprint !== null && token.fingerprint === fingerprint)
      throw invalid("fingerprint", "already_exists");
  }
}

/** Null and empty values count as not sent. */
function rejectUnknownKeys(body: Body, known: readonly string[]): void {
  const unknown = Object.keys(body).filter((key) => !known.includes(key) && (body[key] ?? "") !== "");
  const lines = unknown.map((key) => `${JSON.stringify(key)} is not a permitted key.`);
  if (lines.length > 0) throw refuse(422, `Invalid request.\n\n${lines.join("\n")}`);
}

type Details = Pick<Token, "note" | "noteUrl" | "fingerprint" | "scopes">;

function readDetails(body: Body): Pick<Token, "noteUrl" | "scopes"> {
  return { noteUrl: readText(body, "note_url"), scopes: readScopes(body, "scopes") ?? [] };
}

/** Null if the note is absent or null, "" if it is blank. The service's errors call it `description`. */
function readNote(body: Body): string | null {
  const note = body["note"] ?? null;
  if (note !== null && typeof note !== "string") throw invalid("description", "invalid");
  return note?.trim() === "" ? "" : note;
}

const knownScopes: ReadonlySet<string> = new Set(
  `
  repo repo:status repo:invite repo:deployment repo_deployment public_repo delete_repo security_events
  admin:repo_hook write:repo_hook read:repo_hook admin:org write:org read:org admin:org_hook manage_runners:org
  admin:public_key write:public_key read:public_key admin:gpg_key write:gpg_key read:gpg_key
  admin:ssh_signing_key write:ssh_signing_key read:ssh_signing_key admin:pre_receive_hook
  admin:enterprise manage_runners:enterprise manage_billing:enterprise read:enterprise scim:enterprise
  site_admin devtools biztools gist notifications workflow project read:project
  user read:user user:email user:follow user:assets write:packages read:packages delete:packages
  write:discussion read:discussion codespace codespace:secrets copilot manage_billing:copilot
  audit_log read:audit_log write:network_configurations read:network_configurations
  openid email profile offline_access`.match(/\S+/g),
);

/** Null if the field is absent or null. */
function readScopes(body: Body, field: "scopes" | "add_scopes" | "remove_scopes"): readonly string[] | null {
  const scopes = body[field] ?? null;
  if (scopes === null) return null;
  if (!Array.isArray(scopes) || !scopes.every((scope) => typeof scope === "string"))
    throw invalid(field, "invalid");
  // Removing a scope that does not exist changes nothing.
  const unknown = field === "remove_scopes" ? [] : scopes.filter((scope) => !knownScopes.has(scope));
  if (unknown.length > 0)
    throw invalid("scopes", "custom", { message: `scopes are invalid: ${unknown.join(", ")}` });
  return scopes;
}

function changeScopes(current: readonly string[], body: Body): readonly string[] {
  const all = readScopes(body, "scopes");
  const added = readScopes(body, "add_scopes");
  const removed = readScopes(body, "remove_scopes");
  if ([all, added, removed].filter((change) => change !== null).length > 1) {
    const message = "only one of scopes, add_scopes, remove_scopes may be sent";
    throw invalid("scopes", "custom", { message });
  }
  if (all !== null) return all;
  return [...new Set([...current, ...(added ?? [])])].filter((scope) => removed?.includes(scope) !== true);
}
