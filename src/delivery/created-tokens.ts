// Finds authorizations in the account's list whose creation got no complete answer: by the interim note of a rotation, or
// by the hash of a new token.
import { deleteAuthorization, listAuthorizations } from "../api/authorizations.ts";
import { isTokenOf } from "../api/hashed-token.ts";
import type { Authorization } from "../api/resources.ts";
import { Failure, isFailure } from "../errors/errors.ts";
import { isItemNotFound } from "../errors/not-found.ts";
import type { Service } from "../http/service.ts";
import { toJson } from "../json/exact-json.ts";
import { wholeList } from "../lists/paging.ts";
import type { NewToken } from "./new-value.ts";

/**
 * Deletes the token with this interim note, whose value is lost, and warns about it. `requestedAt` is when it was first
 * requested (ISO 8601): an older authorization with such a note is not from this rotation and stays. Throws an incomplete
 * failure with the delete command if the deletion fails or the authorization may be in use.
 */
export async function deleteLost(
  { note, requestedAt }: { readonly note: string | null; readonly requestedAt: string | undefined },
  { service, warn }: { readonly service: Service; readonly warn: (line: string) => void },
): Promise<void> {
  const found = await filterAuthorizations(service, (other) => other.note === note);
  for (const other of found) {
    const id = toJson(other.id, 0);
    const name = `authorization ${id} ("${other.note ?? ""}")`;
    const deleteHint = `delete it with \`grantctl authorization delete ${id}\``;
    if (requestedAt === undefined || !isCreatedSince(other.created_at, requestedAt))
      throw new Failure(
        "incomplete",
        `${name} may belong to an interrupted run, and its value was not saved; ${deleteHint}`,
      );
    try {
      await deleteAuthorization(service, id);
    } catch (error) {
      if (isItemNotFound(error)) continue;
      if (!isFailure(error)) throw error;
      throw new Failure(
        "incomplete",
        `${name} belongs to an interrupted run, its value was not saved, and it could not be deleted (${error.message}); ${deleteHint}`,
        error.details,
      );
    }
    warn(`${name} was created by an interrupted run and its value was not saved, so grantctl deleted it`);
  }
}

/** True if an authorization was created at that time or later; servers report whole seconds. */
function isCreatedSince(createdAt: string | null, moment: string): boolean {
  return Date.parse(createdAt ?? "") >= Math.floor(Date.parse(moment) / 1000) * 1000;
}

async function filterAuthorizations(
  service: Service,
  matches: (authorization: Authorization) => boolean,
): Promise<readonly Authorization[]> {
  const found: Authorization[] = [];
  for await (const page of listAuthorizations(service, wholeList(1))) found.push(...page.filter(matches));
  return found;
}

/** The new token's ID; looked up by its hash if the response was cut off before the ID. */
export async function findTokenId(made: NewToken, service: Service): Promise<string> {
  if (made.id !== null) return toJson(made.id, 0);
  const [found] = await filterAuthorizations(service, (authorization) =>
    isTokenOf(authorization, made.token),
  );
  if (found === undefined) throw new Failure("protocol", "the list does not have the new token");
  return toJson(found.id, 0);
}
