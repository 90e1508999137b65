// Reads the credentials of a login and tests them with a read, before anything is stored.
//
//   login               tested by
//   user name           a page of grants
//   --app               a check of the application's active token in --proof-token-file
//   --app, OAuth 2.0    the introspection of a made-up token, and of the proof token
//   --with-token        the owner of the token
//
// Without a proof token, a client secret cannot be tested, and is stored as not verified if the server is the API.
import { randomBytes } from "node:crypto";
import type { SecretKind } from "../../config/configuration.ts";
import { Failure, isFailure, usageFailure } from "../../errors/errors.ts";
import { foreign } from "../../errors/foreign.ts";
import { encodeBasic } from "../../http/authorization.ts";
import type { Context } from "../../run/context.ts";
import type { ApplicationService, ServerAccess } from "../../run/server-access.ts";
import { checkIsApi, findServer, hintAtOAuth, type FoundServer } from "./find-server.ts";

export interface Login extends FoundServer {
  readonly kind: SecretKind;
  /** The user name, or the client ID. */
  readonly name: string;
  readonly secret: string;
  /** True if a command of the profile prints the secret, so that none needs to be stored. */
  readonly isFromCommand: boolean;
  /** When and how the server accepted it; null if it did not. */
  readonly verified: string | null;
}

/** What is known before the first request; the secret is null if it is to be typed. */
interface Given {
  readonly kind: SecretKind;
  readonly name: string;
  readonly secret: string | null;
  readonly isFromCommand: boolean;
}

/**
 * Reads the credentials and tests them. Secrets from elsewhere than a prompt are read first, so that a malformed one
 * sends nothing; others are asked for when the server is known. Throws the failure of the test.
 */
export async function verifyLogin(
  url: string,
  kind: SecretKind,
  proofToken: string | null,
  context: Context,
): Promise<Login> {
  const { redactor, notices } = context;
  const given = await readGiven(kind, context.serverAt(url), context);
  const found = await findServer(url, kind, context);
  for (let tries = 1; ; tries += 1) {
    const secret = given.secret ?? (await typeSecret(given, found.server));
    redactor.add(secret);
    try {
      const verified = await testers[kind](
        { ...given, ...found, secret, verified: null },
        proofToken,
        context,
      );
      return { ...given, ...found, secret, ...verified };
    } catch (error) {
      const rejection = rejectionOf(error, kind);
      if (rejection === null || !isFailure(error)) throw error;
      if (given.secret !== null || tries === maxTries) {
        const isOther = !found.isKnown && !context.serverType.publishesMetadata;
        const hint = isOther ? await hintAtOAuth(found.server) : null;
        throw error.with({ hint: hint ?? nothingStored }, rejection);
      }
      notices.warn(`${rejection}. Try again.`);
    }
  }
}

/** As with `ssh` and `sudo`, a typo does not end the login. */
const maxTries = 3;

const nothingStored = "Nothing was stored. Check the credentials and the path of the URL, and log in again.";

async function readGiven(
  kind: SecretKind,
  { logins, origin }: ServerAccess,
  context: Context,
): Promise<Given> {
  origin();
  if (kind === "token") {
    const secret = await readLoginToken(origin().href, context);
    return { kind, name: "", secret, isFromCommand: false };
  }
  const name = await (kind === "password" ? logins.username() : logins.applicationClientId());
  const place = logins
    .places(kind, name)
    .find(({ isSet, source }) => isSet && ["flag", "environment", "profile"].includes(source));
  if (place === undefined) {
    const { missingSecret } = logins;
    await context.prompter.check((why) => missingSecret(kind, name, why));
    return { kind, name, secret: null, isFromCommand: false };
  }
  const secret = await place.read();
  // Throws for what cannot be sent.
  if (!context.serverType.publishesMetadata) encodeBasic({ username: name, password: secret });
  return { kind, name, secret, isFromCommand: place.source === "profile" };
}

async function typeSecret({ kind, name }: Given, { logins }: ServerAccess): Promise<string> {
  return (await logins.places(kind, name).at(-1)?.read()) ?? "";
}

/** Reads the token from standard input, or asks for it. */
async function readLoginToken(
  href: string,
  { standardInput, prompter, serverType }: Context,
): Promise<string> {
  const text = standardInput.isTerminal
    ? await prompter.askSecret(`Token for ${href}:`, (why) =>
        usageFailure(`there is no token, and ${why}`, "Pass it on standard input."),
      )
    : await standardInput.read("the token");
  const { readOneToken } = await import("../../reports/read-tokens.ts");
  return readOneToken(text, "the token", serverType.longestToken);
}

/** The message if the server rejected the credentials; null for any other error. */
function rejectionOf(error: unknown, kind: SecretKind): string | null {
  if (!isFailure(error, "authentication", "not-found") || error.details.status === undefined) return null;
  return error.kind === "not-found"
    ? `${wrongCredentials[kind]}, or this server does not have the API`
    : error.marked;
}

/** The meaning of "not found" at a login. The server does not report which part of the credentials is wrong. */
const wrongCredentials: Readonly<Record<SecretKind, string>> = {
  password: "the user name or the password is wrong",
  "client-secret": "the client ID, the client secret or the token is wrong",
  token: "the token is wrong",
};

type Verified = Pick<Login, "verified"> & Partial<Pick<Login, "name">>;

/** Each throws the failure of its request. */
const testers: Readonly<
  Record<SecretKind, (login: Login, proofToken: string | null, context: Context) => Promise<Verified>>
> = {
  async password({ server, name, secret }, _, context) {
    const { service } = await server.accountService({ username: name, password: secret });
    const { listGrants } = await import("../../api/grants.ts");
    await listGrants(service, { limit: 1, perPage: 1, concurrency: 1 }).next();
    return verifiedBy("listing grants", context);
  },
  async token({ server, secret }, _, context) {
    const { getUsername } = await import("../../api/inspection.ts");
    const name = await getUsername(await server.tokenService(secret));
    // Basic credentials, and so a profile, cannot hold it (RFC 7617, section 2).
    if (/[:\p{Cc}]/u.test(name))
      throw new Failure("protocol", `the server returned ${foreign(name)}, which cannot be a user name`);
    return { name, ...verifiedBy("reading its user", context) };
  },
  async "client-secret"({ server, name, secret, isKnown }, proofToken, context) {
    if (context.serverType.publishesMetadata) {
      const application = await server.applicationService({ clientId: name, clientSecret: secret });
      return testLoginOfClient(application, isKnown, proofToken, context);
    }
    if (proofToken === null) {
      if (!isKnown) await checkIsApi(server);
      return { verified: null };
    }
    const { service } = await server.applicationService({ clientId: name, clientSecret: secret });
    const { checkToken } = await import("../../api/tokens.ts");
    await checkToken(service, name, proofToken);
    return verifiedBy("checking an active token", context);
  },
};

/** As in `2026-11-28T07:30:00Z, by listing grants`. */
function verifiedBy(means: string, { host }: Context): Verified {
  return { verified: `${new Date(host.now()).toISOString().replace(/\.\d+Z$/, "Z")}, by ${means}` };
}

async function testLoginOfClient(
  application: ApplicationService,
  isKnown: boolean,
  proofToken: string | null,
  context: Context,
): Promise<Verified> {
  const { isVerified, refusal } = await testClient(application, proofToken);
  if (isVerified) {
    if (refusal !== null) {
      const { hint } = refusal.details;
      const more = hint === undefined ? "" : `. ${hint}`;
      context.notices.warn(`the server accepts the credentials, but ${refusal.marked}${more}`);
    }
    return verifiedBy("introspection", context);
  }
  if (isKnown) return { verified: null };
  throw new Failure("protocol", "nothing shows that this is an OAuth 2.0 server, so nothing was stored");
}

interface ClientTest {
  /** False if the server has no introspection endpoint to test the credentials with. */
  readonly isVerified: boolean;
  /** Why the server does not show the client its active token; null if it does, and without a token. */
  readonly refusal: Failure | null;
}

/** Tests a client of an OAuth 2.0 server. Throws an authentication failure if the credentials are wrong. */
export async function testClient(
  { service, clientId }: ApplicationService,
  proofToken: string | null,
): Promise<ClientTest> {
  if ((await service.endpoints?.pathOf("introspection")) === null)
    return { isVerified: false, refusal: null };
  const { introspectToken, verifyClient } = await import("../../api/standard-tokens.ts");
  // A token that no server has issued.
  await verifyClient(service, clientId, `grantctl-${randomBytes(24).toString("base64url")}`);
  try {
    if (proofToken !== null) await introspectToken(service, clientId, proofToken);
    return { isVerified: true, refusal: null };
  } catch (error) {
    if (!isFailure(error, "not-found", "refused")) throw error;
    return { isVerified: true, refusal: error };
  }
}
