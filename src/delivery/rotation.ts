// Rotates one authorization: a new token is created, delivered and verified; only then is the old one deleted and its
// note given to the new one. So at least one of the two works at any moment. Each step can be repeated. The creation,
// the delivery and the deletion are on disk before the next step: --resume goes on from there, and verifies again.
//
//   step     request                                an interruption leaves
//   create   POST, with interim names               the old token; perhaps a new one whose value never arrived, which the
//                                                   next run finds by its interim fingerprint or note, and deletes
//   deliver  none                                   both; the new value is in the record
//   verify   GET /user with the new token           both; the value was delivered
//   delete   DELETE of the old token                both, or the new one alone
//   rename   PATCH of the new one's note            the new one, with its interim note
//
// Interim notes and fingerprints exist because no two tokens of an account may share one.
import { randomBytes } from "node:crypto";
import { idText, isPersonal, type Authorization } from "../api/resources.ts";
import { createAuthorization, getAuthorization, updateAuthorization } from "../api/authorizations.ts";
import { checkNewToken, isSameNote, extractIdFromBody } from "../api/token-responses.ts";
import { getUsername } from "../api/inspection.ts";
import { Failure, isFailure, riskierKind } from "../errors/errors.ts";
import { spacedTime } from "../errors/words.ts";
import { withIntent, type Service } from "../http/service.ts";
import type { Attempt, EntryHandle } from "../jobs/item-runner.ts";
import type { Entry, ReceiverChoice } from "../jobs/journal.ts";
import { isGivenAgain } from "../jobs/leftover.ts";
import { deleteOrProveGone, endLeftToken } from "../jobs/left-token.ts";
import { outcomeOf, type Outcome } from "../jobs/outcome.ts";
import { commandLine } from "../config/command-words.ts";
import { textOf, toJson } from "../json.ts";
import type { Context } from "../run/context.ts";
import { readNewToken, type Claims, type NewToken } from "./new-value.ts";
import { withOwnerHint } from "./request-token.ts";

export interface RotationTools {
  readonly context: Context;
  readonly service: Service;
  readonly keepsOld: boolean;
  readonly claims: Claims;
  /** Resolves when the receiver has accepted the new token. */
  readonly deliver: (id: string, rotated: Rotated) => Promise<void>;
  readonly receiver: ReceiverChoice;
  /** The tokens that exist now, in words, of each rotation whose new token exists. */
  readonly remaining: Map<string, string>;
}

/** The new token, and the note, fingerprint and scopes of the old one. */
export interface Rotated {
  readonly successor: NewToken;
  readonly old: NonNullable<Entry["old"]>;
}

interface Rotation extends Rotated {
  readonly id: string;
  readonly newId: string;
  readonly entry: EntryHandle;
  readonly tools: RotationTools;
}

interface Step {
  readonly act: (rotation: Rotation) => Promise<void>;
  /** The tokens that exist if it fails. */
  readonly remaining: string;
}

const deliver: Step = {
  act: deliverSuccessor,
  remaining: "the new token is kept, and the old one was not deleted",
};
/** When an earlier run has deleted the old token. */
const deliverAgain: Step = { act: deliverSuccessor, remaining: "the new token is kept" };
const verify: Step = {
  act: verifySuccessor,
  remaining: "the new token could not be verified, and the old one was not deleted",
};
const deleteOld: Step = {
  act: deleteOldToken,
  remaining: "the new token works, and the old one could not be deleted",
};
const rename: Step = {
  act: restoreNames,
  remaining: "the new token works, the old one is deleted, and its note could not be transferred",
};
/** After an earlier run may have renamed it. */
const renameAgain: Step = {
  ...rename,
  act: async (rotation) =>
    restoreNames(rotation, await getAuthorization(rotation.tools.service, rotation.newId)),
};

const wasStopped = new Failure("incomplete", "stopped before the next request was sent");

export async function rotateOne(id: string, attempt: Attempt, tools: RotationTools): Promise<Rotated> {
  const { entry } = attempt;
  const rotated = (await readRotated(entry, tools)) ?? (await createSuccessor(id, attempt, tools));
  const rotation = { ...rotated, id, newId: idText(rotated.successor.id), entry, tools };
  await refuseWeaker(rotation).catch(rethrowForItem);
  for (const { act, remaining } of remainingSteps(rotation)) {
    if (attempt.isStopped()) throw wasStopped;
    tools.remaining.set(id, remaining);
    await act(rotation).catch(rethrowForItem);
  }
  return rotated;
}

/** The steps that no earlier run has finished. */
function remainingSteps({ entry, tools }: Rotation): readonly Step[] {
  const { state, was_delivered, old_is_gone } = entry.latest() ?? {};
  const deletion = old_is_gone === true ? [renameAgain] : [verify, deleteOld, rename];
  const others = state === "done" ? [] : tools.keepsOld ? [verify] : deletion;
  if (was_delivered === true && !isGivenAgain(entry.latest(), tools.receiver)) return others;
  return [old_is_gone === true ? deliverAgain : deliver, ...others];
}

/** A 404 here is about the new token. Passed on as "not found", it would count as proof that the old token is gone. */
function rethrowForItem(error: unknown): never {
  if (!isFailure(error, "not-found")) throw error;
  throw new Failure("incomplete", error.message, error.details);
}

/** Adds to the failure of a rotation which tokens exist now. One that waited for a limit when the run stopped had begun. */
export function explainFailure<Any>(outcome: Outcome<Any>, remaining: string | undefined): Outcome<Any> {
  const failure = outcome.status === "not-tried" ? wasStopped : outcome.failure;
  if (failure === null || remaining === undefined) return outcome;
  const kind = riskierKind(failure.kind, "incomplete");
  return outcomeOf(outcome.item, new Failure(kind, `${remaining}: ${failure.message}`, failure.details));
}

/** False for a response that is not one to a creation with the interim names of the entry. */
export async function fitsCreation(_: string, body: string, entry: Entry | undefined): Promise<boolean> {
  const { note, fingerprint } = entry?.interim ?? {};
  return (await readNewToken(body, checkNewToken({ note: note ?? undefined, fingerprint }))) !== null;
}

/** The new token that an earlier run has recorded, or null if there is none that fits. Throws if it may be another's. */
async function readRotated(entry: EntryHandle, { claims, context }: RotationTools): Promise<Rotated | null> {
  const { state, body, old, is_unfit } = entry.latest() ?? {};
  if (old === undefined || is_unfit === true || (state !== "answered" && state !== "done")) return null;
  const made = await readNewToken(body);
  if (made === null) return null;
  context.redactor.add(made.token);
  if (made.id === null)
    throw new Failure(
      "unknown",
      "the response that was kept has the new token without its ID; `recover show` prints it, and nothing is deleted",
    );
  return { successor: await claims.claim(made, entry), old };
}

/** Records the ID and value again: the disk may have failed when they arrived, and no later run could continue without. */
function recordStep(
  step: Pick<Entry, "was_delivered" | "to_redeliver" | "old_is_gone">,
  { entry, successor: { id, token } }: Rotation,
): Promise<void> {
  const body = Buffer.from(toJson({ id, token }, 0)).toString("base64");
  return entry.mark({ state: "answered", body, ...step });
}

async function createSuccessor(id: string, attempt: Attempt, tools: RotationTools): Promise<Rotated> {
  const { entry, earlierEntry, intent } = attempt;
  const { service } = tools;
  const { interim: asked } = entry.latest() ?? {};
  const mayBeThere = earlierEntry !== undefined && entry.latest()?.state !== "unchanged";
  if (mayBeThere && asked === undefined)
    throw new Failure(
      "unknown",
      "the record is damaged: look in the list for a token that an earlier run created, whose note ends in (rotated DATE TIME RANDOM)",
    );
  // First, because nothing would lead to it once the old token is gone.
  if (asked !== undefined && mayBeThere) await endLost(asked, entry, tools).catch(rethrowForItem);
  const found = await getAuthorization(service, id);
  checkCanRotate(id, found);
  const { old, interim } = await recordNames(id, found, entry, tools);
  const made = await createAuthorization(withIntent(service, intent), {
    scopes: found.scopes,
    note_url: found.note_url || undefined,
    note: interim.note,
    fingerprint: interim.fingerprint ?? undefined,
  });
  return { successor: await tools.claims.claim(made, entry), old };
}

/** Deletes the token that an earlier run has created and whose value never arrived. Throws if it may still be there. */
async function endLost(
  { note, fingerprint }: Rotated["old"],
  entry: EntryHandle,
  { claims, context, service }: RotationTools,
): Promise<void> {
  const unique = fingerprint === null ? "note" : "fingerprint";
  const { until, body } = entry.latest() ?? {};
  const id = extractIdFromBody(body);
  const isOfOther = (other: string): boolean => claims.isOfOther(other, entry);
  const lost = {
    // A response that does not fit may be the response to another request.
    id: id === null || isOfOther(id) ? undefined : id,
    until,
    creation: { unique, client_id: null, note, fingerprint } as const,
  };
  const ending = await endLeftToken(service, lost, context, isOfOther).catch((error: unknown) => {
    if (!isFailure(error, "incomplete")) throw error;
    throw error.with({}, `an earlier run asked for "${note ?? ""}": ${error.message}`);
  });
  if (ending === "deleted")
    context.notices.warn(
      `"${note ?? ""}" was created by an interrupted run and its value was not saved, so grantctl deleted it`,
    );
}

/** Writes the names of the next request to the record, by which a later run looks for the new token. */
async function recordNames(id: string, found: Authorization, entry: EntryHandle, { context }: RotationTools) {
  // Creation requires a note.
  const note = textOf(found.note) ?? `token ${id}`;
  const fingerprint = textOf(found.fingerprint);
  const time = spacedTime(context.host.now());
  // Random, because another machine may rotate the same token in the same second, and a later run deletes by it.
  const mark = ` (rotated ${time} ${randomBytes(3).toString("hex")})`;
  const interim = { note: `${note}${mark}`, fingerprint: fingerprint && `${fingerprint}${mark}` };
  const old = { note, fingerprint, scopes: found.scopes ?? [] };
  await entry.mark({
    // Nothing is there of an earlier request, whose response must not be taken for the response to this one.
    state: "unchanged",
    body: "",
    is_unfit: false,
    was_delivered: false,
    old_is_gone: false,
    ...(found.token_last_eight === null ? {} : { last_eight: found.token_last_eight }),
    old,
    interim,
  });
  return { old, interim };
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

/**
 * Throws if the new token lacks scopes of the old one, because a server can grant fewer than requested: the old one must not
 * be deleted for it. A new one that nobody has is deleted. Passes a response that was cut off before its scopes.
 */
async function refuseWeaker({ id, newId, successor, old, entry, tools }: Rotation): Promise<void> {
  const granted = successor.scopes ?? old.scopes;
  const missing = (old.scopes ?? []).filter((scope) => granted?.includes(scope) !== true);
  if (missing.length === 0) return;
  const what = `the server granted the new token of authorization ${id} less than the old one has: no ${missing.join(", ")}`;
  // `recover show` may have delivered it before it was compared.
  if (entry.latest()?.was_delivered === true) throw new Failure("incomplete", `${what}; neither was deleted`);
  tools.remaining.set(id, deliver.remaining);
  await deleteOrProveGone(tools.service, newId, tools.context);
  await entry.mark({ state: "unchanged", body: "" });
  tools.remaining.delete(id);
  throw new Failure("refused", `${what}; the new one was deleted, and the old one was not`, {
    isAboutItem: true,
  });
}

async function deliverSuccessor(rotation: Rotation): Promise<void> {
  const { id, entry, tools } = rotation;
  const { was_delivered, to_redeliver } = entry.latest() ?? {};
  await tools.deliver(id, rotation);
  if (was_delivered !== true || to_redeliver === true)
    await recordStep({ was_delivered: true, to_redeliver: false }, rotation);
}

async function verifySuccessor(rotation: Rotation): Promise<void> {
  const service = await rotation.tools.context.server.tokenService(rotation.successor.token);
  try {
    await getUsername(service);
  } catch (error) {
    // The account's credentials were not sent.
    if (!isFailure(error, "authentication")) throw error;
    throw new Failure("incomplete", error.message, { status: error.details.status });
  }
}

async function deleteOldToken(rotation: Rotation): Promise<void> {
  const { id, tools } = rotation;
  await deleteOrProveGone(tools.service, id, tools.context);
  tools.remaining.set(id, rename.remaining);
  await recordStep({ old_is_gone: true }, rotation);
}

/** Gives the new token the note and fingerprint of the old one. One that was `found` keeps what the user has given it. */
async function restoreNames({ newId, tools, old, entry }: Rotation, found?: Authorization): Promise<void> {
  const { interim } = entry.latest() ?? {};
  const restored = (name: "note" | "fingerprint"): string | undefined => {
    const shown = textOf(found?.[name]);
    const isInterim = shown === null || isSameNote(shown, interim?.[name] ?? null);
    return isInterim ? (old[name] ?? undefined) : undefined;
  };
  const names = { note: restored("note"), fingerprint: restored("fingerprint") };
  if (names.note === undefined && names.fingerprint === undefined) return;
  await updateAuthorization(tools.service, newId, names).catch(async (error: unknown) => {
    throw await withOwnerHint(error, { ...old, client_id: null }, tools.context);
  });
}
