// The rejection of a note or a fingerprint that another authorization of the account has.
import { isFailure } from "../errors/errors.ts";
import type { Creation } from "../jobs/journal.ts";
import { tokenEntry } from "../jobs/leftover.ts";
import { commandLine } from "../config/command-words.ts";
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
  const all = await (await context.journals()).all();
  const record = all.find(({ contents }) => {
    const left = tokenEntry(contents)?.creation;
    const isHere = contents.head !== null && context.server.isAt(contents.head.server);
    return isHere && left?.note === note && left?.fingerprint === fingerprint;
  });
  if (record !== undefined)
    return error.with({
      hint: `An interrupted run may have created it. Run \`${commandLine("recover", "end", record.id)}\` to look for it.`,
    });
  const flag = client_id === null ? ["--note", note ?? ""] : ["--fingerprint", fingerprint ?? ""];
  const list = commandLine("authorization", "list", ...flag);
  return error.with({ hint: `Run \`${list}\` to see which authorization has it.` });
}
