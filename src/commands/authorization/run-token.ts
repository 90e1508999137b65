// The token of `authorization run`: its journal, whether its command still runs, and its end.
//
//   state     on disk before             what an interruption leaves              what ends it
//   sent      the creation is sent       perhaps a token, known by fingerprint    listed, deleted if it is there
//   answered  the command is started     a token, known by its ID                 the same
//
// The journal never holds the token's value: nobody needs it again. While grantctl runs, it holds the journal's lock. A
// second lock, in the name of the command's process, tells a later run whether the command outlived grantctl; its token
// is then left alone. The end is the same for both states and can be repeated: the fingerprint is random, so that no
// other authorization has it, and a list that was read to its end proves the credentials.
import { Failure, isFailure } from "../../errors/errors.ts";
import { saysNotFound } from "../../errors/not-found.ts";
import type { Service } from "../../http/service.ts";
import { toJson } from "../../json/exact-json.ts";
import { wholeList } from "../../lists/paging.ts";

/** The hint for a token that is left to a later run. */
export function endHint(id: string): string {
  return `grantctl recover end ${id}`;
}

/**
 * Deletes the authorizations that have one of these fingerprints; resolves with their fingerprints. Reads the whole list
 * first, so that what is not in it is certainly gone.
 */
export async function deleteByFingerprint(
  service: Service,
  fingerprints: ReadonlySet<string>,
  concurrency: number,
): Promise<ReadonlySet<string>> {
  const { deleteAuthorization, listAuthorizations } = await import("../../api/authorizations.ts");
  const found: { readonly id: string; readonly fingerprint: string }[] = [];
  const paging = { ...wholeList(concurrency), onEarlyEnd: refuseEarlyEnd };
  for await (const page of listAuthorizations(service, paging))
    for (const { id, fingerprint } of page)
      if (fingerprint !== null && fingerprints.has(fingerprint))
        found.push({ id: toJson(id, 0), fingerprint });
  for (const { id } of found) await deleteProven(() => deleteAuthorization(service, id));
  return new Set(found.map(({ fingerprint }) => fingerprint));
}

function refuseEarlyEnd(): never {
  throw new Failure("protocol", "the list of authorizations ended early, so a token may be missing in it");
}

/** Runs a deletion with proven credentials: "not found" then means that it is gone. */
export async function deleteProven(send: () => Promise<void>): Promise<void> {
  await send().catch((error: unknown) => {
    if (!saysNotFound(error)) throw error;
  });
}

/** Whether a deletion may succeed a moment later: not if the server has refused it, or the login is wrong. */
export function mayBeRetried(error: unknown, hasCodeCommand: boolean): boolean {
  if (isFailure(error, "otp")) return hasCodeCommand;
  return isFailure(error, "network", "unknown", "rate-limited", "protocol", "authentication", "not-found");
}
