// Finds an authorization whose creation was never answered, by a key made from its fingerprint, or else its note. The
// journal has only the key's hash.
import type { Authorization } from "../../api/resources.ts";
import { toJson } from "../../json/exact-json.ts";
import type { Service } from "../../http/service.ts";
import { hashOf } from "../../journal/hashes.ts";
import { wholeList } from "../../lists/paging.ts";

/** The key of a new authorization: application and fingerprint, or the note. */
export function creationKeyOf(wanted: {
  readonly note?: string | undefined;
  readonly fingerprint?: string | undefined;
  readonly client_id?: string | undefined;
}): string {
  const { note, fingerprint, client_id: clientId = null } = wanted;
  return fingerprint === undefined
    ? keyOf("note", clientId, note ?? null)
    : keyOf("fingerprint", clientId, fingerprint);
}

function keyOf(kind: "note" | "fingerprint", clientId: string | null, text: string | null): string {
  return JSON.stringify([kind, clientId, text]);
}

/** The authorizations of the account that were created with the key of this hash. */
export async function findCreated(
  service: Service,
  keyHash: string,
  concurrency: number,
): Promise<readonly Authorization[]> {
  const { listAuthorizations } = await import("../../api/authorizations.ts");
  const found: Authorization[] = [];
  for await (const authorizations of listAuthorizations(service, wholeList(concurrency))) {
    found.push(
      ...authorizations.filter((authorization) =>
        keysOf(authorization).some((key) => hashOf(key) === keyHash),
      ),
    );
  }
  return found;
}

/** A sentence on the authorizations that findCreated found. */
export function describeFound(found: readonly Authorization[]): string {
  if (found.length === 0)
    return "no authorization with this note or fingerprint exists, so it has not taken effect";
  const ids = found.map(({ id }) => toJson(id, 0)).join(" ");
  return `there is one with this note or fingerprint; its value cannot be shown again: grantctl authorization delete ${ids}, then create it again`;
}

/** The keys that an authorization may have been created with. A personal token belongs to no application. */
function keysOf({ note, fingerprint, app }: Authorization): readonly string[] {
  const clientIds = [null, ...(app?.client_id === undefined ? [] : [app.client_id])];
  return clientIds.flatMap((clientId) => [
    ...(fingerprint === null || fingerprint === "" ? [] : [keyOf("fingerprint", clientId, fingerprint)]),
    keyOf("note", clientId, note),
  ]);
}
