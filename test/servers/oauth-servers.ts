// Third-party OAuth 2.0 servers in this process: oidc-provider, which is certified, and oauth2-mock-server, which
// reports every token as active. Each exposes its store, so that a test can compare responses with the real state.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { OAuth2Server } from "oauth2-mock-server";
import type Provider from "oidc-provider";
import { onTestFinished, vi } from "vitest";

export interface Application {
  readonly id: string;
  readonly secret: string;
  readonly auth: "basic" | "post";
}

/** `jwt` is a self-contained access token, `expired` one that has expired, and `old` the refresh token of such a one. */
export type TokenKind = "access" | "refresh" | "jwt" | "expired" | "old";

export interface OAuthServer {
  readonly issuer: string;
  /** The application whose tokens are checked and revoked. */
  readonly own: Application;
  readonly other: Application;
  /** Creates a token of an application, with a separate sign-in. */
  issue(kind: TokenKind, application: Application): Promise<string>;
  /** True if the server's store has the token. */
  isActive(token: string): Promise<boolean>;
  /** The requests so far, as "POST /token/revocation". */
  readonly requests: readonly string[];
}

export interface ProviderOptions {
  /** The issuer's path, such as `/realms/main`; metadata is then only at OpenID's location. */
  readonly path?: string;
  readonly own?: Application;
  /** True if introspection reports every token as inactive, as some servers do to all but the token's audience. */
  readonly hidesTokens?: boolean;
}

export const plainApplication: Application = { id: "app", secret: "plain-secret", auth: "basic" };

export const otherApplication: Application = { id: "other", secret: "another-secret", auth: "basic" };

/** The environment with a server's URL and the credentials of one of its applications. */
export function environmentOf(
  { issuer, own }: Pick<OAuthServer, "issuer" | "own">,
  { id, secret }: Application = own,
): Readonly<Record<string, string>> {
  return {
    GRANTCTL_SERVER_TYPE: "oauth",
    GRANTCTL_BASE_URL: issuer,
    GRANTCTL_CLIENT_ID: id,
    GRANTCTL_CLIENT_SECRET: secret,
  };
}

/** Starts oidc-provider; it is closed when the test ends. */
export async function startOidcProvider(options: ProviderOptions = {}): Promise<OAuthServer> {
  const { path = "", own = plainApplication, hidesTokens = false } = options;
  const other = otherApplication;
  const { server, origin } = await listen();
  const Constructor = await loadQuietly();
  const provider = new Constructor(origin + path, {
    clients: [own, other].map(({ id, secret, auth }) => ({
      client_id: id,
      client_secret: secret,
      token_endpoint_auth_method: `client_secret_${auth}`,
      grant_types: ["authorization_code", "refresh_token"],
      redirect_uris: ["https://app.example.com/callback"],
    })),
    features: {
      devInteractions: { enabled: false },
      introspection: { enabled: true, allowedPolicy: () => !hidesTokens },
      revocation: { enabled: true },
    },
    adapter: createAdapters(),
    findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
    scopes: ["openid", "offline_access", "reports"],
    ttl: { Grant: 3600, AccessToken: 3600, RefreshToken: 86_400 },
    cookies: { keys: ["none"] },
  });
  const requests: string[] = [];
  const handle = provider.callback();
  server.on("request", (request, response) => {
    const url = request.url ?? "";
    requests.push(`${request.method} ${url}`);
    if (url.startsWith(`${path}/`)) {
      // Frameworks do this for an application that is mounted below a path.
      handle(Object.assign(request, { originalUrl: url, url: url.slice(path.length) }), response);
    } else response.writeHead(404).end();
  });
  return {
    issuer: origin + path,
    own,
    other,
    requests,
    issue: async (kind, { id }) => {
      const client = await provider.Client.find(id);
      if (client === undefined) throw new Error(`no client ${id}`);
      const grant = new provider.Grant({ accountId: "octavia", clientId: id });
      grant.addOIDCScope("openid offline_access");
      const fields = {
        client,
        accountId: "octavia",
        grantId: await grant.save(),
        scope: kind === "jwt" ? "reports" : "openid offline_access",
        gty: "authorization_code",
      };
      const token = new provider[kind === "refresh" ? "RefreshToken" : "AccessToken"](fields);
      if (kind === "jwt") {
        const format = { accessTokenFormat: "jwt", scope: "reports" };
        token.resourceServer = new provider.ResourceServer("urn:reports", format);
      }
      return token.save();
    },
    // A JWT is not in the store: it is valid until it expires and cannot be revoked.
    isActive: async (token) =>
      token.split(".").length === 3 ||
      (await provider.AccessToken.find(token)) !== undefined ||
      (await provider.RefreshToken.find(token)) !== undefined,
  };
}

/** Starts oauth2-mock-server, which reports even revoked tokens as active; it is closed when the test ends. */
export async function startLiar(): Promise<OAuthServer> {
  const server = new OAuth2Server();
  await server.issuer.keys.generate("RS256");
  await server.start(0, "127.0.0.1");
  onTestFinished(() => server.stop());
  return {
    // It listens on 127.0.0.1, but its issuer is localhost.
    issuer: server.issuer.url ?? "",
    own: plainApplication,
    other: otherApplication,
    issue: () => Promise.resolve("any-token-at-all"),
    isActive: () => Promise.resolve(true),
    requests: [],
  };
}

async function listen(): Promise<{ readonly server: Server; readonly origin: string }> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** oidc-provider warns about the Node version when it is loaded, and about its development keys. */
async function loadQuietly(): Promise<typeof Provider> {
  const warnings = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  const notices = vi.spyOn(console, "info").mockImplementation(() => undefined);
  onTestFinished(() => {
    warnings.mockRestore();
    notices.mockRestore();
  });
  return (await import("oidc-provider")).default;
}

type Payload = Readonly<Record<string, unknown>> & { readonly grantId?: string };

/** Adapters over one map, because oidc-provider's own store keeps only the newest 1,000 entries. */
function createAdapters(): (model: string) => object {
  const entries = new Map<string, Payload>();
  return (model) => {
    const keyOf = (id: string): string => `${model}:${id}`;
    return {
      upsert: (id: string, payload: Payload) => Promise.resolve(void entries.set(keyOf(id), payload)),
      find: (id: string) => Promise.resolve(entries.get(keyOf(id))),
      findByUid: () => Promise.resolve(undefined),
      findByUserCode: () => Promise.resolve(undefined),
      consume: () => Promise.resolve(),
      destroy: (id: string) => Promise.resolve(void entries.delete(keyOf(id))),
      revokeByGrantId: (grantId: string) => {
        for (const [key, payload] of entries) if (payload.grantId === grantId) entries.delete(key);
        return Promise.resolve();
      },
    };
  };
}
