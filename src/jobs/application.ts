// The application of a job: its service, the read of its tokens, and their proof. A token of --proof-token-file, an active
// one of the same application, is checked before anything else is sent, and shows that the credentials are right. An OAuth
// 2.0 server rejects wrong clients itself, and its tokens live for minutes: there may be several, one of each type, and one
// that is not active is only a warning.
import type { Command } from "commander";
import type { CheckedToken } from "../api/tokens.ts";
import { Failure, isFailure, usageFailure } from "../errors/errors.ts";
import { hints } from "../errors/hints.ts";
import { spacedTime, withCommas } from "../errors/words.ts";
import { textOf } from "../json.ts";
import { isItemNotFound } from "../http/responses.ts";
import type { ApplicationService } from "../run/server-access.ts";
import type { Context } from "../run/context.ts";
import { readTextFile } from "../system/reads.ts";
import { lastEight, tokenName } from "../token.ts";
import { Proof } from "./proof.ts";

export interface ProofOptions {
  readonly proofTokenFile?: string;
}

export function addProofOptions(command: Command): Command {
  return command.option(
    "--proof-token-file <file>",
    "File containing one of the application's active tokens, used to verify that the credentials are correct; at an OAuth 2.0 server, one of each type",
  );
}

export interface JobApplication extends ApplicationService {
  /** Resolves with what the server has of an active token. Throws the failure of the request, such as "not found". */
  readonly read: (token: string) => Promise<CheckedToken>;
  readonly proof: Proof;
  /** The statement that none of this number of tokens is active: with the application, the server and the time. */
  readonly noneIsActive: (count: number) => string;
  /** The response to the check of the proof token; null without one. */
  readonly proofCheck: CheckedToken | null;
}

const howToProve = {
  oauth:
    "To verify that a token is not active, pass active tokens of the same application with --proof-token-file FILE: for a JWT one of its type, otherwise an access token and a refresh token, if the server reports their types.",
  others:
    "To verify that a token is not active, pass an active token of the same application with --proof-token-file FILE.",
};

/**
 * The application, after a check of the proof tokens. Throws an authentication failure if the server finds none.
 */
export async function openApplication(
  proofTokens: readonly string[],
  context: Context,
): Promise<JobApplication> {
  const application = await context.server.applicationService();
  const { service, clientId } = application;
  const { checkToken } = await import("../api/tokens.ts");
  const isOauth = service.serverType.isOauth;
  const types = isOauth ? new Map<string, string>() : null;
  let name = `the application ${clientId}`;
  const read = async (token: string): Promise<CheckedToken> => {
    const checked = await checkToken(service, clientId, token);
    if ("id" in checked) name = textOf(checked.app?.name) ?? name;
    else types?.set(token, checked.type);
    return checked;
  };
  const active: string[] = [];
  let proofCheck: CheckedToken | null = null;
  for (const token of proofTokens) {
    const response = await checkProofToken(token, read, context);
    if (response !== null) active.push(token);
    proofCheck ??= response;
  }
  return {
    ...application,
    read,
    proofCheck,
    noneIsActive(count) {
      const none = count === 1 ? "the token is not" : `none of the ${withCommas(count)} tokens is`;
      const where = `${context.server.origin().href}, ${spacedTime(context.host.now())} UTC`;
      return `${none} an active token of ${name} (${where})`;
    },
    proof: new Proof(
      {
        nameOf: tokenName,
        read,
        changesEndWithRead: isOauth,
        howToProve: howToProve[isOauth ? "oauth" : "others"],
      },
      active,
      types,
      context,
    ),
  };
}

/** Null, with a warning, for a token of an OAuth 2.0 server that does not prove anything. */
async function checkProofToken(
  token: string,
  read: JobApplication["read"],
  { notices, serverType }: Context,
): Promise<CheckedToken | null> {
  try {
    return await read(token);
  } catch (error) {
    if (!isFailure(error)) throw error;
    const name = `the proof token ending in ${lastEight(token)}`;
    if (serverType.isOauth && isFailure(error, "not-found", "refused", "incomplete", "usage")) {
      notices.warn(`${name} proves nothing: ${error.message}`);
      return null;
    }
    if (error.kind !== "not-found" && error.details.isAboutItem !== true) throw error;
    const isOfGateway = error.kind === "not-found" && !isItemNotFound(error);
    throw new Failure(
      "authentication",
      `${name} is not active, or the credentials are wrong: nothing else was sent`,
      {
        ...error.details,
        hint: isOfGateway
          ? hints.baseUrl
          : `Use --proof-token-file with an active token of this application. ${hints.credentials}`,
      },
    );
  }
}

/**
 * Reads the proof tokens without sending anything; none without the flag. Throws a usage failure for a file without a token,
 * for several tokens unless the server is an OAuth 2.0 one, and for one that is also an item.
 */
export async function readProofTokens(
  { proofTokenFile: path }: ProofOptions,
  { redactor, serverType }: Context,
  items: readonly string[] = [],
): Promise<readonly string[]> {
  if (path === undefined) return [];
  const { readOneToken, readTokens } = await import("../reports/read-tokens.ts");
  const text = await readTextFile(path);
  const { longestToken, isOauth } = serverType;
  const several = isOauth ? readTokens(text, { allFindings: true, longestToken }).tokens : [];
  const tokens =
    several.length > 1 ? several : [readOneToken(text, `the proof token in ${path}`, longestToken)];
  for (const token of tokens) redactor.add(token);
  if (tokens.some((token) => items.includes(token)))
    throw usageFailure(
      "the proof token is also in the input, and it must stay active",
      "Use a token that did not leak, such as one that was just created.",
    );
  return tokens;
}
