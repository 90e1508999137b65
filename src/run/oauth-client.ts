// A client of an OAuth 2.0 server: its endpoints, and how it authenticates at each. Paths set by hand win over the metadata,
// which is not requested at all if nothing is left to find out. Metadata that cannot be used is a failure only if
// something is needed from it: an endpoint with a path by hand is then used with Basic credentials.
import {
  endpointPath,
  isUnusableMetadata,
  offeredAuth,
  type ClientAuth,
  type ServerMetadata,
} from "../api/authorization-server.ts";
import type { Settings } from "../config/settings.ts";
import { usageFailure } from "../errors/errors.ts";
import { hints } from "../errors/hints.ts";
import type { BasicCredentials, Client } from "../http/authorization.ts";
import type { Origin } from "../http/origin.ts";
import type { EndpointName } from "../http/request.ts";
import type { Endpoints } from "../http/service.ts";

type ReadMetadata = () => Promise<ServerMetadata | null>;

interface OAuthClient {
  readonly endpoints: Endpoints;
  readonly client: Client;
}

/** Throws a usage failure for a client ID or secret that OAuth 2.0 does not allow, or an invalid path. */
export function openClient(
  settings: Settings,
  origin: Origin,
  readMetadata: ReadMetadata,
  { username, password }: BasicCredentials,
): OAuthClient {
  for (const [name, text] of [
    ["client ID", username],
    ["client secret", password],
  ] as const) {
    if (!/^[\x20-\x7e]+$/.test(text))
      throw usageFailure(`the ${name} is not printable ASCII (RFC 6749, A.1)`);
  }
  const paths = pathsByHand(settings);
  const chosen = settings.clientAuth?.value;
  const findPath = createPathFinder(paths, origin, readMetadata);
  const auths = new Map<EndpointName, ClientAuth>();
  const findAuth = async (name: EndpointName): Promise<ClientAuth> => {
    if (chosen !== undefined) return chosen === "post" ? "post" : "basic";
    if (hasAllPaths(paths)) return "basic";
    try {
      const metadata = await readMetadata();
      return metadata === null ? "basic" : offeredAuth(metadata, name);
    } catch (error) {
      if (paths[name] !== undefined && isUnusableMetadata(error)) return "basic";
      throw error;
    }
  };
  const authAt = async (name: EndpointName): Promise<ClientAuth> => {
    const auth = auths.get(name) ?? (await findAuth(name));
    auths.set(name, auth);
    return auth;
  };
  const isSpecial = /[^\w.*-]/.test(username + password);
  return {
    client: {
      username,
      password,
      // Requests of `grantctl api` are for no endpoint.
      isInForm: async (name = "introspection") => (await authAt(name)) === "post",
    },
    endpoints: {
      async pathOf(name) {
        const path = await findPath(name);
        // Not left to the layer that authenticates: a failure of the metadata is none of the endpoint.
        if (path !== null) await authAt(name);
        return path;
      },
      clientHint: (name) =>
        isSpecial && auths.get(name) === "basic"
          ? "Servers differ in how they read special characters in a client ID or secret. Run `grantctl config set client_auth post` to try the other way."
          : hints.credentials,
    },
  };
}

/** The endpoints for requests without client authentication. */
export function openEndpoints(settings: Settings, origin: Origin, readMetadata: ReadMetadata): Endpoints {
  return { pathOf: createPathFinder(pathsByHand(settings), origin, readMetadata), clientHint: () => "" };
}

type Paths = Readonly<Partial<Record<EndpointName, string>>>;

/** Finds configured paths, or those of the metadata, which is requested on first use. */
function createPathFinder(paths: Paths, origin: Origin, readMetadata: ReadMetadata): Endpoints["pathOf"] {
  return async (name) => {
    const path = paths[name];
    if (path !== undefined) return path;
    const metadata = hasAllPaths(paths) && name !== "userinfo" ? null : await readMetadata();
    return metadata === null ? null : endpointPath(metadata, name, origin);
  };
}

function hasAllPaths({ introspection, revocation }: Paths): boolean {
  return introspection !== undefined && revocation !== undefined;
}

function pathsByHand({ introspectionPath, revocationPath }: Settings): Paths {
  return {
    ...(introspectionPath === undefined ? {} : { introspection: introspectionPath.value }),
    ...(revocationPath === undefined ? {} : { revocation: revocationPath.value }),
  };
}
