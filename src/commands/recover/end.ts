// `grantctl recover end`: deletes tokens that nobody has: those that `authorization run` could not delete, and those of a
// creation whose answer never came. Passes over runs whose command still runs. Does not prompt.
import { addExamples, type Context, type Define } from "../../command-line/command.ts";
import { Failure, isFailure, usageFailure } from "../../errors/errors.ts";
import { counted } from "../../errors/words.ts";
import { hashOf, inUse, requireHead, type Entry, type Head } from "../../jobs/journal.ts";
import { tokenEntry } from "../../jobs/leftover.ts";
import { commandLine } from "../../jobs/resume-hint.ts";
import { endLeftToken } from "../../jobs/look.ts";

export const defineEnd: Define = (command, act) => {
  command
    .description(
      "Delete the tokens left by interrupted `authorization run` commands, and by creations that got no answer. Passes over runs that have not ended.",
    )
    .argument("[id...]", "IDs from `grantctl recover list`")
    .option("--all", "Delete the tokens of all interrupted runs")
    .action(act(run, { announces: false }));
  addExamples(command, ["grantctl recover end 20260131-120000-a1b2c3", "grantctl recover end --all"]);
};

interface LeftToken {
  readonly id: string;
  readonly head: Head;
  readonly entry: Entry;
}

async function run(
  context: Context,
  ids: readonly string[],
  { all }: { readonly all?: true },
): Promise<void> {
  const { server, notices } = context;
  if ((all === true) === ids.length > 0)
    throw usageFailure("recover end: give IDs or --all", "Run `grantctl recover list` to see the IDs.");
  const found = await findTokens(all === true ? null : ids, context);
  if (found.length === 0) {
    notices.note("nothing is left to delete");
    return;
  }
  const { service, username } = await server.accountService();
  const own = found.filter(({ head }) => server.isAt(head.server) && head.requester === hashOf(username));
  let left = 0;
  for (const { id, entry } of own) {
    const ending = await endLeftToken(service, entry, context).catch((error: unknown) => {
      if (!isFailure(error)) throw error;
      return { state: "left", reason: error.message } as const;
    });
    if (ending.state === "left") {
      left += 1;
      notices.warn(`${id}: ${ending.reason}`);
      continue;
    }
    await (await context.journals()).forget(id);
    notices.note(
      `${id}: ${ending.state === "deleted" ? "deleted the token" : "verified: the token does not exist"}`,
    );
  }
  if (left > 0)
    throw new Failure("incomplete", `${counted(left, "token")} may still exist`, {
      hint: "Run the same command again later, or delete them with `grantctl authorization delete`.",
    });
  const other = found.find((token) => !own.includes(token));
  if (other === undefined) return;
  const count = counted(found.length - own.length, "token");
  const target = all === true ? "--all" : other.id;
  const command = commandLine("recover", "end", target, "--base-url", other.head.server);
  throw new Failure(
    "incomplete",
    `${count} of another account or server (such as ${other.head.server}) not deleted`,
    { hint: `Run \`${command}\` with the --username or --profile of that account.` },
  );
}

/** The tokens with these IDs; null for all, without those that are in use. */
async function findTokens(ids: readonly string[] | null, context: Context): Promise<readonly LeftToken[]> {
  const journals = await context.journals();
  const named = ids?.map(async (id) => ({ id, contents: await journals.read(id) }));
  const found: LeftToken[] = [];
  for (const { id, contents } of await (named === undefined ? journals.all() : Promise.all(named))) {
    const entry = tokenEntry(contents);
    if (entry === undefined && ids === null) continue;
    // A run that has seen its command end needs no token, whatever the command has left running.
    const isRunning = entry?.state !== "ended" && (await journals.isRunning(id));
    if (isRunning && ids !== null) throw inUse(id);
    const head = requireHead(id, contents);
    if (entry === undefined)
      throw usageFailure(
        `${id} left no token to delete`,
        `Run \`${commandLine("recover", "show", id)}\` to see what it is.`,
      );
    if (isRunning) context.notices.note(`${id} is in use, so its token is kept`);
    else found.push({ id, head, entry });
  }
  return found;
}
