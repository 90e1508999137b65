// The note and fingerprint of a token are unique within the account. A rotation therefore gives the new token interim
// ones until the old token is deleted.
import { isFailure } from "../errors/errors.ts";
import type { Contents, Creation } from "../jobs/journal.ts";
import { tokenEntry } from "../jobs/leftover.ts";
import { commandLine } from "../jobs/resume-hint.ts";
import { readJson } from "../json.ts";
import type { Context } from "../run/context.ts";

/** True if the server rejected a note or fingerprint because another token has it. */
export function isNameTaken(error: unknown): boolean {
  if (!isFailure(error, "refused") || error.details.status !== 422) return false;
  try {
    const body = readJson(error.details.received?.body ?? Buffer.alloc(0)) as { readonly errors?: unknown };
    return (
      Array.isArray(body.errors) &&
      body.errors.some((each: unknown) => (each as { readonly code?: unknown }).code === "already_exists")
    );
  } catch {
    return false;
  }
}

/**
 * Adds a hint to a rejection of the note or the fingerprint: the record of an earlier run whose token may have it, or the
 * list. Returns any other error unchanged.
 */
export async function withOwnerHint(error: unknown, creation: Creation, context: Context): Promise<unknown> {
  if (!isFailure(error) || !isNameTaken(error)) return error;
  const { client_id, note, fingerprint } = creation;
  const id = await findRecord(context, (contents) => {
    const left = tokenEntry(contents)?.creation;
    return left?.note === note && left?.fingerprint === fingerprint;
  });
  const flag = client_id === null ? ["--note", note ?? ""] : ["--fingerprint", fingerprint ?? ""];
  const hint =
    id === null
      ? `Run \`${commandLine("authorization", "list", ...flag)}\` to see which authorization has it.`
      : `An interrupted run may have created it. Run \`${commandLine("recover", "end", id)}\` to delete it.`;
  return error.with({ hint });
}

/** The ID of the first record of an earlier run that this is true of, or null. */
export async function findRecord(
  context: Context,
  isWanted: (contents: Contents) => boolean,
): Promise<string | null> {
  const all = await (await context.journals()).all();
  return all.find(({ contents }) => isWanted(contents))?.id ?? null;
}
