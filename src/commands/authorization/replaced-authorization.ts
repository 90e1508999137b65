// The authorization that get-or-create deletes to create a new one: what it had, and, where the run was cut off, what
// became of it.
import { getAuthorization } from "../../api/authorizations.ts";
import type { Authorization } from "../../api/resources.ts";
import { foreign } from "../../errors/foreign.ts";
import { isFound } from "../../errors/not-found.ts";
import type { Service } from "../../http/service.ts";
import type { Replaced } from "../../journal/entries.ts";
import { quoteWord } from "../../printing/complete-commands.ts";
import { describeFound } from "../../delivery/created-tokens.ts";

/** The end of a sentence that names the flags for an authorization with these fields; empty for none. */
export function whatItHad({ scopes = [], note, note_url: noteUrl }: Omit<Replaced, "id">): string {
  const flags = [
    ...scopes.flatMap((scope) => ["--scope", scope]),
    ...(note === undefined ? [] : ["--note", note]),
    ...(noteUrl === undefined ? [] : ["--note-url", noteUrl]),
  ];
  return flags.length === 0 ? "" : `; it had: ${foreign(flags.map(quoteWord).join(" "))}`;
}

/** A sentence on the old authorization, and on those that findCreated found in its place. */
export async function describeReplaced(
  service: Service,
  replaced: Replaced,
  found: readonly Authorization[],
): Promise<string> {
  if (await isFound(getAuthorization(service, replaced.id)))
    return "it is still there, so nothing was changed";
  const rest = found.length === 0 ? ", and there is no new one in its place" : `; ${describeFound(found)}`;
  return `it is deleted${rest}${whatItHad(replaced)}`;
}
