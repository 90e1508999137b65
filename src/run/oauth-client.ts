// A client of an OAuth 2.0 server: its endpoints, and how it authenticates at each. Paths set by hand win over the metadata,
// which is not requested at all if nothing is left to find out.
import { endpointPath, isWithoutMetadata, offeredMethods, type ServerMetadata } from "../api/oauth-server.ts";
import type { Settings } from "../config/settings.ts";
import { usageFailure } from "../errors/errors.ts";
import type { Credentials, Client, ClientAuth } from "../http/authentication.ts";
import type { Origin } from "../http/urls.ts";
import type { EndpointName } from "../http/request.ts";
import type { Endpoints } from "../http/service.ts";

type ReadMetadata = () => Promise<ServerMetadata>;

const methodNames = { basic: "client_secret_basic", post: "client_secret_post", none: "none" } as const;

/** Throws a usage failure for a client ID or secret that OAuth 2.0 does not allow. */
export function openClient(
  settings: Settings,
  origin: Origin,
  readMetadata: ReadMetadata,
  credentials: Credentials,
): { readonly endpoints: Endpoints; readonly client: Client } {
  const { name, secret } = credentials;
  if (!/^[\x20-\x7e]+$/.test(name) || !/^[\x20-\x7e]*$/.test(secret))
    throw usageFailure("the client ID or secret is not printable ASCII (RFC 6749, A.1)");
  const chosen = settings.clientAuth?.value as ClientAuth | undefined;
  const found = new Map<EndpointName, { readonly auth: ClientAuth; readonly offered: readonly string[] }>();
  // Requests of `grantctl api` are for no endpoint.
  const authAt = async (endpoint: EndpointName = "introspection"): Promise<ClientAuth> => {
    const known = found.get(endpoint);
    if (known !== undefined) return known.auth;
    const offered = chosen === undefined ? await methodsAt(endpoint, settings, readMetadata) : null;
    const auth = chosen ?? chooseMethod(endpoint, offered, credentials);
    found.set(endpoint, { auth, offered: offered ?? [] });
    return auth;
  };
  const { pathOf } = openEndpoints(settings, origin, readMetadata);
  return {
    client: { ...credentials, authAt },
    endpoints: {
      async pathOf(endpoint) {
        const path = await pathOf(endpoint);
        // Asked here: in the client layer, a failure of the metadata would look like one of the endpoint.
        if (path !== null) await authAt(endpoint);
        return path;
      },
      clientHint(endpoint) {
        const { auth = "basic", offered = [] } = found.get(endpoint) ?? {};
        const others = offered.filter((method) => method !== methodNames[auth]);
        const more = others.length === 0 ? "" : `; it also offers ${others.join(", ")}`;
        const orNone =
          endpoint === "introspection"
            ? ", or introspection_path to none if the client may not introspect"
            : "";
        return `The client authenticated at the ${endpoint} endpoint with ${methodNames[auth]}${more}. Run \`grantctl auth status\` to see its ID, or set client_auth to another method${orNone}.`;
      },
    },
  };
}

/** Throws a usage failure if the server offers no method that grantctl supports. `offered` is null if it does not say. */
function chooseMethod(
  endpoint: EndpointName,
  offered: readonly string[] | null,
  { name, secret }: Credentials,
): ClientAuth {
  // Servers differ in how they read what form-encoding changes.
  const isSpecial = /[^\w.*-]/.test(name + secret);
  const order = isSpecial ? (["post", "basic", "none"] as const) : (["basic", "post", "none"] as const);
  const method = order.find((each) => offered?.includes(methodNames[each]) ?? true);
  if (method !== undefined) return method;
  throw usageFailure(
    `the server's ${endpoint} endpoint offers no client authentication that grantctl supports (${[...new Set(offered)].join(", ") || "it names none"})`,
    "To try one, run `grantctl config set client_auth METHOD` with basic, post or none.",
  );
}

/** The methods that the server offers at an endpoint; null if it does not say, or need not be asked. */
async function methodsAt(name: EndpointName, settings: Settings, readMetadata: ReadMetadata) {
  if (settings.introspectionPath !== undefined && settings.revocationPath !== undefined) return null;
  try {
    return offeredMethods(await readMetadata(), name);
  } catch (error) {
    if (pathByHand(settings, name) !== undefined && isWithoutMetadata(error)) return null;
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
  };
}

function pathByHand(settings: Settings, name: EndpointName): string | undefined {
  return settings[`${name}Path`]?.value;
}
