// Decides what "not found" means. The server also returns it for wrong credentials, so an item counts as gone only
// after the credentials were proven in the same run. A Proof holds that state: the service reports each response to it,
// and passes each failure through it to be worded.
//
//   response                                                                     proves the credentials?
//   what its operation promises                                                  yes
//   one that any credentials or any item could get: a token reported as          no: the operation does not accept
//   inactive, the success of a revocation that is never rejected                 it (`Exchange.accept`)
//   "not found", a rejection, no response                                        no
//
// Three mechanisms strengthen it:
//
//   --proof-token-file  the proof token is checked before anything else; every "not found" after it means gone
//   verifyNotFound          reads an item whose write returned 404, because a server may lack only that operation
//   --stop-if-dead      the breaker re-checks an active token while many tokens are reported as gone, and revokes all
//                       proof if that token is reported as gone as well
import { stat } from "node:fs/promises";
import { InvalidArgumentError, type Command } from "commander";
import type { CheckedToken } from "../api/tokens.ts";
import { Failure, isFailure, usageFailure } from "../errors/errors.ts";
import { foreign } from "../errors/foreign.ts";
import { hints, joinHints } from "../errors/hints.ts";
import { isFound, isItemNotFound } from "../errors/not-found.ts";
import { readInputFile, Unreadable } from "../files/bounded-reads.ts";
import { decodeText } from "../files/decode-text.ts";
import type { Service, CallObserver } from "../http/service.ts";
import type { ApplicationService } from "../run/server-access.ts";
import type { Context } from "../run/context.ts";
import { lastEight, tokenName } from "../token-value.ts";
import type { Job } from "./job.ts";
import { parseBareToken } from "./parse-token.ts";

export interface Proof extends CallObserver {
  isProven(): boolean;
  /** Notes that the service accepted the credentials. */
  markProven(): void;
  /** From now on, "not found" means gone, because the service found this token; but not for this token itself. */
  useProofToken(proofToken: string): void;
}

/** Creates a proof that is not given yet. `howToProve` is a hint for items that are not found meanwhile. */
export function createProof(howToProve?: string): Proof {
  let isProven = false;
  let trustedToken: string | null = null;
  const markProven = (): void => {
    isProven = true;
  };
  return {
    isProven: () => isProven,
    markProven,
    accept: markProven,
    useProofToken(proofToken) {
      trustedToken = proofToken;
    },
    translateFailure({ parameters, body, form, subject }, failure) {
      if (failure.kind !== "not-found") return failure;
      if (trustedToken === null) {
        const isOpen = howToProve !== undefined && !isProven && isItemNotFound(failure);
        if (!isOpen) return failure;
        const { hint } = failure.details;
        const both = hint === hints.credentials ? [howToProve, hint] : [hint, howToProve];
        return failure.with({ hint: joinHints(both) });
      }
      // If the proof token itself is not found any more, nothing is proven.
      if ([parameters?.["access_token"], body?.["access_token"], form?.["token"]].includes(trustedToken))
        return failure;
      if (!isItemNotFound(failure)) return gatewayFailure(subject, failure);
      return failure.with(
        { hint: undefined },
        `${subject} is not an active token of the application (verified)`,
      );
    },
  };
}

/** The failure for a gateway's 404. Not `not-found`, whose exit code means that tokens are proven to be gone. */
function gatewayFailure(subject: string, { details }: Failure): Failure {
  return new Failure(
    "protocol",
    `${subject}: a proxy or gateway returned 404 without JSON: nothing is known about the token`,
    { ...details, hint: "The server found the proof token at the same URL. Try again later." },
  );
}

/** A login whose service reports to a proof. */
export type Proven<Login extends { readonly service: Service }> = Login & { readonly proof: Proof };

export function withProof<Login extends { readonly service: Service }>(
  login: Login,
  howToProve?: string,
): Proven<Login> {
  const proof = createProof(howToProve);
  return { ...login, proof, service: login.service.withObserver(proof) };
}

/** `How` is what the action needs besides the item, such as the intent of its request. */
export interface VerifiedAction<How, Result> {
  /** The action. With proven credentials, reads each item that it did not find, until it has succeeded once. */
  readonly act: (item: string, how: How) => Promise<Result>;
  /**
   * Reads an item that was not found, unless the 404 is already known to be reliable. Throws a refusal if it still
   * exists.
   */
  readonly confirm: (item: string) => Promise<void>;
}

/**
 * Wraps a write whose 404 means either that the item is gone, or that the server lacks only this operation and the item
 * still exists: server types removed operations one by one, and a gateway may let only reads pass.
 */
export function verifyNotFound<How, Result>(
  proof: Proof,
  read: (item: string) => Promise<unknown>,
  itemName: (item: string) => string,
  act: (item: string, how: How) => Promise<Result>,
): VerifiedAction<How, Result> {
  let isVerified = false;
  const confirmed = new Set<string>();
  const confirm = async (item: string): Promise<void> => {
    if (isVerified || confirmed.has(item)) return;
    if (await isFound(read(item))) {
      throw new Failure(
        "refused",
        `${itemName(item)} still exists, and the server returns 404 only for this operation: it may not support it`,
        { status: 404, hint: hints.server },
      );
    }
    confirmed.add(item);
  };
  return {
    confirm,
    async act(item, how) {
      try {
        const result = await act(item, how);
        isVerified = true;
        return result;
      } catch (error) {
        if (proof.isProven() && isItemNotFound(error)) await confirm(item);
        throw error;
      }
    },
  };
}

export interface ProofOptions {
  readonly proofTokenFile?: string;
  readonly stopIfDead?: number;
}

/** Adds `--proof-token-file`, and for commands that only read `--stop-if-dead`. */
export function addProofOptions(command: Command, kind: "write" | "read" = "write"): Command {
  command.option(
    "--proof-token-file <file>",
    "File containing one of the application's active tokens, used to verify that the credentials are correct",
  );
  if (kind === "write") return command;
  return command.option(
    "--stop-if-dead <percent>",
    "If more than this percentage of the tokens are not found, check the proof token again; if it is not active, do not report any token as not found",
    parsePercent,
  );
}

/** An application whose service reports to a proof, with the operations that depend on that proof. */
export interface ProvenApplication extends Proven<ApplicationService> {
  /** Checks a token and returns the response for an active one. Throws the check's failure. */
  readonly check: (token: string, name?: string) => Promise<CheckedToken>;
  /** Wraps an operation on a token, such as its reset, in `verifyNotFound`. */
  readonly verifyAction: <How, Result>(
    operate: (service: Service, clientId: string, token: string, how: How) => Promise<Result>,
  ) => VerifiedAction<How, Result>;
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
     * The application, after a check of the proof token, if there is one. Throws an authentication failure if the server
     * does not find that token.
     */
    application: () => openApplication(token, context),
  };
}

const howToProveTokens =
  "To verify that a token is not active, pass an active token of the same application with --proof-token-file FILE.";

async function openApplication(proofToken: string | null, { server }: Context): Promise<ProvenApplication> {
  const proven = withProof(await server.applicationService(), howToProveTokens);
  const { service, clientId, proof } = proven;
  const { checkToken } = await import("../api/tokens.ts");
  const check = (token: string, name?: string): Promise<CheckedToken> =>
    checkToken(service, clientId, token, name);
  if (proofToken !== null) {
    await checkProofToken(proofToken, check);
    proof.useProofToken(proofToken);
  }
  return {
    ...proven,
    check,
    verifyAction: (operate) =>
      verifyNotFound(proof, check, tokenName, (token, how) => operate(service, clientId, token, how)),
  };
}

async function checkProofToken(token: string, check: (token: string) => Promise<unknown>): Promise<void> {
  try {
    await check(token);
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
  const words = text.split(/\s+/).filter((word) => word !== "");
  if (words.length !== 1) {
    throw usageFailure(`the proof token in ${foreign(path)} must be the only content of the file`);
  }
  const token = parseBareToken(words[0] ?? "", "the proof token: ", serverType.longestToken);
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
      `other users can read the proof token in ${foreign(path)}. Run \`chmod 600 ${foreign(path)}\` to make it accessible only to you.`,
    );
  }
  return token;
}

async function readProofFile(path: string): Promise<string> {
  const refuse = (reason: string, hint?: string): Failure =>
    usageFailure(`cannot read the proof token in ${foreign(path)}: ${reason}`, hint);
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

/**
 * Below this number of items, a percentage means nothing. Also the number of items between checks of the active token.
 */
const fewestItems = 20;

export interface Breaker {
  /** True if the server has reported the active token as gone, so that no more items are started. */
  readonly isOpen: () => boolean;
  /** Wraps a job: its missing items count as proven only at its end, and not at all if the breaker opened. */
  guard<Result>(job: Job<Result>): Job<Result>;
}

/** A breaker, which without --stop-if-dead never opens. `check` throws for a token that the server does not find. */
export function createBreaker(
  { stopIfDead: percent }: ProofOptions,
  proofToken: string | null,
  check: (token: string) => Promise<unknown>,
): Breaker {
  if (percent === undefined) return { isOpen: () => false, guard: (job) => job };
  let opened: Failure | null = null;
  let isOver = false;
  let count = 0;
  let gone = 0;
  /** A token that is known to be active: the proof token, or the first that this run found. */
  let active = proofToken;
  let lastCheckAt = 0;

  const recheck = async (): Promise<void> => {
    if (opened !== null || count < fewestItems || gone * 100 <= percent * count) return;
    lastCheckAt = count;
    try {
      if (active === null) throw new Failure("not-found", "no token is known to be active");
      await check(active);
    } catch (error) {
      if (!isFailure(error)) throw error;
      opened = new Failure(
        "protocol",
        `stopped: ${gone} of ${count} seemed to be revoked, and the active token could not be verified: ${error.marked}; none of them is reported as revoked`,
        { ...error.details, hint: "The server may be faulty. Try again later." },
      );
    }
  };

  return {
    isOpen: () => opened !== null,
    guard: (job) => ({
      ...job,
      outcomes: (async function* () {
        for await (const outcome of job.outcomes) {
          if (outcome.state === "done") {
            count += 1;
            active ??= outcome.item;
          } else if (outcome.state === "failed" && isItemNotFound(outcome.failure)) {
            count += 1;
            gone += 1;
          }
          if (count >= lastCheckAt + fewestItems) await recheck();
          yield outcome;
        }
        if (count > lastCheckAt) await recheck();
        isOver = true;
      })(),
      isProven: () => isOver && opened === null && job.isProven(),
      end: (failureOf, noMore) => job.end((ending) => opened ?? failureOf(ending), noMore),
    }),
  };
}

function parsePercent(text: string): number {
  const percent = /^\d{1,3}(?:\.\d{1,3})?%?$/.test(text) ? Number.parseFloat(text) : Number.NaN;
  if (percent >= 0 && percent <= 100) return percent;
  throw new InvalidArgumentError("must be a percentage from 0 to 100");
}
