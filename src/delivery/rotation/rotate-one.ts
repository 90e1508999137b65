// Rotates one authorization: a new token is created, delivered and proven to work; only then is the old one deleted and
// its note given to the new one. So at every moment at least one of the two works. Each step is on disk before the next
// begins, and can be repeated; --resume continues at the step that the journal has.
//
//   step in the journal   next request                  then           an interruption here leaves
//   none, planned         POST, with an interim note    answered       the old token; perhaps a new one whose value never
//                                                                      came: the next run deletes it by that note
//   none, answered        (delivers the value)          delivered      both; the value is in the journal
//   delivered             GET /user with the new token  proven         both; the value was delivered
//   proven                DELETE of the old token       gone           both, or the new one alone
//   gone                  PATCH of the new one's note   item finished  the new one, with its interim note
//
// A resumed run delivers again what the receiver no longer has, and goes from `proven` back to `delivered`: the new token
// is proven in the run that deletes the old one.
import {
  createAuthorization,
  deleteAuthorization,
  getAuthorization,
  updateAuthorization,
} from "../../api/authorizations.ts";
import { lastEight } from "../../token-value.ts";
import type { Authorization } from "../../api/resources.ts";
import { getUsername } from "../../api/inspection.ts";
import type { Attempt, ItemRecord } from "../../jobs/job.ts";
import { Failure, isFailure } from "../../errors/errors.ts";
import { foreign } from "../../errors/foreign.ts";
import { isFound, saysNotFound } from "../../errors/not-found.ts";
import { toJson } from "../../json/exact-json.ts";
import { quoteWord } from "../../printing/complete-commands.ts";
import { withIntent, type Service } from "../../http/service.ts";
import { waitLimits } from "../../http/waiting.ts";
import { checkScopesAreTold } from "../unknown-scopes.ts";
import { checkNewToken } from "../../api/fitting.ts";
import { readMadeToken, type Claims, type MadeToken } from "../new-value.ts";
import { interimNames, isAlreadyUsed, isPersonal, namesOf, type Names } from "./names.ts";
import { refuseWeaker } from "./weaker.ts";
import { deleteLost, idOf, withLook } from "./made-tokens.ts";

export interface RotationTools {
  readonly service: Service;
  /** The service with this token in the `Authorization` header. */
  readonly withToken: (token: string) => Promise<Service>;
  readonly keepsOld: boolean;
  /**
   * Old tokens whose successors the service put off for a moment: they are not read again then, because a limit may let
   * through no more than that.
   */
  readonly held: Map<string, Authorization>;
  /** As in `2026-11-21`. */
  readonly today: string;
  /** ISO 8601. */
  readonly now: () => string;
  readonly claims: Claims;
  readonly hide: (secret: string) => void;
  readonly warn: (line: string) => void;
  /** Resolves when the receiver has accepted the new token; `old` has the note and fingerprint that it will get. */
  readonly deliver: (made: MadeToken, old: Names) => Promise<void>;
  /** Whether the receiver may have lost a token that an earlier run delivered, so that it is delivered again. */
  readonly mayBeDropped: (made: MadeToken) => Promise<boolean>;
}

export interface Rotated {
  readonly made: MadeToken;
  readonly old: Names;
}

/** How many interim names are tried: earlier rotations that broke off may have left tokens under some of them. */
const mostNames = 9;

/** Does the remaining steps for one item. */
export async function rotateOne(id: string, attempt: Attempt, tools: RotationTools): Promise<Rotated> {
  const { record } = attempt;
  const before = record.latest();
  const value = await keptValue(record);
  const kept =
    value === null || before?.old === undefined
      ? null
      : { made: await claim(id, value, attempt, tools), old: before.old };
  const lost = new Set(before?.lost);
  const interim = before?.interim?.note ?? null;
  // A new token that is in the journal is not lost.
  if (kept !== null) lost.delete(interim ?? "");
  else if (attempt.before !== undefined && interim !== null) lost.add(interim);
  await deleteLost(lost, before?.asked_at, tools);
  const { made, old } = kept ?? (await makeSuccessor(id, lost, attempt, tools));
  tools.hide(made.token);
  const step = record.latest()?.step;
  if (step === undefined) {
    if (kept !== null) await refuseWeakerThan(id, made, tools.service);
    await tools.deliver(made, old);
    // Tries again to write the answer if the disk failed when it arrived: without it, no later run could continue.
    const missed = isAnswered(record) ? {} : { state: "answered" as const, body: bodyOf(made) };
    await noteStep(record, { ...missed, step: "delivered" });
  } else if (await tools.mayBeDropped(made)) await tools.deliver(made, old);
  // Proven in every run: since an earlier one, somebody may have revoked the new token.
  if (step !== "gone" && !(tools.keepsOld && step === "proven")) {
    if (step === "proven") await noteStep(record, { step: "delivered" });
    await getUsername(await tools.withToken(made.token));
    await noteStep(record, { step: "proven" });
  }
  if (tools.keepsOld) return { made, old };
  const madeId = await idOf(made, tools.service);
  if (madeId === id || isOld(made.token, record))
    throw new Failure("protocol", "the service gave the old token for a new one, which is not deleted");
  if (step !== "gone") {
    await deleteOld(id, madeId, tools.service);
    await noteStep(record, { step: "gone" });
  }
  try {
    await handNamesOn(madeId, old, record.latest()?.interim ?? old, tools.service);
  } catch (error) {
    if (!isAlreadyUsed(error) || !(await isFound(getAuthorization(tools.service, id)))) throw error;
    await noteStep(record, { step: "proven" });
    throw new Failure("incomplete", "the service called it gone, and it is still there");
  }
  return { made, old };
}

/** Refuses a token of an earlier run, which may have ended before this check, as `refuseWeaker` does. */
async function refuseWeakerThan(id: string, made: MadeToken, service: Service): Promise<void> {
  const old = await getAuthorization(service, id).catch((error: unknown) => {
    // An old token that is gone has no scopes to lose.
    if (saysNotFound(error)) return null;
    throw error;
  });
  if (old !== null) refuseWeaker(old, made);
}

/** Whether the new token ends as the old one, and so may be the old one, which is about to be deleted. */
function isOld(token: string, record: ItemRecord): boolean {
  return token.length > 8 && lastEight(token) === record.latest()?.last_eight;
}

/** The new token in the answer that the journal keeps; null where there is none. */
async function keptValue(record: ItemRecord): Promise<MadeToken | null> {
  if (!isAnswered(record)) return null;
  const { body, interim, step, isUnfit } = record.latest() ?? {};
  if (isUnfit === true)
    throw new Failure(
      "unknown",
      "an earlier run got the token of another item for it, which is kept; nothing is deleted",
    );
  // After the delivery, only the part that later steps need is kept.
  const sent = { note: interim?.note ?? undefined, fingerprint: interim?.fingerprint };
  return readMadeToken(body, step === undefined ? checkNewToken(sent) : undefined);
}

/** The new token, which no other item of the job may have. */
async function claim<Token extends MadeToken>(
  id: string,
  made: Token,
  { record }: Attempt,
  { claims }: RotationTools,
): Promise<Token> {
  try {
    return claims.claim(id, made);
  } catch (error) {
    await record.keep({ isUnfit: true });
    throw error;
  }
}

function isAnswered(record: ItemRecord): boolean {
  return record.latest()?.state === "answered";
}

/** The part of the answer that later steps need, in base64 as the journal has it. */
function bodyOf({ id, token }: MadeToken): string {
  return Buffer.from(toJson({ id, token }, 0)).toString("base64");
}

/**
 * Writes a step to the journal. Where that fails, the rotation stops as incomplete, because the new token exists
 * already.
 */
async function noteStep(record: ItemRecord, step: Parameters<ItemRecord["keep"]>[0]): Promise<void> {
  try {
    await record.keep(step);
  } catch (error) {
    if (!isFailure(error)) throw error;
    const said = isAnswered(record) ? "" : "the new token is delivered, and the old one is still active: ";
    throw new Failure("incomplete", `${said}${error.marked}`, error.details);
  }
}

/**
 * Creates the new token. `lost` are the notes of tokens that earlier runs may have created without receiving them.
 */
async function makeSuccessor(
  id: string,
  lost: ReadonlySet<string>,
  { intent, record }: Attempt,
  tools: RotationTools,
): Promise<{ readonly made: MadeToken; readonly old: Names }> {
  const { service, today, held } = tools;
  const heldBefore = held.get(id);
  const found = heldBefore ?? (await getAuthorization(service, id));
  held.delete(id);
  checkCanRotate(id, found);
  const old = namesOf(found, id);
  const wanted = {
    scopes: found.scopes,
    note_url: found.note_url || undefined,
  };
  for (let attempt = 1; ; attempt += 1) {
    const interim = interimNames(old, today, attempt);
    // An answer kept for an earlier attempt must not be taken for the answer to this one.
    await record.keep({
      ...(found.token_last_eight === null ? {} : { last_eight: found.token_last_eight }),
      old,
      interim,
      asked_at: record.latest()?.asked_at ?? tools.now(),
      // Every run warns of lost tokens again until the item is done, because nobody may have read the first warning.
      ...(lost.size === 0 ? {} : { lost: [...lost] }),
      state: isAnswered(record) ? "sent" : (record.latest()?.state ?? "planned"),
    });
    const names = { note: interim.note ?? "", fingerprint: interim.fingerprint ?? undefined };
    try {
      const made = await createAuthorization(withIntent(service, intent), { ...wanted, ...names });
      refuseWeaker(found, made);
      return { made: await claim(id, made, { intent, record, before: undefined }, tools), old };
    } catch (error) {
      if (isAlreadyUsed(error) && attempt < mostNames) {
        // The lost request may have taken effect only after the list was read.
        if (lost.has(names.note)) await deleteLost(new Set([names.note]), record.latest()?.asked_at, tools);
        continue;
      }
      // Held for one wait alone: meanwhile the account's owner may change the old token.
      const { longestMs } = waitLimits.request;
      const isShort = isFailure(error, "rate-limited") && (error.details.retryAfterMs ?? 0) <= longestMs;
      if (isShort && heldBefore === undefined) held.set(id, found);
      if (isFailure(error, "unknown") && (await keptValue(record).catch(() => error)) === null)
        throw await withLook(error, names.note, service);
      throw error;
    }
  }
}

/** Throws for a token of an application, with the command that rotates it, and for one whose scopes are not known. */
export function checkCanRotate(id: string, authorization: Authorization): void {
  if (isPersonal(authorization)) {
    const hint = "grantctl authorization create --note TEXT --scope SCOPE";
    checkScopesAreTold(authorization, { isAboutItem: true, hint });
    return;
  }
  const { app } = authorization;
  throw new Failure(
    "refused",
    `authorization ${id} is a token of the application ${foreign(app?.name ?? "")}, which token reset rotates`,
    {
      isAboutItem: true,
      hint: `grantctl token reset --client-id ${foreign(quoteWord(app?.client_id ?? "ID"))} --token-file old-token.txt`,
    },
  );
}

/** Deletes the old token. "Not found" means that it was already deleted, if the same credentials find the new one. */
async function deleteOld(id: string, madeId: string, service: Service): Promise<void> {
  try {
    await deleteAuthorization(service, id);
  } catch (error) {
    if (!saysNotFound(error) && !isFailure(error, "unknown")) throw error;
    await getAuthorization(service, madeId);
    if (await isFound(getAuthorization(service, id))) throw error;
  }
}

async function handNamesOn(madeId: string, old: Names, interim: Names, service: Service): Promise<void> {
  if (old.note === interim.note && old.fingerprint === interim.fingerprint) return;
  const changes = { note: old.note ?? undefined, fingerprint: old.fingerprint ?? undefined };
  try {
    await updateAuthorization(service, madeId, changes);
  } catch (error) {
    if (!isFailure(error, "unknown")) throw error;
    const { note } = await getAuthorization(service, madeId);
    if (note !== old.note) throw error;
  }
}
