// `grantctl recover forget`: deletes the record of an earlier run, even an unreadable one.
import { addExamples, type Define, type Context } from "../../command-line/command.ts";
import { joinAnd, counted } from "../../errors/words.ts";
import type { Contents } from "../../jobs/journal.ts";
import { allValues, leftOf } from "../../jobs/leftover.ts";

export const define: Define = (command, act) => {
  command
    .description(
      "Delete the record of an earlier run from this machine, including any token value in it. Revokes no token. Prompts if a value, a token or an unknown outcome would be forgotten.",
    )
    .argument("<id...>", "IDs from `grantctl recover list`")
    .action(act(run, { announces: false }));
  addExamples(command, ["grantctl recover forget 20260131-120000-a1b2c3"]);
};

async function run(context: Context, words: readonly string[]): Promise<void> {
  const ids = [...new Set(words)];
  const records = await context.records();
  const losses: string[] = [];
  // Held until they are deleted, so that nothing is added to what is asked about.
  for (const id of ids) losses.push(...lossOf((await records.open(id)).contents));
  if (losses.length > 0)
    await context.confirm(`Delete ${joinAnd(ids)} with ${joinAnd(losses)}, and revoke no token?`);
  for (const id of ids) await records.forget(id);
  context.notices.note(`deleted ${joinAnd(ids)}`);
}

/** The contents that the user would lose with the record; empty if none is of use. */
function lossOf(contents: Contents): readonly string[] {
  // A file or a stream that got its values may have been lost since.
  const values = allValues(contents).length;
  if (values > 0) return [values === 1 ? "a token value" : counted(values, "token value")];
  const left = leftOf(contents);
  if (left === "token") return ["a token that may still be active"];
  if (left === "unknown") return ["an unknown outcome"];
  return left === null || left === "unfinished" ? [] : ["what cannot be read"];
}
