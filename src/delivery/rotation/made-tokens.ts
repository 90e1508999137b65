// Finds tokens that a rotation created in the account's list: those that never arrived, to delete them, and the new one
// if its response was cut off before its ID.
import { deleteAuthorization, listAuthorizations } from "../../api/authorizations.ts";
import { isTokenOf } from "../../api/hashed-token.ts";
import type { Authorization } from "../../api/resources.ts";
import { Failure, isFailure } from "../../errors/errors.ts";
import { foreign } from "../../errors/foreign.ts";
import { saysNotFound } from "../../errors/not-found.ts";
import { toJson } from "../../json/exact-json.ts";
import type { Service } from "../../http/service.ts";
import { wholeList } from "../../lists/paging.ts";
import type { MadeToken } from "../new-value.ts";

/**
 * Deletes those lost tokens that exist at the service, and says so: nobody has their values. `askedAt` is when the first
 * of them was requested (ISO 8601): an older authorization that has such a note is somebody else's and stays. Throws an
 * incomplete failure with the command that deletes one, if it could not be deleted, or may be somebody else's.
 */
export async function deleteLost(
  lost: ReadonlySet<string>,
  askedAt: string | undefined,
  { service, warn }: { readonly service: Service; readonly warn: (line: string) => void },
): Promise<void> {
  if (lost.size === 0) return;
  const found = await matching(service, ({ note }) => typeof note === "string" && lost.has(note));
  for (const other of found) {
    const id = toJson(other.id, 0);
    const name = `authorization ${id} ("${foreign(other.note ?? "")}")`;
    const wayOut = `to delete it: grantctl authorization delete ${id}`;
    if (askedAt === undefined || !isSince(other.created_at, askedAt))
      throw new Failure(
        "incomplete",
        `${name} may be of an interrupted run, and its value is not kept; ${wayOut}`,
      );
    try {
      await deleteAuthorization(service, id);
    } catch (error) {
      if (saysNotFound(error)) continue;
      if (!isFailure(error)) throw error;
      throw new Failure(
        "incomplete",
        `${name} is of an interrupted run, its value is not kept, and it could not be deleted (${error.marked}); ${wayOut}`,
        error.details,
      );
    }
    warn(`${name} was created by an interrupted run, and its value was not kept: it is deleted`);
  }
}

/** Whether an authorization was created at that time or later; servers tell whole seconds. */
function isSince(createdAt: string | null, moment: string): boolean {
  return Date.parse(createdAt ?? "") >= Math.floor(Date.parse(moment) / 1000) * 1000;
}

/** The failure of a creation without an answer, with a sentence on whether the token is in the service's list. */
export async function withLook(failure: Failure, note: string, service: Service): Promise<Failure> {
  const known = await withNote(service, note)
    .then(([found]) =>
      found === undefined
        ? `no authorization has the note "${foreign(note)}", so it has not taken effect`
        : lostValue(found, note),
    )
    .catch(() => `look whether there is one with the note "${foreign(note)}"`);
  return new Failure(
    "unknown",
    `${failure.marked}; ${known}; the old token is still active`,
    failure.details,
  );
}

function lostValue({ id }: Authorization, note: string): string {
  return `authorization ${toJson(id, 0)} ("${foreign(note)}") was made, and its value is not kept: grantctl authorization delete ${toJson(id, 0)}`;
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

/** The new token's ID; looked up by the token where the answer was cut off before the ID. */
export async function idOf(made: MadeToken, service: Service): Promise<string> {
  if (made.id !== null) return toJson(made.id, 0);
  const [found] = await matching(service, (authorization) => isTokenOf(authorization, made.token));
  if (found === undefined) throw new Failure("protocol", "the list does not have the new token");
  return toJson(found.id, 0);
}
