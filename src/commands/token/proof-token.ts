// --proof-token-file: one live token of the application, which is checked before anything else. If the service finds
// it, the credentials are right, and "not found" means that a token is gone.
import { stat } from "node:fs/promises";
import type { Command } from "commander";
import { lastEight } from "../../token-value.ts";
import { withProof, type Proven } from "../../bulk/proof.ts";
import { parseToken } from "../../bulk/read-items.ts";
import { Failure, isFailure, usageFailure } from "../../errors/errors.ts";
import { foreign } from "../../errors/foreign.ts";
import { saysNotFound } from "../../errors/not-found.ts";
import { readInputFile, Unreadable } from "../../files/bounded-reads.ts";
import type { Call, Service } from "../../http/service.ts";
import type { ApplicationService } from "../../run/address.ts";
import type { Context } from "../../run/context.ts";

export interface ProofTokenOptions {
  readonly proofTokenFile?: string;
}

/** Adds `--proof-token-file`. */
export function addProofTokenOption(command: Command): Command {
  return command.option(
    "--proof-token-file <file>",
    "a live token of the application, checked first: then what is not found is gone, and not unproven",
  );
}

/**
 * The proof token; null where none was named. Throws a usage failure for a file that holds no token or several, and for
 * a proof token that is among the items.
 */
export async function readProofToken(
  { proofTokenFile: path }: ProofTokenOptions,
  items: readonly string[],
  { host, notices, redactor }: Context,
): Promise<string | null> {
  if (path === undefined) return null;
  const text = await readText(path);
  const words = text.split(/\s+/).filter((word) => word !== "");
  if (words.length !== 1) {
    throw usageFailure(`the proof token in ${foreign(path)} must be one token, alone in the file`);
  }
  const token = parseToken(words[0] ?? "", "the proof token: ");
  redactor.add(token);
  if (items.includes(token)) {
    throw usageFailure(
      "the proof token is among the tokens that were given, and has to outlive them",
      "keep a token for the proof that is not leaked: one that was just made",
    );
  }
  const { mode } = await stat(path);
  if (host.platform !== "win32" && (mode & othersMayRead) !== 0) {
    notices.warn(`others may read the proof token in ${foreign(path)}: chmod 600 ${foreign(path)}`);
  }
  return token;
}

/**
 * The application's service. Checks the proof token first, if there is one: throws an authentication failure where the
 * service does not find it.
 */
export async function proveApplication(
  proofToken: string | null,
  { address }: Context,
): Promise<Proven<ApplicationService>> {
  const application = withProof(await address.applicationService());
  if (proofToken === null) return application;
  const { checkToken } = await import("../../api/tokens.ts");
  try {
    await checkToken(application.service, application.clientId, proofToken);
    return { ...application, service: sayingGone(application.service, proofToken) };
  } catch (error) {
    if (!isFailure(error, "not-found") && !(isFailure(error) && error.details.isAboutItem === true))
      throw error;
    throw new Failure(
      "authentication",
      `the proof token ending in ${lastEight(proofToken)} is not live, or the credentials are wrong: nothing else was sent`,
      { ...error.details, hint: "put a live token of this application into the file of --proof-token-file" },
    );
  }
}

/**
 * The same service, whose "not found" is "gone": with the proof token found, wrong credentials are no reason for it. If
 * the proof token itself is not found any more, nothing is proven.
 */
function sayingGone(service: Service, proofToken: string): Service {
  const proves = ({ parameters, body }: Call): boolean =>
    parameters?.["access_token"] !== proofToken && body?.["access_token"] !== proofToken;
  return {
    ...service,
    async exchange(call) {
      try {
        return await service.exchange(call);
      } catch (error) {
        if (!isFailure(error, "not-found") || !proves(call)) throw error;
        if (!saysNotFound(error)) throw fromGateway(call, error);
        const details = { hint: undefined, ifProven: undefined };
        throw error.with(details, `${call.subject} is gone from the application, which is proven`);
      }
    },
  };
}

/** The failure for a 404 that is not the service's: its exit code must not be that of tokens that are proven to be gone. */
function fromGateway({ subject }: Call, { details }: Failure): Failure {
  return new Failure(
    "protocol",
    `${subject}: something in front of the service answered 404, and not in JSON: nothing is known about the token`,
    { ...details, hint: "the proof token was found at the same address: try again later" },
  );
}

async function readText(path: string): Promise<string> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await readInputFile(path, longestFile));
  } catch (error) {
    const reason = error instanceof Unreadable ? error.message : "it is not UTF-8 text";
    throw usageFailure(`cannot read the proof token in ${foreign(path)}: ${reason}`);
  }
}

const longestFile = 1024 * 1024;
const othersMayRead = 0o077;
