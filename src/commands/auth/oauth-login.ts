// Login of an OAuth 2.0 client: reports the endpoints and methods in the server's metadata, verifies the credentials by
// introspecting a made-up token, and reports whether the server shows active tokens to this client; `doctor` runs the
// same test. Also detects an OAuth 2.0 server at a login for another server type.
import { randomBytes } from "node:crypto";
import { isUnusableMetadata, type ServerMetadata } from "../../api/authorization-server.ts";
import { isServerTypeChosen } from "../../config/settings.ts";
import { isFailure, type Failure } from "../../errors/errors.ts";
import { foreign } from "../../errors/foreign.ts";
import type { ServerAccess, ApplicationService } from "../../run/server-access.ts";
import type { Context } from "../../run/context.ts";

/** Prints the endpoints in the server's metadata. Throws the failure to read it, unless the endpoints are configured. */
export async function reportEndpoints(server: ServerAccess, { notices, settings }: Context): Promise<void> {
  try {
    for (const line of metadataLines(await server.metadata())) notices.note(line);
  } catch (error) {
    if (settings.introspectionPath === undefined || !isUnusableMetadata(error)) throw error;
    notices.warn(`${error.marked}; grantctl uses the configured paths`);
  }
}

/**
 * Verifies the credentials and, given an active token, that the server shows it to this client. Resolves with false if
 * the credentials could not be verified; throws an authentication failure if they are wrong.
 */
export async function proveClient(
  application: ApplicationService,
  token: string | null,
  { notices }: Context,
): Promise<boolean> {
  const { isVerified, refusal } = await testClient(application, token);
  if (!isVerified) {
    notices.warn("the server has no introspection endpoint, so the credentials were not verified");
  } else if (refusal !== null) {
    const { hint } = refusal.details;
    notices.warn(
      `the server accepts the credentials, but ${refusal.marked}${hint === undefined ? "" : `. ${hint}`}`,
    );
  } else if (token !== null) notices.note("the server shows this client its own tokens");
  return isVerified;
}

interface ClientTest {
  /** False if the server has no introspection endpoint to test them with. */
  readonly isVerified: boolean;
  /** The reason why the server does not show the client its active token; null if it does, and without a token. */
  readonly refusal: Failure | null;
}

/** Tests a client's credentials, and if there is an active token, whether the server shows it to the client. */
export async function testClient(
  { service, clientId }: ApplicationService,
  token: string | null,
): Promise<ClientTest> {
  if ((await service.endpoints?.pathOf("introspection")) === null)
    return { isVerified: false, refusal: null };
  const { introspectToken, verifyClient } = await import("../../api/standard-tokens.ts");
  // A token that no server has issued.
  await verifyClient(service, clientId, `grantctl-${randomBytes(24).toString("base64url")}`);
  try {
    if (token !== null) await introspectToken(service, clientId, token);
    return { isVerified: true, refusal: null };
  } catch (error) {
    if (!isFailure(error, "not-found", "refused")) throw error;
    return { isVerified: true, refusal: error };
  }
}

export function metadataLines(metadata: ServerMetadata | null): readonly string[] {
  if (metadata === null) return ["the server publishes no metadata"];
  const { endpoints, methods } = metadata;
  return (["introspection", "revocation", "userinfo"] as const).map((name) => {
    const offered = methods[name] ?? [];
    const how = offered.length === 0 ? "" : ` (${foreign(offered.join(", "))})`;
    return `${name} endpoint: ${endpoints[name] === null ? "none" : foreign(endpoints[name])}${how}`;
  });
}

/** Warns of an OAuth 2.0 server at a login for another server type, if the credentials cannot be tested. */
export async function warnOfOAuth(server: ServerAccess, context: Context): Promise<void> {
  if (isServerTypeChosen(context.settings) || (await server.metadata().catch(() => null)) === null) return;
  context.notices.warn(
    `${server.origin().href} is an OAuth 2.0 server. Its token commands require --server-type oauth.`,
  );
}

/** Returns the failure of a login; if the server is an OAuth 2.0 server, its hint names that server type. */
export async function suggestOAuth(
  failure: unknown,
  server: ServerAccess,
  context: Context,
): Promise<unknown> {
  const isAnswered = isFailure(failure, "authentication", "not-found", "protocol", "refused");
  if (isServerTypeChosen(context.settings) || !isAnswered || failure.details.status === undefined)
    return failure;
  const metadata = await server.metadata().catch(() => null);
  if (metadata === null) return failure;
  return failure.with({
    hint: `This is an OAuth 2.0 server. Run \`grantctl auth login --app --server-type oauth --base-url ${server.origin().href}\`.`,
  });
}
