// Tests credentials with a read before they are stored.
import { Readable } from "node:stream";
import type { ApplicationCredentials, ServerAccess } from "../../run/server-access.ts";
import type { Context } from "../../run/context.ts";
import { Failure, usageFailure } from "../../errors/errors.ts";
import { foreign } from "../../errors/foreign.ts";
import type { BasicCredentials } from "../../http/authorization.ts";

/** Maximum wait for a token on standard input: a script that pipes one in sends it at once. */
const tokenLimitMs = 5000;

/**
 * Tests the credentials by reading a page of grants. Resolves with true if the server required a one-time password.
 * Throws the failure of the read.
 */
export async function proveAccount(credentials: BasicCredentials, server: ServerAccess): Promise<boolean> {
  const { service, requiredCode } = await server.accountService(credentials);
  const { listGrants } = await import("../../api/grants.ts");
  await listGrants(service, { limit: 1, page: 1, perPage: 1, concurrency: 1 }).next();
  return requiredCode();
}

/**
 * Reads an active token from standard input; without one, a client secret cannot be tested. Null if there is none.
 * Throws a usage failure if the text is not a token.
 */
export async function readActiveToken(context: Context): Promise<string | null> {
  const { standardInput, options } = context;
  if (standardInput.isTerminal || options.clientSecretStdin === true) return null;
  const text = await standardInput.readSoon("a token", tokenLimitMs);
  if (text === null || text.trim() === "") return null;
  return readOneToken(text, "standard input must contain one token, to verify the client secret", context);
}

/** Checks one of the application's tokens with its credentials. Throws the check's failure. */
export async function proveApplication(
  credentials: ApplicationCredentials,
  token: string,
  server: ServerAccess,
): Promise<void> {
  const { service, clientId } = await server.applicationService(credentials);
  const { checkToken } = await import("../../api/tokens.ts");
  await checkToken(service, clientId, token);
}

/** Reads the token from standard input, or prompts for it. Throws a usage failure unless there is exactly one. */
export async function readLoginToken(server: ServerAccess, context: Context): Promise<string> {
  const { standardInput } = context;
  const text = standardInput.isTerminal
    ? await context.prompter.askSecret(`Token for ${server.origin().href}:`, () =>
        usageFailure("there is no token", "Pass it on standard input."),
      )
    : await standardInput.read("the token");
  return readOneToken(text, "standard input must contain exactly one token", context);
}

/** Parses the text as `token check` does. Throws a usage failure with the message `notOne` unless it has one token. */
async function readOneToken(text: string, notOne: string, { operator, redactor }: Context): Promise<string> {
  const { readReport } = await import("../../reports/read-report.ts");
  const { tokens } = await readReport(Readable.from([Buffer.from(text)]), {
    from: "text",
    onlyVerified: false,
    skipsOtherKinds: false,
    longestToken: operator.longestToken,
    refuse: usageFailure,
  });
  const [token, ...others] = tokens;
  if (token === undefined || others.length > 0) throw usageFailure(notOne);
  redactor.add(token);
  return token;
}

/**
 * Looks up the owner of a token, and resolves with the user name. Throws the failure of the read, and a protocol
 * failure for a name that Basic credentials, and so a profile, cannot hold (RFC 7617, section 2).
 */
export async function proveToken(token: string, server: ServerAccess): Promise<string> {
  const { getUsername } = await import("../../api/inspection.ts");
  const name = await getUsername(await server.tokenService(token));
  if (/[:\p{Cc}]/u.test(name)) {
    throw new Failure("protocol", `the server returned ${foreign(name)}, which cannot be a user name`);
  }
  return name;
}
