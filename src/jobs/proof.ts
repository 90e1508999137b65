// Decides what "not found" means. A server says it of what is gone, of what these credentials may not see, and of
// everything if the credentials are wrong or a gateway responds in its place. So "not found" makes an item absent, which
// is never reported; `settle` turns it into a verdict, in this order:
//
//   form      a text without the form of a token is unproven
//   witness   something that must be there is asked for, because the server may have found nothing for a moment
//   read      each item is read again: one that is there, or is another application's, is failed; one that a read had not
//             found, unproven. Not after a read if there was no witness, because nothing can be proven then
//   witness   is asked for once more, after all these responses: if the server finds it, the items are not-found
//   unproven  anything else, with the reason; and all, once a "not found" was contradicted (#isContradicted)
//
// Jobs, recover and audit --compare report an item as gone only after this; what has no ID, after its list was read twice
// (search-authorizations.ts). witnesses.ts has the witnesses of tokens; those of an account are items on the list's first
// page, read by ID, and an empty list, twice, is a proof as well. A witness whose read fails is asked once more if the
// failure may pass. Rejected credentials stop the job: no later response would mean anything.
import { Failure, failureOf, isFailure } from "../errors/errors.ts";
import { hints, joinSentences } from "../errors/hints.ts";
import { isItemNotFound } from "../http/responses.ts";
import type { Service } from "../http/service.ts";
import { idText, type Id } from "../api/resources.ts";
import type { Noun } from "../nouns.ts";
import type { Context } from "../run/context.ts";
import { hasKnownForm, isWholeToken } from "../token.ts";
import { Witnesses, type ShownTypes } from "./witnesses.ts";

/** An item that the server did not find, with its response. */
export interface Absent {
  readonly item: string;
  readonly failure: Failure;
}

type Verdict =
  | { readonly status: "gone"; readonly failure: null }
  | { readonly status: "unproven" | "failed"; readonly failure: Failure };

/** The items of a job, and how the server is asked about them. */
interface ItemReads {
  /** An item in messages, as in "the token ending in 1a2b3c4d". */
  readonly nameOf: (item: string) => string;
  readonly read: (item: string) => Promise<unknown>;
  /** True if the last request of each change is a read of its item, as at an OAuth 2.0 server. */
  readonly changesEndWithRead: boolean;
  /** The items of the list's first page; null if that shows nothing. Undefined for tokens, which must have a form. */
  readonly list?: () => Promise<readonly string[] | null>;
  /** A hint for items that nothing vouches for. */
  readonly howToProve?: string;
}

interface Testimony {
  /** Items that are there. */
  readonly found: readonly string[];
  /** Absent items that are there after all. */
  readonly present: readonly string[];
  /** True for an empty list, in which nothing can be. */
  readonly isEmpty: boolean;
}

type Verdicts = Map<string, Verdict>;

interface Settling {
  /** False for items that a list lacks, which are read first. */
  readonly areRead?: boolean;
  /** Called once the last witness is absent; resolves with false if it finds no other. */
  readonly replaceWitness?: (() => Promise<boolean>) | undefined;
}

/** After this many absent items without a success, the credentials are in doubt. */
const mostAbsent = 5;

/** Before the witness is asked again. */
const pauseMs = 5000;

const gatewayResponded = "a proxy or gateway responds with 404 in place of the server";
/** Why a text without the form of a token proves nothing. */
export const maybePart = "its text may not be a whole token of this server";
const howToComplete =
  "If it is no token, remove it from the input. If it is one, check that the input has all of it, or pass an active token of the same form with --proof-token-file FILE.";

/** Sends the requests about the items of one job, and proves from their responses which items are gone. */
export class Proof {
  readonly #reads: ItemReads;
  readonly #concurrency: number;
  /** Precedes a second question to the witness. */
  readonly #wait: (milliseconds: number) => Promise<void>;
  readonly #witnesses: Witnesses;
  /** One token of each form that the server accepted. */
  readonly #formExamples: string[];
  readonly #absentInReads = new Set<string>();
  /** True if the server has accepted something since the credentials were last in doubt. */
  #isTrusted = false;
  #absentCount = 0;
  #hasChanged = false;
  /** True once a read found what a read, or a change after an accepted one, had not found: then nothing else is believed. */
  #isContradicted = false;
  /** The question to the witness that items in flight share. */
  #question: Promise<boolean> | null = null;

  constructor(
    reads: ItemReads,
    proofTokens: readonly string[],
    types: ShownTypes,
    { options, waits }: Pick<Context, "options" | "waits">,
  ) {
    this.#reads = reads;
    this.#concurrency = options.concurrency;
    this.#wait = waits.wait;
    this.#witnesses = new Witnesses(proofTokens, types);
    this.#formExamples = proofTokens.filter((token) => !hasKnownForm(token));
  }

  get hasWitness(): boolean {
    return !this.#witnesses.isEmpty;
  }

  /** The types of tokens of which the server showed an active one, if it may hide those of others; a clause. */
  typesShown(): string | undefined {
    const types = this.#witnesses.typesShown();
    return types && `the server showed active tokens of these types: ${types.join(", ")}`;
  }

  // ---- The requests of the job

  /** Sends a read of an item. One that is found is a witness. */
  async ask<Result>(item: string, send: (item: string) => Promise<Result>): Promise<Result> {
    const result = await this.#send(item, () => send(item));
    this.#witnesses.addFound(item);
    return result;
  }

  /** Sends a change of an item, no witness from then on. `showsCredentials`: false for what any credentials could get. */
  async sendChange<Result>(
    item: string,
    send: () => Promise<Result>,
    showsCredentials: (result: Result) => boolean,
  ): Promise<Result> {
    if (this.#isInDoubt()) await this.#removeDoubt(item);
    this.#witnesses.addChanged(item);
    const result = await this.#send(item, send, showsCredentials);
    this.#hasChanged = true;
    return result;
  }

  /** Of the items that were found, only these are witnesses from now on: a change of others may end them all. */
  limitWitnesses(items: readonly string[]): void {
    this.#witnesses.limitTo(items);
  }

  async #send<Result>(
    item: string,
    send: () => Promise<Result>,
    showsCredentials?: (result: Result) => boolean,
  ): Promise<Result> {
    const round = this.#witnesses.round;
    try {
      const result = await send();
      if (showsCredentials?.(result) === false) return result;
      if (!this.#hasForm(item)) this.#formExamples.push(item);
      this.#witnesses.addSuccess(item, round);
      this.#isTrusted = true;
      return result;
    } catch (error) {
      this.#witnesses.startRound();
      if (isFailure(error) && this.makesAbsent(item, error)) this.#absentCount += 1;
      const isRead = showsCredentials === undefined || this.#reads.changesEndWithRead;
      if (isRead && isFailure(error, "not-found")) this.#absentInReads.add(item);
      throw error;
    }
  }

  /** True for a response that makes an item absent: "not found" or, to its change, GitHub's 422. */
  makesAbsent(item: string, failure: Failure): boolean {
    const isOfChange = this.#witnesses.isChanged(item) && !this.#reads.changesEndWithRead;
    return failure.kind === "not-found" || (isOfChange && isOfOtherApplication(failure));
  }

  /**
   * True if the credentials may be wrong, which makes everything absent: since the start, or since a settlement that proved
   * nothing, five items were absent and nothing was accepted. Then no change is sent before the witness was found or, without
   * one, before a read has found the item itself. A change that begins with a read does no harm with wrong credentials.
   */
  #isInDoubt(): boolean {
    return !this.#reads.changesEndWithRead && !this.#isTrusted && this.#absentCount >= mostAbsent;
  }

  /** Asks the witness once for all items in flight, and without one reads this item. Throws "not found". */
  async #removeDoubt(item: string): Promise<void> {
    this.#question ??= this.#isWitnessFound();
    if (!(await this.#question)) await this.ask(item, this.#reads.read);
    else this.#question = null;
    this.#isTrusted = true;
  }

  /** False if the witness cannot be asked now. Throws the failure if the credentials are rejected. */
  async #isWitnessFound(): Promise<boolean> {
    try {
      return isProven(await this.#testimonyNow([]));
    } catch (error) {
      if (!isFailure(error) || isRejection(error)) throw error;
      return false;
    }
  }

  // ---- The settlement of absent items: form, witness, read, witness

  /** Decides about items that the server did not find. `isRejected`: the credentials were rejected, after which a job stops. */
  async settle(items: readonly Absent[], { areRead = true, replaceWitness }: Settling = {}) {
    const verdicts: Verdicts = new Map();
    const formed = this.#checkForms(items, verdicts);
    const whole = areRead ? formed : (await this.#readAgain(formed, verdicts)).absent;
    const before = await this.#testimonyFor(whole, replaceWitness);
    const { absent, failure } =
      before instanceof Failure
        ? { absent: whole, failure: before }
        : await this.#readAgain(whole, verdicts, isProven(before));
    const after = failure ?? (await this.#testimonyFor(absent, replaceWitness));
    for (const each of absent) verdicts.set(each.item, this.#verdictOn(each, before, after));
    // The credentials have proven nothing: after five more absent items, changes wait for a proof.
    if (absent.length > 0 && (after instanceof Failure || !isProven(after))) {
      this.#isTrusted = false;
      this.#absentCount = 0;
      this.#question = null;
    }
    return { verdicts, isRejected: after instanceof Failure && isRejection(after) };
  }

  /** Resolves with the items whose texts have the form of a token. */
  #checkForms(items: readonly Absent[], verdicts: Verdicts): readonly Absent[] {
    const whole = items.filter(({ item }) => this.#hasForm(item));
    for (const { item, failure } of items.filter((each) => !whole.includes(each))) {
      const notFound = failure.with({}, `${this.#reads.nameOf(item)}: not found`);
      verdicts.set(item, unproven({ item, failure: notFound }, maybePart, howToComplete));
    }
    return whole;
  }

  #hasForm(item: string): boolean {
    return this.#reads.list !== undefined || isWholeToken(item, this.#formExamples);
  }

  /** The items that a read does not find either; the failure if the credentials are rejected. `canProve`: see the header. */
  async #readAgain(items: readonly Absent[], verdicts: Verdicts, canProve = true) {
    const absent: Absent[] = [];
    let rejection = null as Failure | null;
    for (let start = 0; start < items.length; start += this.#concurrency) {
      const batch = items.slice(start, start + this.#concurrency);
      // After a rejection, no response would mean anything.
      const known = rejection;
      const respond = async (each: Absent) =>
        known ?? (canProve || !this.#absentInReads.has(each.item) ? this.#secondRead(each) : each.failure);
      const responses = await Promise.all(
        batch.map(async (each) => ({ each, response: await respond(each) })),
      );
      for (const { each, response } of responses) {
        if (isItemNotFound(response)) absent.push(each);
        else verdicts.set(each.item, this.#verdictOfRead(each, response));
        if (response !== null && isRejection(response)) rejection ??= response;
      }
    }
    return { absent, failure: rejection };
  }

  /** The response to a read of an item, because a 404 to a write may be about the operation only; null if it is found. */
  async #secondRead({ item }: Absent): Promise<Failure | null> {
    const response = await failureOf(this.#reads.read(item));
    if (response?.kind === "not-found") this.#absentInReads.add(item);
    // A 404 to a change may be about the operation, until the server has accepted one.
    if (response === null && (this.#hasChanged || this.#absentInReads.has(item))) this.#isContradicted = true;
    // Also after a success: a witness must be found after all of these reads.
    this.#witnesses.startRound();
    return response;
  }

  #verdictOfRead(each: Absent, response: Failure | null): Verdict {
    // Without a read before, its 404 was about the change.
    if (response === null)
      return this.#absentInReads.has(each.item)
        ? unproven(each, "the server finds it now")
        : this.#stillThere(each);
    if (isOfOtherApplication(response)) return { status: "failed", failure: response };
    return unproven(each, response.kind === "not-found" ? gatewayResponded : response);
  }

  /** What the witnesses show of these items. After a failure that may pass, they are asked once more. */
  async #testimonyFor(items: readonly Absent[], replaceWitness: Settling["replaceWitness"]) {
    const absent = items.map(({ item }) => item);
    const { foundSince } = this.#witnesses;
    if (absent.every((item) => this.#witnesses.vouchFor(item, foundSince)))
      return { found: foundSince, present: [], isEmpty: false };
    const first = await this.#testimonyOrFailure(absent, replaceWitness);
    if (!(first instanceof Failure && mayPass(first))) return first;
    await this.#wait(pauseMs);
    return this.#testimonyOrFailure(absent, replaceWitness);
  }

  async #testimonyOrFailure(absent: readonly string[], replaceWitness: Settling["replaceWitness"]) {
    try {
      const testimony = await this.#testimonyNow(absent);
      if (isProven(testimony) || this.hasWitness || (await replaceWitness?.()) !== true) return testimony;
      return await this.#testimonyNow(absent);
    } catch (error) {
      if (!isFailure(error)) throw error;
      return error;
    }
  }

  async #testimonyNow(absent: readonly string[]): Promise<Testimony> {
    const found = await this.#witnesses.ask(absent, (witness) => this.#isThere(witness));
    const listed = found.length > 0 ? null : ((await this.#reads.list?.()) ?? null);
    if (listed === null) return { found, present: [], isEmpty: false };
    const present = listed.filter((id) => absent.includes(id));
    this.#witnesses.addListed(listed.filter((id) => !present.includes(id)));
    return {
      found: await this.#witnesses.ask(absent, (witness) => this.#isThere(witness)),
      present,
      isEmpty: listed.length === 0,
    };
  }

  async #isThere(witness: string): Promise<boolean> {
    const failure = await failureOf(this.#reads.read(witness));
    if (failure !== null && failure.kind !== "not-found" && !isOfOtherApplication(failure)) throw failure;
    return failure === null;
  }

  /** `before`, `after`: the testimonies around the second read. */
  #verdictOn(each: Absent, before: Testimony | Failure, after: Testimony | Failure): Verdict {
    if (before instanceof Failure) return unproven(each, before);
    if (after instanceof Failure) return unproven(each, after);
    const isEmpty = after.isEmpty && before.isEmpty;
    const present = [...before.present, ...after.present];
    if (present.includes(each.item)) return this.#stillThere(each);
    if (this.#isContradicted) return unproven(each, "the server finds others that it did not find before");
    const isGone =
      isEmpty || [after.found, before.found].every((by) => this.#witnesses.vouchFor(each.item, by));
    return isGone ? { status: "gone", failure: null } : unproven(each, null, this.#reads.howToProve);
  }

  #stillThere({ item, failure: { details } }: Absent): Verdict {
    const { status = 404 } = details;
    const why = `the server responds with ${status} to this operation only, and may not support it`;
    const message = `${this.#reads.nameOf(item)} is still there: ${why}`;
    return { status: "failed", failure: new Failure("refused", message, { status, hint: hints.server }) };
  }
}

const isProven = ({ found, isEmpty }: Testimony): boolean => found.length > 0 || isEmpty;

/** The 422 of a server that has the tokens of other applications and of none. */
function isOfOtherApplication({ kind, details }: Failure): boolean {
  return kind === "refused" && details.isAboutItem === true && details.status === 422;
}

/** True if the server rejected the credentials, so that no further request would be accepted. */
export function isRejection({ kind }: Failure): boolean {
  return kind === "authentication" || kind === "otp";
}

function mayPass({ kind, details }: Failure): boolean {
  // The request has waited for a limit itself.
  if ((details.retryAfterMs ?? 0) > pauseMs) return false;
  return kind === "network" || kind === "rate-limited" || (details.status ?? 0) >= 500;
}

/** `reason`: why nothing was proven. Rejected credentials decide about the kind. */
function unproven({ failure }: Absent, reason: Failure | string | null, hint?: string): Verdict {
  const why = reason === null ? "" : `; not proven: ${typeof reason === "string" ? reason : reason.message}`;
  const kind = reason instanceof Failure && isRejection(reason) ? reason.kind : "incomplete";
  const own = failure.details.hint;
  const isOfCredentials = own === undefined || own === hints.credentials;
  const details = {
    ...failure.details,
    hint: hint === undefined ? own : joinSentences(isOfCredentials ? [hint] : [own, hint]),
  };
  return { status: "unproven", failure: new Failure(kind, `${failure.message}${why}`, details) };
}

/** A list of an account's items, and the read of one by its ID: together they prove that an item is absent. */
export type AccountItems<Item extends object> = Pick<Noun<Item>, "name" | "list" | "read">;

/** The proof for an account's grants or authorizations, which are known by their IDs. */
export function accountProof<Item extends { readonly id: Id }>(
  service: Service,
  { name, list, read }: AccountItems<Item>,
  context: Context,
): Proof {
  const reads: ItemReads = {
    nameOf: (id) => `${name} ${id}`,
    read: (id) => read(service, id),
    changesEndWithRead: false,
    async list() {
      const listed: string[] = [];
      const first = list(service, { limit: 1, concurrency: 1 }, ({ id }) => listed.push(idText(id)) > 0);
      // A page may be empty, and have a next one.
      while (listed.length === 0 && (await first.next()).done !== true);
      await first.return();
      // A list that single sign-on cuts may be empty for that reason.
      const isEmpty = listed.length === 0 && !context.server.connections.hasPartialResults;
      return listed.length > 0 || isEmpty ? listed : null;
    },
  };
  return new Proof(reads, [], null, context);
}
