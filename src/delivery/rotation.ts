// Rotates one authorization: a new token is created, delivered and verified; only then is the old one deleted and its
// note given to the new one. So at least one of the two works at any moment. The table `steps` below is the whole
// procedure. Each state is on disk before the next step begins, and each step can be repeated, so --resume continues at
// the state in the journal.
//
//   state      request of the next step             an interruption here leaves
//   planned    POST, with an interim note           the old token; perhaps a new one whose value never arrived, which
//                                                   the next run finds by that note and deletes
//   created    (delivers the token)                 both; the new value is in the journal
//   delivered  GET /user with the new token         both; the value was delivered
//   proven     DELETE of the old token              both, or the new one alone
//   gone       PATCH of the new one's note          the new one, with its interim note
//
// Interim notes and fingerprints exist because no two tokens of an account may share one.
import { randomBytes } from "node:crypto";
import type { Authorization } from "../api/resources.ts";
import {
  createAuthorization,
  deleteAuthorization,
  getAuthorization,
  listAuthorizations,
  updateAuthorization,
} from "../api/authorizations.ts";
import { isTokenOf } from "../api/hashed-token.ts";
import { checkNewToken, isScopeCovered } from "../api/match-response.ts";
import { getUsername } from "../api/inspection.ts";
import { Failure, isFailure } from "../errors/errors.ts";
import { isFound, isItemNotFound } from "../errors/not-found.ts";
import { withIntent, type Service } from "../http/service.ts";
import { waitLimits } from "../http/waiting.ts";
import type { Attempt, ItemRecord } from "../jobs/job.ts";
import { searchList } from "../jobs/find.ts";
import type { Entry } from "../jobs/journal.ts";
import { endLeftToken } from "../jobs/look.ts";
import { toJson } from "../json.ts";
import { quoteCommand } from "../config/command-words.ts";
import type { Context } from "../run/context.ts";
import { lastEight } from "../token-value.ts";
import { interimNames, isNameTaken, tokenNames, type TokenNames } from "./token-names.ts";
import { checkScopesReported, readNewToken, type Claims, type NewToken } from "./new-value.ts";
import { isPersonal } from "../output/resources.ts";

/** A state after the delivery, which the journal records by this name. */
type JournalStep = NonNullable<Entry["step"]>;

type State = "planned" | "created" | JournalStep;

interface Step {
  readonly act: (rotation: Rotation) => Promise<void>;
  /**
   * The state after the step; the journal has it before the next step begins ("created" by the response itself). Null
   * if the rotation is finished.
   */
  readonly next: "created" | JournalStep | null;
  /** The tokens that exist if the step fails, as the start of a message. */
  readonly remaining: (id: string) => string;
}

const steps: Readonly<Record<State, Step>> = {
  planned: {
    act: createSuccessor,
    next: "created",
    remaining: (id) => `authorization ${id} is still active`,
  },
  created: {
    act: deliverSuccessor,
    next: "delivered",
    remaining: (id) =>
      `the token that replaces authorization ${id} is kept and not delivered yet; the old token is still active`,
  },
  delivered: {
    act: verifySuccessor,
    next: "proven",
    remaining: (id) =>
      `the new token is delivered, but could not be verified, so authorization ${id} is still there`,
  },
  proven: {
    act: deleteOld,
    next: "gone",
    remaining: (id) => `the new token is delivered and works, and authorization ${id} could not be deleted`,
  },
  gone: {
    act: restoreNames,
    next: null,
    remaining: (id) =>
      `the new token is delivered and works, authorization ${id} is deleted, and its note could not be transferred`,
  },
};

export interface RotationTools {
  readonly context: Context;
  readonly service: Service;
  readonly keepsOld: boolean;
  /** Old authorizations that are kept across a short wait, because the rate limit may not allow another read. */
  readonly cached: Map<string, Authorization>;
  readonly claims: Claims;
  readonly warn: (line: string) => void;
  /** Resolves when the receiver has accepted the new token; `old` has the note and fingerprint that it will get. */
  readonly deliver: (made: NewToken, old: TokenNames) => Promise<void>;
  /** True if the receiver gets a token again that an earlier run delivered. */
  readonly givesAgain: boolean;
}

/** The new token, and the note and fingerprint of the old one. */
export interface Rotated {
  readonly successor: NewToken;
  readonly old: TokenNames;
}

interface Rotation {
  readonly id: string;
  readonly attempt: Attempt;
  readonly record: ItemRecord;
  readonly tools: RotationTools;
  /** True if an earlier run asked for the new token and got no value: one with the interim note may be there. */
  readonly isLost: boolean;
  /** True if an earlier run created the new token. */
  readonly isResumed: boolean;
  /** Null before the new token is created. */
  rotated: Rotated | null;
  newId?: string;
}

export async function rotateOne(id: string, attempt: Attempt, tools: RotationTools): Promise<Rotated> {
  const { record } = attempt;
  const before = record.latestEntry();
  const value = await readKeptToken(record);
  const rotated =
    value === null || before?.old === undefined
      ? null
      : { successor: await tools.claims.claim(value, record), old: before.old };
  const isLost = rotated === null && attempt.earlierEntry !== undefined && before?.interim !== undefined;
  const rotation: Rotation = { id, attempt, record, tools, isLost, isResumed: rotated !== null, rotated };

  let state: State | null = await firstState(rotation);
  while (state !== null && !(tools.keepsOld && (state === "proven" || state === "gone"))) {
    const { act, next }: Step = steps[state];
    if (attempt.isStopped()) throw new Failure("incomplete", "stopped before the next request was sent");
    await act(rotation);
    if (next !== null && next !== "created") await recordStep(next, rotation);
    state = next;
  }
  return requireRotated(rotation);
}

/** Describes which tokens exist if the step after `step` failed. */
export function describeInterruption(id: string, step: JournalStep | undefined): string {
  return steps[step ?? "created"].remaining(id);
}

/**
 * The state that a run continues at; null if an earlier run finished the rotation. A resumed rotation is verified again, because the user may have revoked the new
 * token since; and its token is delivered again if the receiver may have lost it.
 */
async function firstState(rotation: Rotation): Promise<State | null> {
  const { record, rotated, tools } = rotation;
  if (rotated === null) return "planned";
  tools.context.redactor.add(rotated.successor.token);
  const { step, state } = record.latestEntry() ?? {};
  if (step === undefined) return "created";
  if (tools.givesAgain) await tools.deliver(rotated.successor, rotated.old);
  if (state === "done") return null;
  if (step !== "proven" || tools.keepsOld) return step;
  await recordStep("delivered", rotation);
  return "delivered";
}

/** Writes a step to the journal. If that fails, the rotation stops as incomplete, because the new token exists. */
async function recordStep(step: JournalStep, rotation: Rotation): Promise<void> {
  const { record } = rotation;
  try {
    // Writes the response if the disk failed when it arrived: without it, no later run could continue.
    const missed = isAnswered(record)
      ? {}
      : { state: "answered" as const, body: encodeBody(requireRotated(rotation).successor) };
    await record.update({ ...missed, step });
  } catch (error) {
    if (!isFailure(error)) throw error;
    const exists = isAnswered(record) ? "" : "the new token is delivered, and the old one is still active: ";
    throw new Failure("incomplete", `${exists}${error.message}`, error.details);
  }
}

/** True if the new token is in the journal. */
function isAnswered(record: ItemRecord): boolean {
  const { state } = record.latestEntry() ?? {};
  return state === "answered" || state === "done";
}

/** The part of the response that later steps need, in base64 as in the journal. */
function encodeBody({ id, token }: NewToken): string {
  return Buffer.from(toJson({ id, token }, 0)).toString("base64");
}

/** The new token of a response that the journal keeps, or null. */
async function readKeptToken(record: ItemRecord): Promise<NewToken | null> {
  if (!isAnswered(record)) return null;
  const { body, interim, step, is_unfit } = record.latestEntry() ?? {};
  if (is_unfit === true)
    throw new Failure(
      "unknown",
      "an earlier run got the token of another item for it, which is kept; nothing is deleted",
    );
  // After the delivery, only the part that later steps need is kept.
  const sent = { note: interim?.note ?? undefined, fingerprint: interim?.fingerprint };
  return readNewToken(body, step === undefined ? checkNewToken(sent) : undefined);
}

function requireRotated({ rotated }: Rotation): Rotated {
  if (rotated === null) throw new Error("a rotation has no new token");
  return rotated;
}

async function createSuccessor(rotation: Rotation): Promise<void> {
  const { id, tools, isLost } = rotation;
  const { service, cached } = tools;
  const cachedBefore = cached.get(id);
  const found = cachedBefore ?? (await getAuthorization(service, id));
  cached.delete(id);
  checkCanRotate(id, found);
  if (isLost) await endLost(rotation);
  let names = await recordNames(found, rotation);
  try {
    await requestSuccessor(found, names, rotation);
  } catch (error) {
    // Kept across one wait only, because the account's owner may change the old token meanwhile.
    const { longestMs } = waitLimits.request;
    const isShort = isFailure(error, "rate-limited") && (error.details.retryAfterMs ?? 0) <= longestMs;
    if (isShort && cachedBefore === undefined) cached.set(id, found);
    if (isLost || !isNameTaken(error)) throw error;
    // Another rotation began in the same second.
    names = await recordNames(found, rotation, ` ${randomBytes(2).toString("hex")}`);
    await requestSuccessor(found, names, rotation);
  }
}

/** Deletes the token that an earlier run has created and whose value never arrived. Throws if it may still be there. */
async function endLost({ record, tools }: Rotation): Promise<void> {
  const { context, service, warn } = tools;
  const { asked_at: at, interim } = record.latestEntry() ?? {};
  const { note = null, fingerprint = null } = interim ?? {};
  const creation = { unique: "note", client_id: null, note, fingerprint } as const;
  const ending = await endLeftToken(service, { item: record.key, state: "sent", at, creation }, context);
  if (ending.state === "left")
    throw new Failure("incomplete", `an earlier run asked for "${note ?? ""}": ${ending.reason}`);
  if (ending.state === "deleted")
    warn(
      `"${note ?? ""}" was created by an interrupted run and its value was not saved, so grantctl deleted it`,
    );
}

/** The new token's ID; looked up by its hash if the response was cut off before the ID. */
async function findTokenId(made: NewToken, { service, context }: RotationTools): Promise<string> {
  if (made.id !== null) return toJson(made.id, 0);
  const { found } = await searchList<Authorization>(
    service,
    listAuthorizations,
    {
      wanted: 1,
      match: (item) => (isTokenOf(item, made.token) ? "new" : null),
      isComparable: () => true,
    },
    context,
  );
  const token = found.get("new");
  if (token === undefined) throw new Failure("protocol", "the list does not have the new token");
  return toJson(token.id, 0);
}

async function requestSuccessor(
  found: Authorization,
  { old, interim }: { readonly old: TokenNames; readonly interim: TokenNames },
  rotation: Rotation,
): Promise<void> {
  const { attempt, record, tools } = rotation;
  const wanted = {
    scopes: found.scopes,
    note_url: found.note_url || undefined,
    note: interim.note ?? "",
    fingerprint: interim.fingerprint ?? undefined,
  };
  // `rejectWeaker` names the missing scopes and the command that deletes the new token.
  const successor = await createAuthorization(withIntent(tools.service, attempt.intent), wanted);
  rejectWeaker(found, successor);
  rotation.rotated = { successor: await tools.claims.claim(successor, record), old };
  tools.context.redactor.add(successor.token);
}

/** Writes the names of the next request to the record. The interim ones stay the same in later runs, which look for them. */
async function recordNames(
  found: Authorization,
  { id, record, tools }: Rotation,
  suffix = "",
): Promise<{ readonly old: TokenNames; readonly interim: TokenNames }> {
  const before = record.latestEntry();
  const old = tokenNames(found, id);
  const now = new Date(tools.context.host.now()).toISOString();
  const time = now.slice(0, 19).replace("T", " ");
  const kept = suffix === "" ? before?.interim : undefined;
  const interim = kept ?? interimNames(old, `${time}${suffix}`);
  await record.update({
    ...(found.token_last_eight === null ? {} : { last_eight: found.token_last_eight }),
    old,
    interim,
    asked_at: now,
    // A response kept for an earlier attempt must not be taken for the response to this one.
    state: isAnswered(record) ? "sent" : (before?.state ?? "failed"),
  });
  return { old, interim };
}

/** Throws for an application's token, with the command that replaces it, and for a token of unknown scopes. */
export function checkCanRotate(id: string, authorization: Authorization): void {
  if (isPersonal(authorization)) {
    const hint = "Run `grantctl authorization create --note TEXT --scope SCOPE` to create a new token.";
    checkScopesReported(authorization, { isAboutItem: true, hint });
    return;
  }
  const { app } = authorization;
  throw new Failure(
    "refused",
    `authorization ${id} is a token of the application ${app?.name ?? ""}, which only token reset can replace`,
    {
      isAboutItem: true,
      hint: `Run \`grantctl token reset --client-id ${quoteCommand([app?.client_id ?? "ID"])} --token-file old-token.txt\`.`,
    },
  );
}

/**
 * Throws for a new token that lacks a scope of the old one: a server can grant fewer than requested, and the old token
 * must not be deleted for a weaker one. Accepts a response that was cut off before its scopes.
 */
function rejectWeaker(old: Authorization, made: NewToken): void {
  if (made.id === null || !Array.isArray(made.scopes)) return;
  const granted = new Set(made.scopes);
  const missing = (old.scopes ?? []).filter((scope) => !isScopeCovered(scope, granted));
  if (missing.length === 0) return;
  const id = toJson(made.id, 0);
  throw new Failure(
    "protocol",
    `the new token, authorization ${id}, may do less than the old one: it has no ${missing.join(", ")}; it is not delivered, and the old token is still active`,
    { hint: `Run \`grantctl authorization delete ${id}\` to delete it.` },
  );
}

async function deliverSuccessor(rotation: Rotation): Promise<void> {
  const { id, tools, isResumed } = rotation;
  const { successor, old } = requireRotated(rotation);
  if (isResumed) {
    // The earlier run may have been interrupted before it compared the scopes.
    const before = await getAuthorization(tools.service, id).catch((error: unknown) => {
      // If the old token is gone, there are no scopes to compare.
      if (isItemNotFound(error)) return null;
      throw error;
    });
    if (before !== null) rejectWeaker(before, successor);
  }
  await tools.deliver(successor, old);
}

async function verifySuccessor(rotation: Rotation): Promise<void> {
  const { server } = rotation.tools.context;
  await getUsername(await server.tokenService(requireRotated(rotation).successor.token));
}

/**
 * Deletes the old token. "Not found" means that it was already deleted if a read does not find it either, and the same
 * credentials then find the new one.
 */
async function deleteOld(rotation: Rotation): Promise<void> {
  const { id, tools } = rotation;
  const newId = await resolveNewId(rotation);
  try {
    await deleteAuthorization(tools.service, id);
  } catch (error) {
    if (!isItemNotFound(error)) throw error;
    if (await isFound(getAuthorization(tools.service, id))) throw error;
    await getAuthorization(tools.service, newId);
  }
}

/**
 * The ID of the new authorization. Throws if the server returned the old token, which is about to be deleted, as the
 * new one.
 */
async function resolveNewId(rotation: Rotation): Promise<string> {
  const { id, record, tools } = rotation;
  const { successor } = requireRotated(rotation);
  const newId = (rotation.newId ??= await findTokenId(successor, tools));
  const isOld = successor.token.length > 8 && lastEight(successor.token) === record.latestEntry()?.last_eight;
  if (newId === id || isOld)
    throw new Failure("protocol", "the server returned the old token as the new one; it is not deleted");
  return newId;
}

/** Gives the new token the note and fingerprint of the old one. */
async function restoreNames(rotation: Rotation): Promise<void> {
  const { id, record, tools } = rotation;
  const { service } = tools;
  const newId = await resolveNewId(rotation);
  const { old } = requireRotated(rotation);
  const interim = record.latestEntry()?.interim ?? old;
  if (old.note === interim.note && old.fingerprint === interim.fingerprint) return;
  const changes = { note: old.note ?? undefined, fingerprint: old.fingerprint ?? undefined };
  try {
    await updateAuthorization(service, newId, changes);
  } catch (error) {
    if (!isNameTaken(error) || !(await isFound(getAuthorization(service, id)))) throw error;
    await recordStep("proven", rotation);
    throw new Failure("incomplete", "the server reported it as deleted, but it still exists");
  }
}
