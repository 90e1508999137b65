// better-auth with its OAuth provider, in memory. Prints a line of JSON when it listens: its issuer and two clients.
// `GET /issue?client=NAME` signs in and returns the tokens; `GET /active?token=T` reads the server's own store.
import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { signIn } from "./sign-in.mjs";

const load = (path) => import(pathToFileURL(join(process.env.MODULES, path)).href);
const { betterAuth } = await load("better-auth/dist/index.mjs");
const { jwt } = await load("better-auth/dist/plugins/index.mjs");
const { memoryAdapter } = await load("better-auth/dist/adapters/memory-adapter/index.mjs");
const { toNodeHandler } = await load("better-auth/dist/integrations/node.mjs");
const { oauthProvider, oauthProviderAuthServerMetadata } = await load(
  "@better-auth/oauth-provider/dist/index.mjs",
);

const server = createServer();
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const origin = `http://127.0.0.1:${server.address().port}`;
const redirect = `${origin}/callback`;
const tables =
  "user session account verification jwks rateLimit oauthClient oauthRefreshToken oauthAccessToken oauthConsent oauthResource oauthClientResource oauthClientAssertion";
const store = Object.fromEntries(tables.split(" ").map((name) => [name, []]));
const auth = betterAuth({
  baseURL: origin,
  secret: randomBytes(32).toString("hex"),
  database: memoryAdapter(store),
  telemetry: { enabled: false },
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: false },
  trustedOrigins: [origin],
  plugins: [
    jwt(),
    oauthProvider({
      loginPage: "/login",
      consentPage: "/consent",
      scopes: ["openid", "offline_access", "read"],
      silenceWarnings: { oauthAuthServerConfig: true, openidConfig: true },
    }),
  ],
});
const handle = toNodeHandler(auth);
const metadata = oauthProviderAuthServerMetadata(auth);
const clients = {};
let cookie = "";

const digest = (text) => createHash("sha256").update(text).digest("base64url");

const issue = (client) =>
  signIn(
    { ...client, redirect, scope: "openid offline_access read" },
    async (question) => {
      const asked = await fetch(`${origin}/api/auth/oauth2/authorize?${question}`, {
        headers: { cookie, origin },
        redirect: "manual",
      });
      return asked.headers.get("location") ?? (await asked.json()).url;
    },
    (request) => fetch(`${origin}/api/auth/oauth2/token`, request),
  );

const isKept = (token) =>
  [...store.oauthAccessToken, ...store.oauthRefreshToken].some(
    (row) => row.token === digest(token) && !row.revoked,
  );

async function answer(request, response) {
  const { pathname, searchParams } = new URL(request.url, origin);
  if (pathname === "/issue") response.end(await issue(clients[searchParams.get("client")]));
  else if (pathname === "/active") response.end(String(isKept(searchParams.get("token"))));
  else if (pathname === "/.well-known/oauth-authorization-server/api/auth")
    response.end(await (await metadata(new Request(origin + request.url))).text());
  else await handle(request, response);
}
server.on("request", (request, response) => void answer(request, response));

const account = await fetch(`${origin}/api/auth/sign-up/email`, {
  method: "POST",
  headers: { "Content-Type": "application/json", origin },
  body: JSON.stringify({ email: "a@example.test", password: "password1234", name: "A" }),
});
cookie = account.headers
  .getSetCookie()
  .map((line) => line.split(";")[0])
  .join("; ");
for (const name of ["own", "other"]) {
  const made = await auth.api.adminCreateOAuthClient({
    headers: new Headers({ cookie }),
    body: {
      redirect_uris: [redirect],
      client_name: name,
      scope: "openid offline_access read",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      skip_consent: true,
      application_type: "native",
      token_endpoint_auth_method: "client_secret_basic",
    },
  });
  clients[name] = { id: made.client_id, secret: made.client_secret };
}
process.stdout.write(`${JSON.stringify({ issuer: `${origin}/api/auth`, origin, ...clients })}\n`);
