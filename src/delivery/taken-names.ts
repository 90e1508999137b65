// The rejection of a note or a fingerprint that another authorization of the account has.
import { isFailure } from "../errors/errors.ts";
import type { Creation } from "../jobs/journal.ts";
import { tokenEntry } from "../jobs/leftover.ts";
import { commandLine } from "../config/command-words.ts";
import { isObject, objectIn } from "../json.ts";
import type { Context } from "../run/context.ts";

/** What the server rejected because another token has it, which it calls description for a note; null for any other error. */
export function takenName(error: unknown): "note" | "fingerprint" | null {
  if (!isFailure(error, "refused") || error.details.status !== 422) return null;
  const { errors } = objectIn(error.details.received?.body);
  const problems = Array.isArray(errors) ? errors.filter(isObject) : [];
  const taken = problems.find(({ code }) => code === "already_exists");
  if (taken === undefined) return null;
  return taken["field"] === "fingerprint" ? "fingerprint" : "note";
}

/**
 * Adds a hint to a rejection of the note or the fingerprint: the record of an earlier run whose token may have it, or the
 * list. Returns any other error unchanged.
 */
export async function withOwnerHint(error: unknown, creation: Creation, context: Context): Promise<unknown> {
  const name = takenName(error);
  const value = name === null ? null : creation[name];
  if (!isFailure(error) || name === null || value === null) return error;
  const all = await (await context.journals()).all();
  const record = all.find(({ contents }) => {
    const isHere = contents.head !== null && context.server.isAt(contents.head.server);
    return isHere && tokenEntry(contents)?.creation?.[name] === value;
  });
  if (record !== undefined)
    return error.with({
      hint: `An interrupted run may have created it. Run \`${commandLine("recover", "end", record.id)}\` to look for it.`,
    });
  const list = commandLine("authorization", "list", `--${name}`, value);
  return error.with({ hint: `Run \`${list}\` to see which authorization has it.` });
}
