// `grantctl recover forget`: deletes a leftover of an earlier run.
import { addExamples, explainInherited, type Define, type Context } from "../../command-line/command.ts";
import { findForgettable } from "./find-leftover.ts";

export const defineForget: Define = (command, act) => {
  command
    .summary("Discard data kept by an earlier run")
    .description("Delete the record of an earlier run from this machine, including any token value in it.")
    .option("--force", "Also release a lock held by a process on another host or in another container")
    .argument("<id...>", "IDs from `grantctl recover list`")
    .action(act(run, { announces: false, closedOutput: "accepted" }));
  explainInherited(command, "--dry-run");
  addExamples(command, ["grantctl recover forget 20260131-120000-a1b2c3"]);
};

async function run(
  context: Context,
  ids: readonly string[],
  { force }: { readonly force?: true },
): Promise<void> {
  const found = [];
  for (const id of ids) found.push(...(await findForgettable(id, force === true, context)));
  for (const { id, forget } of found) {
    if (context.options.dryRun === true) context.notices.note(`would forget ${id}`);
    else await forget();
  }
}
