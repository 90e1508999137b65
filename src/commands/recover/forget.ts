// `grantctl recover forget`: deletes the record of an earlier run, even an unreadable one.
import { addExamples, type Define, type Context } from "../../command-line/command.ts";
import { both } from "../../errors/words.ts";
import { otherVersion, type JournalRef } from "../../jobs/journal.ts";
import { allValues, keptValues, leftOf } from "../../jobs/leftover.ts";
import { findRef, refuseRunning } from "./find-leftover.ts";

export const defineForget: Define = (command, act) => {
  command
    .description(
      "Delete the record of an earlier run from this machine, including any token value in it. Prompts if a value, a token or an unknown outcome would be forgotten.",
    )
    .argument("<id...>", "IDs from `grantctl recover list`")
    .action(act(run, { announces: false }));
  addExamples(command, ["grantctl recover forget 20260131-120000-a1b2c3"]);
};

async function run(context: Context, ids: readonly string[]): Promise<void> {
  const journals = await context.journals();
  const found: JournalRef[] = [];
  for (const id of ids) found.push(await findRef(id, context));
  const losses: string[] = [];
  for (const ref of found) {
    await refuseRunning(ref, context);
    const loss = await lossOf(ref, context);
    if (loss !== null) losses.push(loss);
  }
  if (losses.length > 0)
    await context.confirm(
      `Delete ${both(found.map(({ id }) => id))} with ${both(losses)}?`,
      "nothing was deleted",
    );
  for (const ref of found) await journals.forget(ref);
}

/** What would be forgotten; null if nothing would be missed. */
async function lossOf({ path }: JournalRef, context: Context): Promise<string | null> {
  const contents = await (await context.journals()).read(path).catch(() => null);
  if (contents === null || contents === otherVersion) return "what cannot be read";
  // A file or a stream may have been lost since.
  const isOfCommand = contents.head?.receiver?.toCommand !== undefined;
  const values = (isOfCommand ? keptValues(contents) : allValues(contents)).length;
  if (values > 0) return values === 1 ? "a token value" : `${values} token values`;
  const left = leftOf(contents);
  if (left === "token") return "a token that may still be active";
  if (left === "unknown") return "an unknown outcome";
  return left === "damaged" ? "what cannot be read" : null;
}
