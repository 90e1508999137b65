// Cloudflare's workers-oauth-provider in Node, with a map in place of Workers KV. Prints a line of JSON when it listens: its
// issuer and two clients. `GET /issue?client=NAME` signs in and returns the tokens; `GET /active?token=T` reads the store.
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { register } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { signIn } from "./sign-in.mjs";

// The package imports one class of the Workers runtime.
const runtime = "data:text/javascript,export class WorkerEntrypoint {}; export const env = {};";
register(
  `data:text/javascript,${encodeURIComponent(`export const resolve = (name, context, next) => name === "cloudflare:workers" ? { url: ${JSON.stringify(runtime)}, shortCircuit: true } : next(name, context);`)}`,
);
const { OAuthProvider } = await import(
  pathToFileURL(join(process.env.MODULES, "@cloudflare/workers-oauth-provider/dist/oauth-provider.js")).href
);

const values = new Map();
const store = {
  async get(key, options) {
    const value = values.get(key) ?? null;
    return value !== null && (options?.type ?? options) === "json" ? JSON.parse(value) : value;
  },
  async put(key, value) {
    values.set(key, value);
  },
  async delete(key) {
    values.delete(key);
  },
  async list({ prefix = "" } = {}) {
    const names = [...values.keys()].filter((key) => key.startsWith(prefix));
    return { keys: names.map((name) => ({ name })), list_complete: true };
  },
};
const server = createServer();
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const origin = `http://127.0.0.1:${server.address().port}`;
const redirect = `${origin}/callback`;
const clients = {};
let helpers;
const provider = new OAuthProvider({
  apiRoute: "/api",
  apiHandler: { fetch: async () => new Response("{}") },
  defaultHandler: {
    async fetch(request, { OAUTH_PROVIDER }) {
      helpers = OAUTH_PROVIDER;
      if (new URL(request.url).pathname !== "/authorize") return new Response(null, { status: 404 });
      const asked = await helpers.parseAuthRequest(request);
      const done = await helpers.completeAuthorization({
        request: asked,
        userId: "ann",
        metadata: {},
        scope: asked.scope,
        props: {},
        revokeExistingGrants: false,
      });
      return Response.redirect(done.redirectTo, 302);
    },
  },
  resourceMetadata: { resource: `${origin}/api` },
  authorizeEndpoint: "/authorize",
  tokenEndpoint: "/oauth/token",
  clientRegistrationEndpoint: "/oauth/register",
});
const serve = (request) =>
  provider.fetch(request, { OAUTH_KV: store }, { waitUntil: () => undefined, props: {} });

const issue = (client) =>
  signIn(
    { ...client, redirect, scope: "read" },
    async (question) => (await serve(new Request(`${origin}/authorize?${question}`))).headers.get("location"),
    (request) => serve(new Request(`${origin}/oauth/token`, request)),
  );

const digest = (text) => createHash("sha256").update(text).digest("hex");

/** An access token has an entry of its own; a refresh token lives as long as its grant. */
function isKept(token) {
  const [user, grant] = token.split(":");
  const own = `token:${user}:${grant}:${digest(token)}`;
  const grants = values.get(`grant:${user}:${grant}`) ?? "";
  return values.has(own) || grants.includes(digest(token));
}

async function handle(request, response) {
  const { pathname, searchParams } = new URL(request.url, origin);
  if (pathname === "/issue") return response.end(await issue(clients[searchParams.get("client")]));
  if (pathname === "/active") return response.end(String(isKept(searchParams.get("token"))));
  const parts = [];
  for await (const part of request) parts.push(part);
  const { method, headers } = request;
  const body = parts.length === 0 ? {} : { body: Buffer.concat(parts) };
  const answer = await serve(new Request(origin + request.url, { method, headers, ...body }));
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  return response.end(await answer.text());
}
server.on("request", (request, response) => void handle(request, response));

// The first request hands over the helpers.
await serve(new Request(`${origin}/x`));
for (const name of ["own", "other"]) {
  const { clientId, clientSecret } = await helpers.createClient({
    redirectUris: [redirect],
    clientName: name,
    tokenEndpointAuthMethod: "client_secret_basic",
  });
  clients[name] = { id: clientId, secret: clientSecret };
}
process.stdout.write(`${JSON.stringify({ issuer: origin, origin, ...clients })}\n`);
