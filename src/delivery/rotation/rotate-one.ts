// Rotates one authorization: a new token is created, delivered and proven to work; only then is the old one deleted and
// its note given to the new one. Each step is on disk before the next begins and can be repeated, so at every moment at
// least one of the two tokens works.
import {
  createAuthorization,
  deleteAuthorization,
  getAuthorization,
  listAuthorizations,
  updateAuthorization,
} from "../../api/authorizations.ts";
import { isTokenOf } from "../../api/hashed-token.ts";
import { lastEight } from "../../api/last-eight.ts";
import type { Authorization } from "../../api/resources.ts";
import { getUsername } from "../../api/users.ts";
import type { ItemRecord } from "../../bulk/taken-up.ts";
import { Failure, isFailure } from "../../errors/errors.ts";
import { foreign } from "../../errors/foreign.ts";
import { toJson } from "../../exact-json.ts";
import type { Intent } from "../../http/request.ts";
import { withIntent, type Service } from "../../http/service.ts";
import { wholeList } from "../../lists/paging-options.ts";
import { readMadeToken, type MadeToken } from "../new-value.ts";
import { interimNames, isAlreadyUsed, isPersonal, namesOf, type Names } from "./names.ts";

export interface RotationTools {
  readonly service: Service;
  /** The service with a token as authorization. */
  readonly withToken: (token: string) => Promise<Service>;
  readonly keepsOld: boolean;
  /** As in `2026-11-21`. */
  readonly today: string;
  readonly hide: (secret: string) => void;
  readonly warn: (line: string) => void;
  /** Resolves when the receiver took the new value; `old` has the note and fingerprint that it will have. */
  readonly deliver: (made: MadeToken, old: Names) => Promise<void>;
}

export interface Rotated {
  readonly made: MadeToken;
  readonly old: Names;
}

/** So many interim names are tried: earlier rotations that broke off may have left tokens under some of them. */
const mostNames = 9;

/**
 * Does the steps that are left for one. `isTakenUp` says that an earlier run may have sent the request for a new token.
 */
export async function rotateOne(
  id: string,
  isTakenUp: boolean,
  record: ItemRecord,
  intent: Intent,
  tools: RotationTools,
): Promise<Rotated> {
  const before = record.latest();
  const value = isAnswered(record) ? await readMadeToken(before?.body) : null;
  const kept = value === null || before?.old === undefined ? null : { made: value, old: before.old };
  const lost = new Set(before?.lost);
  const interim = before?.interim?.note ?? null;
  // A new token whose value is in the journal is not lost.
  if (kept !== null) lost.delete(interim ?? "");
  else if (isTakenUp && interim !== null) lost.add(interim);
  await tellOfLost(lost, tools);
  const { made, old } = kept ?? (await makeSuccessor(id, lost, record, intent, tools));
  tools.hide(made.token);
  const step = record.latest()?.step;
  if (step === undefined) {
    await tools.deliver(made, old);
    // Where the disk failed when the answer came, it is tried again now: without the answer, no later run could go on.
    const missed = isAnswered(record) ? {} : { state: "answered" as const, body: bodyOf(made) };
    await noteStep(record, { ...missed, step: "delivered" });
  }
  if (step === undefined || step === "delivered") {
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
  await handNamesOn(madeId, old, record.latest()?.interim ?? old, tools.service);
  return { made, old };
}

/** Whether a value ends as the old token does, which would then be alive only until it is deleted. */
function isOld(token: string, record: ItemRecord): boolean {
  return token.length > 8 && lastEight(token) === record.latest()?.last_eight;
}

function isAnswered(record: ItemRecord): boolean {
  return record.latest()?.state === "answered";
}

/** The part of the answer that later steps need, as the journal keeps it. */
function bodyOf({ id, token }: MadeToken): string {
  return Buffer.from(toJson({ id, token }, 0)).toString("base64");
}

/**
 * Writes a step to the journal. Where that fails, the rotation stops as incomplete, because the new token exists by
 * then.
 */
async function noteStep(record: ItemRecord, step: Parameters<ItemRecord["keep"]>[0]): Promise<void> {
  try {
    await record.keep(step);
  } catch (error) {
    if (!isFailure(error)) throw error;
    const said = isAnswered(record) ? "" : "the new token is delivered, and the old one is alive: ";
    throw new Failure("incomplete", `${said}${error.marked}`, error.details);
  }
}

/**
 * Creates the new token. `lost` are the notes of tokens that earlier runs may have created without getting the value.
 */
async function makeSuccessor(
  id: string,
  lost: ReadonlySet<string>,
  record: ItemRecord,
  intent: Intent,
  tools: RotationTools,
): Promise<{ readonly made: MadeToken; readonly old: Names }> {
  const { service, today } = tools;
  const found = await getAuthorization(service, id);
  refuseOfApplication(id, found);
  const old = namesOf(found, id);
  const wanted = {
    scopes: found.scopes,
    ...(typeof found.note_url === "string" && found.note_url !== "" ? { note_url: found.note_url } : {}),
  };
  for (let attempt = 1; ; attempt += 1) {
    const interim = interimNames(old, today, attempt);
    // An answer kept for an earlier attempt must not be taken for the answer to this one.
    await record.keep({
      ...(found.token_last_eight === null ? {} : { last_eight: found.token_last_eight }),
      old,
      interim,
      // Every run warns of them again until the item is done: the first warning may not have been read.
      ...(lost.size === 0 ? {} : { lost: [...lost] }),
      state: isAnswered(record) ? "sent" : (record.latest()?.state ?? "planned"),
    });
    const names = {
      note: interim.note ?? "",
      ...(interim.fingerprint === null ? {} : { fingerprint: interim.fingerprint }),
    };
    try {
      return { made: await createAuthorization(withIntent(service, intent), { ...wanted, ...names }), old };
    } catch (error) {
      if (isAlreadyUsed(error) && attempt < mostNames) {
        // The lost request may have taken effect only after the list was looked at.
        if (lost.has(names.note)) await tellOfLost(new Set([names.note]), tools);
        continue;
      }
      if (isFailure(error, "unknown")) throw await withLook(error, names.note, service);
      throw error;
    }
  }
}

/** Warns of the lost tokens that the service does have, so that the user can delete them. */
async function tellOfLost(lost: ReadonlySet<string>, { service, warn }: RotationTools): Promise<void> {
  if (lost.size === 0) return;
  const found = await matching(service, ({ note }) => typeof note === "string" && lost.has(note));
  for (const other of found) warn(lostValue(other, other.note ?? ""));
}

/** The failure of a creation that was not answered, with what the service's list says about it. */
async function withLook(failure: Failure, note: string, service: Service): Promise<Failure> {
  const known = await withNote(service, note)
    .then(([found]) =>
      found === undefined
        ? `no authorization has the note "${foreign(note)}", so it has not taken effect`
        : lostValue(found, note),
    )
    .catch(() => `look whether there is one with the note "${foreign(note)}"`);
  return new Failure("unknown", `${failure.marked}; ${known}; the old token is alive`, failure.details);
}

function lostValue({ id }: Authorization, note: string): string {
  return `authorization ${toJson(id, 0)} ("${foreign(note)}") was made, and its value is not kept: grantctl authorization delete ${toJson(id, 0)}`;
}

/** Throws for a token of an application, with the command that rotates it. */
export function refuseOfApplication(id: string, authorization: Authorization): void {
  if (isPersonal(authorization)) return;
  const { app } = authorization;
  throw new Failure(
    "refused",
    `authorization ${id} is a token of the application ${foreign(app?.name ?? "")}, which token reset rotates`,
    {
      isAboutItem: true,
      hint: `grantctl token reset --client-id ${app?.client_id ?? "ID"} --token-file old-token.txt`,
    },
  );
}

async function withNote(service: Service, note: string): Promise<readonly Authorization[]> {
  return matching(service, (authorization) => authorization.note === note);
}

async function matching(
  service: Service,
  isMeant: (authorization: Authorization) => boolean,
): Promise<readonly Authorization[]> {
  const found: Authorization[] = [];
  for await (const page of listAuthorizations(service, wholeList(1))) found.push(...page.filter(isMeant));
  return found;
}

/** The new token's id; looked up by the token where the answer was cut off before the id. */
async function idOf(made: MadeToken, service: Service): Promise<string> {
  if (made.id !== null) return toJson(made.id, 0);
  const [found] = await matching(service, (authorization) => isTokenOf(authorization, made.token));
  if (found === undefined) throw new Failure("protocol", "the list does not have the new token");
  return toJson(found.id, 0);
}

/** Deletes the old token. "Not found" means that it is gone already, if the same credentials find the new one. */
async function deleteOld(id: string, madeId: string, service: Service): Promise<void> {
  try {
    await deleteAuthorization(service, id);
  } catch (error) {
    if (!isFailure(error, "not-found", "unknown")) throw error;
    await getAuthorization(service, madeId);
    const isThere = await getAuthorization(service, id).then(
      () => true,
      (other: unknown) => {
        if (!isFailure(other, "not-found")) throw other;
        return false;
      },
    );
    if (isThere) throw error;
  }
}

async function handNamesOn(madeId: string, old: Names, interim: Names, service: Service): Promise<void> {
  if (old.note === interim.note && old.fingerprint === interim.fingerprint) return;
  const changes = {
    ...(old.note === null ? {} : { note: old.note }),
    ...(old.fingerprint === null ? {} : { fingerprint: old.fingerprint }),
  };
  try {
    await updateAuthorization(service, madeId, changes);
  } catch (error) {
    if (!isFailure(error, "unknown")) throw error;
    const { note } = await getAuthorization(service, madeId);
    if (note !== old.note) throw error;
  }
}
