// Decides what "not found" means. A server says it of what is gone, of what these credentials may not see, and of
// everything if the credentials are wrong or a gateway answers in its place. So "not found" makes an item absent, which
// is never reported; `settle` turns it into one of three verdicts:
//
//   not-found  the text has the form of a token, a read of the item does not find it either, and a witness, something
//              that must be there, was found by a request that was sent after all these answers
//   failed     a read, or the account's list, shows the item: the server answers 404 to this operation only
//   unproven   anything else, with the reason
//
// Jobs, recover and audit --compare report an item as gone only after this. The witnesses of a run:
//
//   tokens     the token of --proof-token-file, then those that this run found active and has left alone
//   account    an item of the list's first page, read by its ID; an empty list is a proof as well
//   both       another item of the job, accepted by a request that was sent after the answers
//
// An OAuth 2.0 server may show access tokens and hide refresh tokens. So a token vouches there only for those of its own
// type. An opaque text does not show its type: it is vouched for by an access token and a refresh token together, which
// the server must tell apart.
//
// A witness that is absent itself is replaced by the next one. After a failure that may pass, the witness is asked once
// more. Rejected credentials stop the job, because no later answer would mean anything.
import { Failure, failureOf, isFailure } from "../errors/errors.ts";
import { hints, joinHints } from "../errors/hints.ts";
import { isItemNotFound } from "../errors/not-found.ts";
import type { Service } from "../http/service.ts";
import { longestWaitMs } from "../http/waiting.ts";
import type { ListOperation } from "../http/pages.ts";
import type { Id } from "../api/resources.ts";
import type { Context } from "../run/context.ts";
import { cellText } from "../output/presentation.ts";
import { isWholeToken, readClaims, tokenName, typeInText } from "../token.ts";

/** An item that the server did not find, with its answer. */
export interface Absent {
  readonly item: string;
  readonly failure: Failure;
}

export type Verdict =
  | { readonly status: "not-found"; readonly failure: null }
  | { readonly status: "unproven" | "failed"; readonly failure: Failure };

export interface Settled {
  readonly verdicts: ReadonlyMap<string, Verdict>;
  /** False if the witness proved nothing, so that the credentials are in doubt. */
  readonly isProven: boolean;
  /** True if the credentials were rejected, after which a job stops. */
  readonly isRejected: boolean;
}

/** Sends the requests about the items of one job, and proves from their answers which items are gone. */
export interface Absence {
  /** Sends a read of an item. One that is found is a witness. */
  readonly read: <Result>(item: string, send: (item: string) => Promise<Result>) => Promise<Result>;
  /** Sends a change of an item, which is no witness from then on. `isProof`: false for what any credentials could get. */
  readonly change: <Result>(
    item: string,
    send: () => Promise<Result>,
    isProof: (result: Result) => boolean,
  ) => Promise<Result>;
  /** Of the items that were found, only these are witnesses from now on: others are about to be changed. */
  readonly keep: (items: readonly string[]) => void;
  /** True for an answer that makes an item absent: "not found" or, for a write, GitHub's 422. */
  readonly isAbsence: (failure: Failure) => boolean;
  /**
   * Clears an item to be sent while the credentials are in doubt: the witness is asked once, and without one each item is
   * read. Resolves with true if the credentials are right; throws "not found". Absent if the job only reads.
   */
  readonly clear?: (item: string) => Promise<boolean>;
  /** Decides about items that the server did not find. `wait` precedes a second question to the witness. */
  readonly settle: (
    items: readonly Absent[],
    wait: (milliseconds: number) => Promise<void>,
  ) => Promise<Settled>;
  /** The types of tokens of which the server showed an active one, if it may hide those of others; a clause. */
  readonly typesShown?: () => string;
}

interface Source {
  /** An item in messages, as in "the token ending in 1a2b3c4d". */
  readonly nameOf: (item: string) => string;
  readonly read: (item: string) => Promise<unknown>;
  /** True if the answers to be settled came from a read, so that it need not be sent again. */
  readonly isReadOnly: boolean;
  /** The first witnesses, which are never items. */
  readonly proofs: readonly string[];
  /** At an OAuth 2.0 server, "access" or "refresh" for each token that it showed active; otherwise null. */
  readonly types: ReadonlyMap<string, string> | null;
  /** The items of the list's first page; null if that shows nothing. Absent for tokens, which must have a form. */
  readonly list?: () => Promise<readonly string[] | null>;
  /** A hint for items that nothing vouches for. */
  readonly howToProve?: string;
}

/** What the witnesses show. */
interface Testimony {
  /** Items that are there. */
  readonly found: readonly string[];
  /** Absent items that are there after all. */
  readonly present: ReadonlySet<string>;
  /** True for an empty list, in which nothing can be. */
  readonly isEmpty: boolean;
}

/** Before the witness is asked again, if the server names no time. */
const pauseMs = 5000;

/** The newest witnesses of each type are kept, and as many asked at most if one after the other is absent. */
const mostWitnesses = 5;

const ofGateway = "a proxy or gateway answers 404 in place of the server";
/** Why a text without the form of a token proves nothing. */
export const ofPart = "its text may not be a whole token of this server";
const howToComplete =
  "Check that the input has all of it. If it has, pass an active token of the same form with --proof-token-file FILE.";

function createAbsence(source: Source, concurrency: number): Absence {
  const { nameOf, isReadOnly, proofs, types, list, howToProve } = source;
  const witnesses = new Set(proofs);
  /** One token of each form that the server accepted. */
  const accepted = [...proofs];
  const changed = new Set<string>();
  /** Items that a read did not find. */
  const unfound = new Set<string>();
  /** The number of answers that accepted nothing, and the items that requests sent after the last of them found. */
  let answers = 0;
  let foundSince: readonly string[] = [];
  let asking: Promise<boolean> | null = null;

  const isOfType = (found: string, item: string): boolean =>
    types === null || typeInText(found) === typeInText(item);
  const mayVouch = (found: string, item: string): boolean =>
    isOfType(found, item) || typeInText(item) === null;
  const isAlike = (found: string, item: string): boolean =>
    isOfType(found, item) && types?.get(found) === types?.get(item);
  const isVouchedFor = (item: string, found: readonly string[]): boolean => {
    const isShown = found.some((other) => isOfType(other, item));
    if (types === null || typeInText(item) !== null) return isShown;
    return isShown && ["access", "refresh"].every((type) => found.some((other) => types.get(other) === type));
  };
  const hasForm = (item: string): boolean => list !== undefined || isWholeToken(item, accepted);
  /** While there is no witness, an item stays unproven, so that it need not be read twice. */
  const isReadInVain = (item: string): boolean => witnesses.size === 0 && unfound.has(item);

  const noteAnswer = (): void => {
    answers += 1;
    foundSince = [];
  };

  const attempt = async <Result>(
    item: string,
    send: () => Promise<Result>,
    isProof: (result: Result) => boolean,
  ): Promise<Result> => {
    const begun = answers;
    try {
      const result = await send();
      if (!isProof(result)) return result;
      if (!hasForm(item)) accepted.push(item);
      if (begun === answers && !foundSince.some((other) => isAlike(other, item)))
        foundSince = [...foundSince, item];
      return result;
    } catch (error) {
      noteAnswer();
      throw error;
    }
  };

  const read: Absence["read"] = async (item, send) => {
    try {
      const result = await attempt(
        item,
        () => send(item),
        () => true,
      );
      if (changed.has(item)) return result;
      witnesses.delete(item);
      witnesses.add(item);
      const alike = [...witnesses].filter((other) => !proofs.includes(other) && isAlike(other, item));
      // The newest ones stay: the time since they were found is the shortest.
      for (const other of alike.slice(0, -mostWitnesses)) witnesses.delete(other);
      return result;
    } catch (error) {
      if (isFailure(error, "not-found")) unfound.add(item);
      throw error;
    }
  };

  /** Asks until each absent item is vouched for; without any, until one answers. */
  const askWitnesses = async (absent: readonly string[]): Promise<readonly string[]> => {
    const found: string[] = [];
    let missing = 0;
    for (const witness of new Set([...proofs, ...[...witnesses].toReversed()])) {
      const isNeeded =
        absent.length === 0
          ? found.length === 0
          : !found.some((other) => isAlike(other, witness)) &&
            absent.some((item) => mayVouch(witness, item) && !isVouchedFor(item, found));
      if (!isNeeded || missing === mostWitnesses || !witnesses.has(witness)) continue;
      const failure = await failureOf(source.read(witness));
      if (failure === null) found.push(witness);
      else if (failure.kind !== "not-found" && !isOfOtherApplication(failure)) throw failure;
      else {
        witnesses.delete(witness);
        missing += 1;
      }
    }
    return found;
  };

  const ask = async (absent: readonly string[]): Promise<Testimony> => {
    const found = await askWitnesses(absent);
    const listed = found.length > 0 ? null : ((await list?.()) ?? null);
    if (listed === null) return { found, present: new Set(), isEmpty: false };
    for (const id of listed) if (!absent.includes(id) && !changed.has(id)) witnesses.add(id);
    const present = new Set(listed.filter((id) => absent.includes(id)));
    return { found: await askWitnesses(absent), present, isEmpty: listed.length === 0 };
  };

  /** Resolves with the failure of the request if it failed for good. */
  const askTwice = async (
    absent: readonly string[],
    wait: Parameters<Absence["settle"]>[1],
  ): Promise<Testimony | Failure> => {
    if (absent.every((item) => isVouchedFor(item, foundSince)))
      return { found: foundSince, present: new Set(), isEmpty: false };
    for (let isFirst = true; ; isFirst = false)
      try {
        return await ask(absent);
      } catch (error) {
        if (!isFailure(error)) throw error;
        if (!isFirst || !mayPass(error)) return error;
        await wait(error.details.retryAfterMs ?? pauseMs);
      }
  };

  return {
    read,
    change(item, send, isProof) {
      changed.add(item);
      witnesses.delete(item);
      return attempt(item, send, isProof);
    },
    keep(items) {
      for (const witness of witnesses) if (!proofs.includes(witness)) witnesses.delete(witness);
      for (const item of items) witnesses.add(item);
    },
    isAbsence: (failure) => failure.kind === "not-found" || (!isReadOnly && isOfOtherApplication(failure)),
    ...(isReadOnly
      ? {}
      : {
          async clear(item) {
            if (isReadInVain(item)) return false;
            asking ??= hasWitness(ask([]));
            if (!(await asking)) await read(item, source.read);
            else asking = null;
            return true;
          },
        }),
    async settle(items, wait) {
      const verdicts = new Map<string, Verdict>();
      const absent: Absent[] = [];
      let rejection = null as Failure | null;
      const leaveUnproven = (
        { item, failure }: Absent,
        reason: Failure | string | null,
        hint?: string,
      ): void => {
        verdicts.set(item, { status: "unproven", failure: unprovenFailure(failure, reason, hint) });
      };
      /** Reads an item again after a write: its 404 may be about the operation only. */
      const readAgain = async (each: Absent): Promise<void> => {
        const { item, failure } = each;
        const isRead = isReadOnly || isReadInVain(item);
        const answer = rejection ?? (isRead ? failure : await failureOf(source.read(item)));
        if (!isRead) noteAnswer();
        const isAbsent: boolean = isItemNotFound(answer);
        if (answer === null) verdicts.set(item, stillThere(nameOf(item)));
        else if (isAbsent) absent.push(each);
        else if (isOfOtherApplication(answer)) verdicts.set(item, { status: "failed", failure: answer });
        else {
          if (isRejection(answer)) rejection ??= answer;
          leaveUnproven(each, answer.kind === "not-found" ? ofGateway : answer);
        }
      };
      const whole = items.filter(({ item }) => hasForm(item));
      for (const each of items) if (!whole.includes(each)) leaveUnproven(each, ofPart, howToComplete);
      for (let start = 0; start < whole.length; start += concurrency)
        await Promise.all(whole.slice(start, start + concurrency).map(readAgain));
      const isOver = rejection !== null || absent.length === 0;
      const ids = absent.map(({ item }) => item);
      const testimony = isOver ? rejection : await askTwice(ids, wait);
      if (testimony instanceof Failure && isRejection(testimony)) rejection = testimony;
      const isFailed = testimony === null || testimony instanceof Failure;
      const isGone = (item: string): boolean =>
        !isFailed && (testimony.isEmpty || isVouchedFor(item, [...testimony.found, ...foundSince]));
      for (const each of absent)
        if (isFailed) leaveUnproven(each, testimony);
        else if (testimony.present.has(each.item)) verdicts.set(each.item, stillThere(nameOf(each.item)));
        else if (isGone(each.item)) verdicts.set(each.item, { status: "not-found", failure: null });
        else leaveUnproven(each, null, howToProve);
      const isProven = isFailed ? testimony === null : isProof(testimony);
      return { verdicts, isProven, isRejected: rejection !== null };
    },
    ...(types === null
      ? {}
      : { typesShown: () => `the server showed active tokens of these types: ${typesOf(types)}` }),
  };
}

function typesOf(types: ReadonlyMap<string, string>): string {
  const names = [...types].map(([token, type]) =>
    readClaims(token) === null ? (typeInText(token) ?? type) : "JWT",
  );
  return [...new Set(names)].join(", ");
}

const isProof = ({ found, isEmpty }: Testimony): boolean => found.length > 0 || isEmpty;

/** False if the witness cannot be asked now. */
async function hasWitness(asked: Promise<Testimony>): Promise<boolean> {
  try {
    return isProof(await asked);
  } catch (error) {
    if (!isFailure(error) || isRejection(error)) throw error;
    return false;
  }
}

/** The 422 of a server that has the tokens of other applications and of none. */
function isOfOtherApplication({ kind, details }: Failure): boolean {
  return kind === "refused" && details.isAboutItem === true && details.status === 422;
}

function isRejection({ kind }: Failure): boolean {
  return kind === "authentication" || kind === "otp";
}

function mayPass({ kind, details }: Failure): boolean {
  if ((details.retryAfterMs ?? 0) > longestWaitMs.job) return false;
  return kind === "network" || kind === "rate-limited" || (details.status ?? 0) >= 500;
}

function stillThere(name: string): Verdict {
  const failure = new Failure(
    "refused",
    `${name} is still there: the server answers 404 to this operation only, and may not support it`,
    { status: 404, hint: hints.server },
  );
  return { status: "failed", failure };
}

/** `reason`: why nothing was proven. Rejected credentials decide about the kind. */
function unprovenFailure(failure: Failure, reason: Failure | string | null, hint?: string): Failure {
  const why = reason === null ? "" : `; not proven: ${typeof reason === "string" ? reason : reason.message}`;
  const kind = reason instanceof Failure && isRejection(reason) ? reason.kind : "incomplete";
  const own = failure.details.hint;
  const isOfCredentials = own === undefined || own === hints.credentials;
  return new Failure(kind, `${failure.message}${why}`, {
    ...failure.details,
    hint: hint === undefined ? own : joinHints(isOfCredentials ? [hint] : [own, hint]),
  });
}

/**
 * The absence of an application's tokens. `check` throws "not found" for a token that is not active. `types`: those of
 * the tokens that it found, as the server reports them; null if it hides none.
 */
export function tokenAbsence(
  check: (token: string) => Promise<unknown>,
  { proofs, isReadOnly, types }: Pick<Source, "proofs" | "isReadOnly" | "types">,
  { options }: Context,
): Absence {
  const howToProve =
    types === null
      ? "To verify that a token is not active, pass an active token of the same application with --proof-token-file FILE."
      : "To verify that a token is not active, pass active tokens of the same application with --proof-token-file FILE: for a JWT one of its type, otherwise an access token and a refresh token, if the server reports their types.";
  const source = { nameOf: tokenName, read: check, isReadOnly, proofs, types, howToProve };
  return createAbsence(source, options.concurrency);
}

export interface AccountItems<Item extends { readonly id: Id }> {
  /** The type of item, in the singular. */
  readonly name: string;
  readonly list: ListOperation<Item>;
  readonly read: (service: Service, id: string) => Promise<Item>;
}

/** The absence of an account's grants or authorizations, which are known by their IDs. */
export function accountAbsence<Item extends { readonly id: Id }>(
  service: Service,
  { name, list, read }: AccountItems<Item>,
  { server, options }: Context,
  isReadOnly = false,
): Absence {
  const source: Source = {
    nameOf: (id) => `${name} ${id}`,
    read: (id) => read(service, id),
    isReadOnly,
    proofs: [],
    types: null,
    async list() {
      const listed: string[] = [];
      const first = list(service, { limit: 1, concurrency: 1 }, ({ id }) => listed.push(cellText(id)) > 0);
      // A page may be empty, and have a next one.
      while (listed.length === 0 && (await first.next()).done !== true);
      await first.return();
      // A list that single sign-on cuts may be empty for that reason.
      const isEmpty = listed.length === 0 && !server.connections.isPartial();
      return listed.length > 0 || isEmpty ? listed : null;
    },
  };
  return createAbsence(source, options.concurrency);
}
