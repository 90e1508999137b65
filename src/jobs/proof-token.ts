// The token of --proof-token-file: an active token of the same application, which shows that the credentials are right
// and that the server finds what is there. It is checked before anything else is sent.
import { stat } from "node:fs/promises";
import type { Command } from "commander";
import type { CheckedToken } from "../api/tokens.ts";
import { Failure, isFailure, usageFailure } from "../errors/errors.ts";
import { hints } from "../errors/hints.ts";
import { readInputFile, Unreadable } from "../system/bounded-reads.ts";
import { decodeText } from "../system/decode-text.ts";
import type { ApplicationService } from "../run/server-access.ts";
import type { Context } from "../run/context.ts";
import { lastEight } from "../token-value.ts";
import { tokenAbsence, type Absence } from "./proof.ts";

export interface ProofOptions {
  readonly proofTokenFile?: string;
}

export function addProofOptions(command: Command): Command {
  return command.option(
    "--proof-token-file <file>",
    "File containing one of the application's active tokens, used to verify that the credentials are correct",
  );
}

/** An application, with the check of its tokens and the proof of their absence. */
export interface ProvenApplication extends ApplicationService {
  /** Checks a token and returns the response for an active one. Throws the check's failure. */
  readonly check: (token: string) => Promise<CheckedToken>;
  readonly absence: Absence;
  /** The response to the check of the proof token; null without one. */
  readonly proof: CheckedToken | null;
}

/**
 * Reads the proof token without sending anything. Throws a usage failure if the file does not contain exactly one
 * token, or if the proof token is among the items.
 */
export async function openProof(options: ProofOptions, items: readonly string[], context: Context) {
  const token = await readProofToken(options, items, context);
  return {
    token,
    /**
     * The application, after a check of the proof token, if there is one. `kind`: a job that writes reads the items again
     * that it does not find. Throws an authentication failure if the server does not find that token.
     */
    application: (kind: "reads" | "writes") => openApplication(token, kind, context),
  };
}

async function openApplication(
  proofToken: string | null,
  kind: "reads" | "writes",
  { server }: Context,
): Promise<ProvenApplication> {
  const application = await server.applicationService();
  const { service, clientId } = application;
  const { checkToken } = await import("../api/tokens.ts");
  const check = (token: string): Promise<CheckedToken> => checkToken(service, clientId, token);
  const proof = proofToken === null ? null : await checkProofToken(proofToken, check);
  // A revocation at an OAuth 2.0 server ends with a read.
  const isReadOnly = kind === "reads" || service.serverType.tokenPlace === "form";
  return { ...application, check, proof, absence: tokenAbsence(check, proofToken, isReadOnly) };
}

async function checkProofToken(
  token: string,
  check: (token: string) => Promise<CheckedToken>,
): Promise<CheckedToken> {
  try {
    return await check(token);
  } catch (error) {
    if (!isFailure(error) || (error.kind !== "not-found" && error.details.isAboutItem !== true)) throw error;
    throw new Failure(
      "authentication",
      `the proof token ending in ${lastEight(token)} is not active, or the credentials are wrong: nothing else was sent`,
      {
        ...error.details,
        hint:
          error.details.proofHint ??
          `Use --proof-token-file with an active token of this application. ${hints.credentials}`,
      },
    );
  }
}

async function readProofToken(
  { proofTokenFile: path }: ProofOptions,
  items: readonly string[],
  { host, notices, redactor, serverType }: Context,
): Promise<string | null> {
  if (path === undefined) return null;
  const text = await readProofFile(path);
  const { readOneToken } = await import("../reports/read-tokens.ts");
  const token = readOneToken(text, `the proof token in ${path}`, serverType.longestToken);
  redactor.add(token);
  if (items.includes(token)) {
    throw usageFailure(
      "the proof token is also in the input, and it must stay active",
      "Use a token that did not leak, such as one that was just created.",
    );
  }
  const { mode } = await stat(path);
  if (host.platform !== "win32" && (mode & othersMayRead) !== 0) {
    notices.warn(
      `other users can read the proof token in ${path}. Run \`chmod 600 ${path}\` to make it accessible only to you.`,
    );
  }
  return token;
}

async function readProofFile(path: string): Promise<string> {
  const refuse = (reason: string, hint?: string): Failure =>
    usageFailure(`cannot read the proof token in ${path}: ${reason}`, hint);
  let bytes: Buffer;
  try {
    bytes = await readInputFile(path, longestFile);
  } catch (error) {
    throw error instanceof Unreadable ? refuse(error.message) : error;
  }
  return decodeText(bytes, refuse);
}

const longestFile = 1024 * 1024;
const othersMayRead = 0o077;
