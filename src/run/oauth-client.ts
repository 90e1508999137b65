// A client of an OAuth 2.0 server: its endpoints, and how it authenticates at each. Paths set by hand win over the metadata,
// which is not requested at all if nothing is left to find out.
import { endpointPath, isUnusableMetadata, type ServerMetadata } from "../api/authorization-server.ts";
import type { Settings } from "../config/settings.ts";
import { usageFailure } from "../errors/errors.ts";
import type { BasicCredentials, Client, ClientAuth } from "../http/authorization.ts";
import type { Origin } from "../http/origin.ts";
import type { EndpointName } from "../http/request.ts";
import type { Endpoints } from "../http/service.ts";

type ReadMetadata = () => Promise<ServerMetadata>;

interface OAuthClient {
  readonly endpoints: Endpoints;
  readonly client: Client;
}

const methodNames = { basic: "client_secret_basic", post: "client_secret_post", none: "none" } as const;

/** Throws a usage failure for a client ID or secret that OAuth 2.0 does not allow. */
export function openClient(
  settings: Settings,
  origin: Origin,
  readMetadata: ReadMetadata,
  { username, password: written }: BasicCredentials,
): OAuthClient {
  const password = written.replace(/\r?\n$/, "");
  if (!/^[\x20-\x7e]+$/.test(username) || !/^[\x20-\x7e]*$/.test(password))
    throw usageFailure("the client ID or secret is not printable ASCII (RFC 6749, A.1)");
  const chosen = settings.clientAuth?.value as ClientAuth | undefined;
  const { pathOf } = openEndpoints(settings, origin, readMetadata);
  const offered = new Map<EndpointName, readonly string[]>();
  const findAuth = async (name: EndpointName): Promise<ClientAuth> => {
    if (chosen !== undefined) return chosen;
    const methods = hasPaths(settings) ? null : await offeredMethods(readMetadata, name, settings);
    if (methods !== null) offered.set(name, methods);
    // Servers differ in how they read what form-encoding changes.
    const isSpecial = /[^\w.*-]/.test(username + password);
    const order = isSpecial ? (["post", "basic", "none"] as const) : (["basic", "post", "none"] as const);
    const auth = methods === null ? order[0] : order.find((each) => methods.includes(methodNames[each]));
    if (auth !== undefined) return auth;
    throw usageFailure(
      `the server's ${name} endpoint offers no client authentication that grantctl supports (${[...new Set(methods)].join(", ")})`,
      "To try one, run `grantctl config set client_auth METHOD` with basic, post or none.",
    );
  };
  const auths = new Map<EndpointName, ClientAuth>();
  // Requests of `grantctl api` are for no endpoint.
  const authAt = async (name: EndpointName = "introspection"): Promise<ClientAuth> => {
    const auth = auths.get(name) ?? (await findAuth(name));
    auths.set(name, auth);
    return auth;
  };
  return {
    client: { username, password, authAt },
    endpoints: {
      async pathOf(name) {
        const path = await pathOf(name);
        // Not left to the layer that authenticates: a failure of the metadata is none of the endpoint.
        if (path !== null) await authAt(name);
        return path;
      },
      clientHint(name) {
        const used = auths.get(name) ?? "basic";
        const others = offered.get(name)?.filter((method) => method !== methodNames[used]) ?? [];
        const more = others.length === 0 ? "" : `; it also offers ${others.join(", ")}`;
        const orNone =
          name === "introspection" ? ", or introspection_path to none if the client may not introspect" : "";
        return `The client authenticated at the ${name} endpoint with ${methodNames[used]}${more}. Run \`grantctl auth status\` to see its ID, or set client_auth to another method${orNone}.`;
      },
    },
  };
}

/** The methods that the server offers at an endpoint; null if it does not say, or need not be asked. */
async function offeredMethods(
  readMetadata: ReadMetadata,
  name: EndpointName,
  settings: Settings,
): Promise<readonly string[] | null> {
  try {
    return (await readMetadata()).methods[name];
  } catch (error) {
    if (pathByHand(settings, name) !== undefined && isUnusableMetadata(error)) return null;
    throw error;
  }
}

/** The endpoints: those with a path by hand, and those of the metadata, which is requested on first use. */
export function openEndpoints(settings: Settings, origin: Origin, readMetadata: ReadMetadata): Endpoints {
  return {
    async pathOf(name) {
      const path = pathByHand(settings, name);
      if (path !== undefined) return path === "none" ? null : path;
      return endpointPath(await readMetadata(), name, origin);
    },
    clientHint: () => "",
  };
}

function pathByHand(settings: Settings, name: EndpointName): string | undefined {
  return settings[`${name}Path`]?.value;
}

function hasPaths(settings: Settings): boolean {
  return settings.introspectionPath !== undefined && settings.revocationPath !== undefined;
}
