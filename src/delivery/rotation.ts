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
import type { Authorization } from "../api/resources.ts";
import {
  createAuthorization,
  deleteAuthorization,
  getAuthorization,
  updateAuthorization,
} from "../api/authorizations.ts";
import { hasText } from "../api/hashed-token.ts";
import { checkNewToken, isScopeCovered } from "../api/match-response.ts";
import { getUsername } from "../api/inspection.ts";
import { Failure } from "../errors/errors.ts";
import { isFound, isItemNotFound } from "../errors/not-found.ts";
import { withIntent, type Service } from "../http/service.ts";
import type { Attempt, ItemRecord } from "../jobs/job.ts";
import type { Entry } from "../jobs/journal.ts";
import { endLeftToken } from "../jobs/look.ts";
import { commandLine } from "../jobs/resume-hint.ts";
import { toJson } from "../json.ts";
import type { Context } from "../run/context.ts";
import { lastEight } from "../token-value.ts";
import { readNewToken, type Claims, type NewToken } from "./new-value.ts";
import { isNameTaken } from "./token-names.ts";
import { isPersonal } from "../output/resources.ts";

/** A state after the delivery, which the journal records by this name. */
type JournalStep = NonNullable<Entry["step"]>;

type State = "planned" | "created" | JournalStep;

interface Step {
  readonly act: (rotation: Rotation) => Promise<void>;
  /** The state after the step; null if the rotation is finished. */
  readonly next: "created" | JournalStep | null;
  /** The tokens that exist if the step fails, as the start of a message; null if only the old one does. */
  readonly remaining: ((id: string) => string) | null;
}

const steps: Readonly<Record<State, Step>> = {
  planned: { act: createSuccessor, next: "created", remaining: null },
  created: {
    act: deliverSuccessor,
    next: "delivered",
    remaining: (id) =>
      `the token that replaces authorization ${id} is kept and may not be delivered yet; the old token is still active`,
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
  readonly claims: Claims;
  /** Resolves when the receiver has accepted the new token. */
  readonly deliver: (id: string, rotated: Rotated) => Promise<void>;
  /** True if the receiver gets a token again that an earlier run delivered. */
  readonly givesAgain: boolean;
  /** The state of each rotation that was begun. */
  readonly states: Map<string, State>;
}

/** The new token, and the note and fingerprint of the old one. */
export interface Rotated {
  readonly successor: NewToken;
  readonly old: NonNullable<Entry["old"]>;
}

interface Rotation {
  readonly id: string;
  readonly attempt: Attempt;
  readonly record: ItemRecord;
  readonly tools: RotationTools;
  /** The old authorization, if this run has read it. */
  found: Authorization | null;
  /** Null before the new token is created. */
  rotated: Rotated | null;
}

export async function rotateOne(id: string, attempt: Attempt, tools: RotationTools): Promise<Rotated> {
  const { record } = attempt;
  const rotated = await readKept(record, tools.claims);
  const rotation: Rotation = { id, attempt, record, tools, found: null, rotated };
  let state: State | null = await firstState(rotation);
  while (state !== null && !(tools.keepsOld && (state === "proven" || state === "gone"))) {
    if (attempt.isStopped()) throw new Failure("incomplete", "stopped before the next request was sent");
    tools.states.set(id, state);
    const { act, next }: Step = steps[state];
    await act(rotation);
    // The response has recorded "created".
    if (next !== null && next !== "created") await recordStep(next, rotation);
    state = next;
  }
  return requireRotated(rotation);
}

/** Adds to a failure of a rotation which tokens exist now. */
export function explainFailure(id: string, failure: Failure, state: State | undefined): Failure {
  const remaining = state === undefined ? null : steps[state].remaining;
  if (remaining === null || failure.kind === "internal") return failure;
  if (failure.kind === "undelivered") {
    // Once the new one was proven, an earlier run may have deleted the old one.
    const isOldThere = state === "created" || state === "delivered";
    return isOldThere ? failure.with({}, `${failure.message}; the old token is still active`) : failure;
  }
  const kind = failure.kind === "unknown" ? "unknown" : "incomplete";
  return new Failure(kind, `${remaining(id)}: ${failure.message}`, failure.details);
}

/** The new token that an earlier run has recorded, or null. Throws if it may be another's. */
async function readKept(record: ItemRecord, claims: Claims): Promise<Rotated | null> {
  const { state, body, interim, old, step } = record.latestEntry() ?? {};
  if (old === undefined || (state !== "answered" && state !== "done")) return null;
  // After the delivery, only the part that later steps need is kept.
  const sent = { note: interim?.note ?? undefined, fingerprint: interim?.fingerprint };
  const made = await readNewToken(body, step === undefined ? checkNewToken(sent) : undefined);
  if (made === null) return null;
  if (made.id === null)
    throw new Failure(
      "unknown",
      "the response that was kept has the new token without its ID; `recover show` prints it, and nothing is deleted",
    );
  return { successor: await claims.claim(made, record), old };
}

/** The state that a run continues at; null if an earlier run finished the rotation. */
async function firstState({ id, record, rotated, tools }: Rotation): Promise<State | null> {
  const { step = "created", state } = record.latestEntry() ?? {};
  if (rotated === null) return "planned";
  tools.context.redactor.add(rotated.successor.token);
  if (step === "created") return step;
  tools.states.set(id, step);
  if (tools.givesAgain) await tools.deliver(id, rotated);
  if (state === "done") return null;
  // The user may have revoked the new token since.
  return step === "proven" && !tools.keepsOld ? "delivered" : step;
}

/** Records the response again, because the disk may have failed when it arrived, and no later run could continue without it. */
function recordStep(step: JournalStep, rotation: Rotation): Promise<void> {
  const { id, token } = requireRotated(rotation).successor;
  const body = Buffer.from(toJson({ id, token }, 0)).toString("base64");
  return rotation.record.update({ state: "answered", body, step });
}

function requireRotated({ rotated }: Rotation): Rotated {
  if (rotated === null) throw new Error("a rotation has no new token");
  return rotated;
}

function newIdOf(rotation: Rotation): string {
  return toJson(requireRotated(rotation).successor.id, 0);
}

async function createSuccessor(rotation: Rotation): Promise<void> {
  const { id, attempt, record, tools } = rotation;
  const found = await getAuthorization(tools.service, id);
  rotation.found = found;
  checkCanRotate(id, found);
  const { interim: asked } = record.latestEntry() ?? {};
  if (attempt.earlierEntry !== undefined && asked !== undefined) await endLost(asked, rotation);
  const { old, interim } = await recordNames(found, rotation);
  const wanted = {
    scopes: found.scopes,
    note_url: found.note_url || undefined,
    note: interim.note,
    fingerprint: interim.fingerprint ?? undefined,
  };
  const made = await createAuthorization(withIntent(tools.service, attempt.intent), wanted);
  rotation.rotated = { successor: await tools.claims.claim(made, record), old };
  tools.context.redactor.add(made.token);
}

/** Deletes the token that an earlier run has created and whose value never arrived. Throws if it may still be there. */
async function endLost(asked: Rotated["old"], { record, tools }: Rotation): Promise<void> {
  const { context, service } = tools;
  const creation = { unique: "note", client_id: null, ...asked } as const;
  const { at } = record.latestEntry() ?? {};
  const ending = await endLeftToken(service, { item: record.key, state: "sent", at, creation }, context);
  if (ending.state === "left")
    throw new Failure("incomplete", `an earlier run asked for "${asked.note ?? ""}": ${ending.reason}`);
  if (ending.state === "deleted")
    context.notices.warn(
      `"${asked.note ?? ""}" was created by an interrupted run and its value was not saved, so grantctl deleted it`,
    );
}

/** Writes the names of the next request to the record. The interim ones stay the same in later runs, which look for them. */
async function recordNames(found: Authorization, { id, record, tools }: Rotation) {
  const { state, interim: before } = record.latestEntry() ?? {};
  // Creation requires a note.
  const note = hasText(found.note) ? found.note : `token ${id}`;
  const fingerprint = hasText(found.fingerprint) ? found.fingerprint : null;
  const time = new Date(tools.context.host.now()).toISOString().slice(0, 19).replace("T", " ");
  const mark = ` (rotated ${time})`;
  const interim = {
    note: before?.note ?? `${note}${mark}`,
    fingerprint: before?.fingerprint ?? (fingerprint === null ? null : `${fingerprint}${mark}`),
  };
  await record.update({
    ...(found.token_last_eight === null ? {} : { last_eight: found.token_last_eight }),
    old: { note, fingerprint },
    interim,
    // A response kept for an earlier attempt must not be taken for the response to this one.
    ...(state === "answered" ? { state: "sent" } : {}),
  });
  return { old: { note, fingerprint }, interim };
}

/** Throws for an application's token, with the command that replaces it, and for a token of unknown scopes. */
export function checkCanRotate(id: string, authorization: Authorization): void {
  const { app, scopes } = authorization;
  if (!isPersonal(authorization)) {
    const command = commandLine("token", "reset", "--client-id", app?.client_id ?? "ID");
    throw new Failure(
      "refused",
      `authorization ${id} is a token of the application ${app?.name ?? ""}, which only token reset can replace`,
      { isAboutItem: true, hint: `Run \`${command} --token-file old-token.txt\`.` },
    );
  }
  if (!Array.isArray(scopes))
    throw new Failure(
      "refused",
      `the server does not report which scopes authorization ${id} has, so a new one would have none`,
      { isAboutItem: true },
    );
}

async function deliverSuccessor(rotation: Rotation): Promise<void> {
  const { id, record, tools } = rotation;
  const rotated = requireRotated(rotation);
  const { token } = rotated.successor;
  if (token.length > 8 && lastEight(token) === record.latestEntry()?.last_eight)
    throw new Failure("protocol", "the server returned the old token as the new one; it is not deleted");
  await rejectWeaker(rotation);
  await tools.deliver(id, rotated);
}

/**
 * Deletes a new token that lacks a scope of the old one, and throws: a server can grant fewer than requested, and the old
 * token must not be deleted for a weaker one. Accepts a response that was cut off before its scopes.
 */
async function rejectWeaker(rotation: Rotation): Promise<void> {
  const { id, record, tools } = rotation;
  const { successor } = requireRotated(rotation);
  if (!("scopes" in successor) || !Array.isArray(successor.scopes)) return;
  const old = rotation.found ?? (await readOld(rotation));
  const granted = new Set(successor.scopes);
  const missing = (old?.scopes ?? []).filter((scope) => !isScopeCovered(scope, granted));
  if (missing.length === 0) return;
  await deleteAuthorization(tools.service, newIdOf(rotation));
  await record.update({ state: "failed", body: "" });
  tools.states.delete(id);
  throw new Failure(
    "refused",
    `the server granted the new token of authorization ${id} less than the old one has: no ${missing.join(", ")}; the new one was deleted, and the old one is still active`,
    { isAboutItem: true },
  );
}

/** The old authorization; null if it is gone, so that there are no scopes to compare. */
async function readOld({ id, tools }: Rotation): Promise<Authorization | null> {
  try {
    return await getAuthorization(tools.service, id);
  } catch (error) {
    if (isItemNotFound(error)) return null;
    throw error;
  }
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
  const { service } = rotation.tools;
  try {
    await deleteAuthorization(service, rotation.id);
  } catch (error) {
    if (!isItemNotFound(error) || (await isFound(getAuthorization(service, rotation.id)))) throw error;
    await getAuthorization(service, newIdOf(rotation));
  }
}

/** Gives the new token the note and fingerprint of the old one. */
async function restoreNames(rotation: Rotation): Promise<void> {
  const { id, tools } = rotation;
  const { note, fingerprint } = requireRotated(rotation).old;
  try {
    await updateAuthorization(tools.service, newIdOf(rotation), {
      note: note ?? undefined,
      fingerprint: fingerprint ?? undefined,
    });
  } catch (error) {
    if (!isNameTaken(error) || !(await isFound(getAuthorization(tools.service, id)))) throw error;
    await recordStep("proven", rotation);
    tools.states.set(id, "proven");
    throw new Failure("incomplete", "the server reported it as deleted, but it still exists");
  }
}
