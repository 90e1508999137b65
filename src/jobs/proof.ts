// Decides what "not found" means. A server says it of what is gone, of what these credentials may not see, and of
// everything if the credentials are wrong or a gateway answers in its place. So "not found" makes an item absent, which
// is never reported; `settle` turns it into one of three verdicts:
//
//   gone       the text has the form of a token, a read of the item does not find it either, and a witness, something
//              that must be there, was found by a request that was sent after all these answers
//   failed     a read finds the item: the server answers 404 to this operation only
//   unproven   anything else, with the reason
//
// Nothing else in grantctl says that an item is gone. The witnesses of a run:
//
//   tokens     the token of --proof-token-file, then those that this run found active and has left alone, newest first
//   account    an item of the list's first page, read by its ID; an empty list is a proof as well
//   both       another item of the job, accepted by a request that was sent after the answers
//
// An OAuth 2.0 server may show tokens of one type and hide those of another. So a token vouches there only for those of
// its own type, as far as its text shows it.
//
// A witness that is absent itself is replaced by the next one. After a failure that may pass, the witness is asked once
// more. Rejected credentials stop the job, because no later answer would mean anything.
import { Failure, failureOf, isFailure } from "../errors/errors.ts";
import { hints, joinHints } from "../errors/hints.ts";
import { isItemNotFound } from "../errors/not-found.ts";
import type { Service } from "../http/service.ts";
import { isNamed, waitLimits } from "../http/waiting.ts";
import type { ListOperation } from "../http/pages.ts";
import type { Id } from "../api/resources.ts";
import type { Context } from "../run/context.ts";
import { cellText } from "../output/presentation.ts";
import { hasKnownForm, haveSameForm, haveSameType, readClaims } from "../token.ts";
import { tokenName } from "../token-value.ts";

/** An item that the server did not find, with its answer. */
export interface Absent {
  readonly item: string;
  readonly failure: Failure;
}

export type Verdict =
  | { readonly state: "gone" }
  | { readonly state: "unproven"; readonly failure: Failure }
  | { readonly state: "failed"; readonly failure: Failure };

/** How the items of one job are proven to be gone. */
export interface Absence {
  /** An item in messages, as in "the token ending in 1a2b3c4d". */
  readonly nameOf: (item: string) => string;
  /** False for a text that cannot be a token of this server, or that may be only a part of one. */
  readonly hasForm: (item: string) => boolean;
  /** Reads an item on its own; throws "not found". */
  readonly read: (item: string) => Promise<unknown>;
  /** True if the answers to be settled came from `read` itself, so that it need not be sent again. */
  readonly isReadOnly: boolean;
  /**
   * Asks the witness. Resolves with those of the absent items that it shows to be there after all, or with null if there
   * is no witness. Throws the failure of the request.
   */
  readonly ask: (absent: readonly string[]) => Promise<ReadonlySet<string> | null>;
  /** Notes that `read` did not find an item before it was written. */
  readonly noteAbsent: (item: string) => void;
  /** True for such an item while there is no witness: it stays unproven, so that it need not be read again. */
  readonly isReadInVain: (item: string) => boolean;
  /** Notes an item that the server found, which makes it a witness. */
  readonly noteFound: (item: string) => void;
  /** Notes that an item is about to be changed, after which it is no witness. */
  readonly noteChange: (item: string) => void;
  /** The number of answers so far that did not accept anything; noted when a request begins. */
  readonly moment: () => number;
  readonly noteAnswer: () => void;
  /** Notes that the server accepted a request for an item that began at this moment. */
  readonly noteAcceptance: (begun: number, item: string) => void;
  /** True if requests that began after the last of those answers were accepted, so that no witness need be asked. */
  readonly isAccepted: (items: readonly string[]) => boolean;
  /** After `ask`: false for an item that none of the witnesses vouches for. */
  readonly isVouchedFor: (item: string) => boolean;
  /** The types of tokens of which the server showed an active one, if it may hide those of others; a clause. */
  readonly typesShown?: () => string;
  /** A hint for items that nothing vouches for. */
  readonly howToProve?: string;
}

export interface Settled {
  readonly verdicts: ReadonlyMap<string, Verdict>;
  /** False if the witness proved nothing, so that the credentials are in doubt. */
  readonly isProven: boolean;
  /** The rejection of the credentials, after which a job stops; otherwise null. */
  readonly rejection: Failure | null;
}

interface SettlingTools {
  readonly concurrency: number;
  /** Waits before the witness is asked again. `isNamed`: the server asked for this wait. */
  readonly wait: (milliseconds: number, isNamed: boolean) => Promise<void>;
}

/** Decides about items that the server did not find. Sends only reads. */
export async function settle(
  items: readonly Absent[],
  absence: Absence,
  tools: SettlingTools,
): Promise<Settled> {
  const verdicts = new Map<string, Verdict>();
  const leaveUnproven = (those: readonly Absent[], reason: Failure | null): void => {
    for (const { item, failure } of those)
      verdicts.set(item, { state: "unproven", failure: unprovenFailure(failure, reason) });
  };
  const formless = items.filter(({ item }) => !absence.hasForm(item));
  for (const { item, failure } of formless) verdicts.set(item, formlessVerdict(failure));
  const reread = await readAgain(
    items.filter((each) => !formless.includes(each)),
    absence,
    tools.concurrency,
  );
  for (const [item, verdict] of reread.verdicts) verdicts.set(item, verdict);
  const { absent, rejection } = reread;
  if (absent.length === 0 || rejection !== null) {
    leaveUnproven(absent, rejection);
    return { verdicts, isProven: rejection === null, rejection };
  }
  const testimony = await askTwice(absent, absence, tools);
  if (testimony instanceof Failure) {
    leaveUnproven(absent, testimony);
    return { verdicts, isProven: false, rejection: isRejection(testimony) ? testimony : null };
  }
  for (const { item, failure } of absent) {
    if (testimony === null || !absence.isVouchedFor(item))
      verdicts.set(item, {
        state: "unproven",
        failure: unprovenFailure(failure, null, absence.howToProve),
      });
    else if (testimony.has(item))
      verdicts.set(item, { state: "failed", failure: stillThere(absence.nameOf(item)) });
    else verdicts.set(item, { state: "gone" });
  }
  return { verdicts, isProven: testimony !== null, rejection: null };
}

/** Decides about one item. */
export async function settleOne(absent: Absent, absence: Absence, { progress }: Context): Promise<Verdict> {
  const { verdicts } = await settle([absent], absence, {
    concurrency: 1,
    wait: progress.wait,
  });
  return verdicts.get(absent.item) ?? { state: "unproven", failure: absent.failure };
}

/** Before the witness is asked again, if the server names no time. */
const pauseMs = 5000;

const ofGateway = "a proxy or gateway answers 404 in place of the server";

/** Reads the items again after a write: its 404 may be about the operation only. */
async function readAgain(
  items: readonly Absent[],
  { read, isReadOnly, isReadInVain, noteAnswer, nameOf }: Absence,
  concurrency: number,
): Promise<{
  readonly absent: readonly Absent[];
  readonly verdicts: ReadonlyMap<string, Verdict>;
  readonly rejection: Failure | null;
}> {
  const verdicts = new Map<string, Verdict>();
  const absent: Absent[] = [];
  const rejections: Failure[] = [];
  const readOne = async (each: Absent): Promise<void> => {
    const { item } = each;
    const isRead = isReadOnly || isReadInVain(item);
    const answer = isRead ? each.failure : await failureOf(read(item));
    if (!isRead) noteAnswer();
    const isAbsent: boolean = isItemNotFound(answer);
    if (answer === null) verdicts.set(item, { state: "failed", failure: stillThere(nameOf(item)) });
    else if (isAbsent) absent.push(each);
    else if (isOfOtherApplication(answer)) verdicts.set(item, { state: "failed", failure: answer });
    else {
      if (isRejection(answer)) rejections.push(answer);
      const reason = answer.kind === "not-found" ? ofGateway : answer;
      verdicts.set(item, { state: "unproven", failure: unprovenFailure(each.failure, reason) });
    }
  };
  for (let start = 0; start < items.length && rejections.length === 0; start += concurrency)
    await Promise.all(items.slice(start, start + concurrency).map(readOne));
  const unread = items.filter((each) => !verdicts.has(each.item) && !absent.includes(each));
  return { absent: [...absent, ...unread], verdicts, rejection: rejections[0] ?? null };
}

/** What the witness shows; null if there is none. Resolves with the failure of the request if it failed for good. */
async function askTwice(
  absent: readonly Absent[],
  { ask, isAccepted }: Absence,
  { wait }: SettlingTools,
): Promise<ReadonlySet<string> | null | Failure> {
  const items = absent.map(({ item }) => item);
  if (isAccepted(items)) return nothing;
  try {
    return await ask(items);
  } catch (error) {
    if (!isFailure(error)) throw error;
    if (!mayPass(error)) return error;
    const { retryAfterMs } = error.details;
    await wait(retryAfterMs ?? pauseMs, isNamed(retryAfterMs));
  }
  return ask(items).catch((error: unknown) => {
    if (!isFailure(error)) throw error;
    return error;
  });
}

/**
 * True for an answer that makes an item absent: "not found" or, for a write, the 422 of a server that has the tokens of
 * other applications and of none.
 */
export function isAbsence(failure: Failure, { isReadOnly }: Pick<Absence, "isReadOnly">): boolean {
  return failure.kind === "not-found" || (!isReadOnly && isOfOtherApplication(failure));
}

function isOfOtherApplication({ kind, details }: Failure): boolean {
  return kind === "refused" && details.isAboutItem === true && details.status === 422;
}

function isRejection({ kind }: Failure): boolean {
  return kind === "authentication" || kind === "otp";
}

function mayPass({ kind, details }: Failure): boolean {
  if ((details.retryAfterMs ?? 0) > waitLimits.job.longestMs) return false;
  return kind === "network" || kind === "rate-limited" || (details.status ?? 0) >= 500;
}

function stillThere(name: string): Failure {
  return new Failure(
    "refused",
    `${name} is still there: the server answers 404 to this operation only, and may not support it`,
    { status: 404, hint: hints.server },
  );
}

function formlessVerdict({ message, details }: Failure): Verdict {
  const failure = new Failure(
    "incomplete",
    `${message}; not proven: its text may not be a whole token of this server`,
    {
      ...details,
      hint: "Check that the input has all of it. If it has, pass an active token of the same form with --proof-token-file FILE.",
    },
  );
  return { state: "unproven", failure };
}

/** `reason`: why nothing was proven. Rejected credentials decide about the kind. */
function unprovenFailure(failure: Failure, reason: Failure | string | null, hint?: string): Failure {
  const why = reason === null ? "" : `; not proven: ${typeof reason === "string" ? reason : reason.message}`;
  const kind = reason instanceof Failure && isRejection(reason) ? reason.kind : "incomplete";
  const own = failure.details.hint;
  const isOfCredentials = own === undefined || own.startsWith(hints.credentials);
  return new Failure(kind, `${failure.message}${why}`, {
    ...failure.details,
    hint: hint === undefined ? own : joinHints(isOfCredentials ? [hint] : [own, hint]),
  });
}

/** True if a token or ID that the server accepted shows that it would find the other, too. */
type Vouches = (accepted: string, item: string) => boolean;

/** Orders acceptances and other answers. */
function createMoments(
  vouches: Vouches = () => true,
): Pick<Absence, "moment" | "noteAnswer" | "noteAcceptance" | "isAccepted"> {
  let answers = 0;
  /** Those since the last answer, one for each that none of the others vouches for. */
  let accepted: readonly string[] = [];
  const isAccepted = (item: string): boolean => accepted.some((other) => vouches(other, item));
  return {
    moment: () => answers,
    noteAnswer() {
      answers += 1;
      accepted = [];
    },
    noteAcceptance(begun, item) {
      if (begun === answers && !isAccepted(item)) accepted = [...accepted, item];
    },
    isAccepted: (items) => items.every(isAccepted),
  };
}

/** Witnesses that are kept, so that one that is revoked meanwhile can be replaced. */
const mostWitnesses = 5;

/**
 * The absence of an application's tokens. `check` throws "not found" for a token that is not active. `isTyped`: the server
 * may hide tokens of some types.
 */
export function tokenAbsence(
  check: (token: string) => Promise<unknown>,
  proofTokens: readonly string[],
  isReadOnly: boolean,
  isTyped: boolean,
): Absence {
  let witnesses = proofTokens;
  const accepted = [...proofTokens];
  const read = new Set<string>();
  const forget = (token: string): void => {
    witnesses = witnesses.filter((other) => other !== token);
  };
  const vouches: Vouches = isTyped ? haveSameType : () => true;
  const moments = createMoments(vouches);
  return {
    ...moments,
    nameOf: tokenName,
    hasForm: (token) => hasKnownForm(token) || accepted.some((other) => haveSameForm(other, token)),
    read: check,
    isReadOnly,
    noteAbsent: (token) => void read.add(token),
    isReadInVain: (token) => witnesses.length === 0 && read.has(token),
    howToProve: `To verify that a token is not active, pass an active token of the same application${isTyped ? " and type" : ""} with --proof-token-file FILE.`,
    noteFound(token) {
      if (!accepted.some((other) => haveSameForm(other, token))) accepted.push(token);
      const proofs = witnesses.filter((other) => proofTokens.includes(other));
      const found = [token, ...witnesses.filter((other) => other !== token && !proofs.includes(other))];
      const ofType = found.filter((other) => vouches(token, other)).slice(0, mostWitnesses);
      const ofOthers = found.filter((other) => !vouches(token, other));
      witnesses = [...proofs, ...ofType, ...ofOthers];
    },
    noteChange: forget,
    isVouchedFor: (item) => moments.isAccepted([item]) || witnesses.some((token) => vouches(token, item)),
    ...(isTyped
      ? { typesShown: () => `the server showed active tokens of these types: ${typesOf(accepted)}` }
      : {}),
    async ask(absent) {
      const found: string[] = [];
      for (const token of witnesses) {
        const isNeeded = (item: string): boolean =>
          vouches(token, item) && !found.some((other) => vouches(other, item));
        if (absent.length === 0 ? found.length > 0 : !absent.some(isNeeded)) continue;
        const failure = await failureOf(check(token));
        if (failure === null) found.push(token);
        else if (failure.kind !== "not-found" && !isOfOtherApplication(failure)) throw failure;
        else forget(token);
      }
      return found.length === 0 ? null : nothing;
    },
  };
}

function typesOf(tokens: readonly string[]): string {
  const names = tokens.map((token) => (readClaims(token) === null ? `${token.length} characters` : "JWT"));
  return [...new Set(names)].join(", ");
}

const nothing: ReadonlySet<string> = new Set();

export interface AccountItems<Item extends { readonly id: Id }> {
  /** The type of item, in the singular. */
  readonly name: string;
  readonly list: ListOperation<Item>;
  readonly read: (service: Service, id: string) => Promise<Item>;
}

/** The absence of an account's grants or authorizations, which are known by their IDs. `ids` are those of the job. */
export function accountAbsence<Item extends { readonly id: Id }>(
  service: Service,
  ids: readonly string[],
  { name, list, read }: AccountItems<Item>,
  { server }: Context,
  isReadOnly = false,
): Absence {
  const ofJob = new Set(ids);
  const wereRead = new Set<string>();
  /** IDs that were in the list or were found, those of the job last; null before the list was read. */
  let witnesses: readonly string[] | null = null;
  const askOne = async (): Promise<boolean> => {
    for (const id of witnesses ?? []) {
      const failure = await failureOf(read(service, id));
      if (failure === null) return true;
      if (failure.kind !== "not-found") throw failure;
      witnesses = (witnesses ?? []).filter((other) => other !== id);
    }
    return false;
  };
  return {
    ...createMoments(),
    isVouchedFor: () => true,
    nameOf: (id) => `${name} ${id}`,
    hasForm: () => true,
    read: (id) => read(service, id),
    isReadOnly,
    noteAbsent: (id) => void wereRead.add(id),
    isReadInVain: (id) => (witnesses ?? []).length === 0 && wereRead.has(id),
    noteFound: () => undefined,
    noteChange(id) {
      witnesses &&= witnesses.filter((other) => other !== id);
    },
    async ask(absent) {
      if (await askOne()) return nothing;
      const listed: string[] = [];
      const first = list(service, { limit: 1, concurrency: 1 }, ({ id }) => listed.push(cellText(id)) > 0);
      // A page may be empty, and have a next one.
      while (listed.length === 0 && (await first.next()).done !== true);
      await first.return();
      // A list that single sign-on cuts may be empty for that reason.
      if (listed.length === 0) return server.connections.partialOrganizations() === null ? nothing : null;
      const present = new Set(listed.filter((id) => absent.includes(id)));
      const others = listed.filter((id) => !present.has(id));
      witnesses = [...others.filter((id) => !ofJob.has(id)), ...others.filter((id) => ofJob.has(id))].slice(
        0,
        mostWitnesses,
      );
      return (await askOne()) ? present : null;
    },
  };
}
