// `grantctl recover end`: deletes tokens that nobody has: those that `authorization run` could not delete, and those of a
// creation whose answer never came. Passes over runs whose command still runs. Does not prompt.
import { addExamples, type Context, type Define } from "../../command-line/command.ts";
import { Failure, isFailure, usageFailure } from "../../errors/errors.ts";
import { counted } from "../../errors/words.ts";
import { hashOf, inUse, requireHead, type Contents, type Entry, type Head } from "../../jobs/journal.ts";
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
  const { found, damaged } = await findTokens(all === true ? null : ids, context);
  for (const id of damaged)
    notices.warn(`${id}: the record is damaged, so its token, if there is one, was not looked for`);
  if (found.length === 0 && damaged.length === 0) {
    notices.note("nothing is left to delete");
    return;
  }
  if (found.length === 0) throw notEnded(damaged.length);
  const { service, username } = await server.accountService();
  const own = found.filter(({ head }) => server.isAt(head.server) && head.requester === hashOf(username));
  let left = damaged.length;
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
  if (left > 0) throw notEnded(left);
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

function notEnded(count: number): Failure {
  return new Failure("incomplete", `${counted(count, "token")} may still exist`, {
    hint: "Run the same command again later, or delete them with `grantctl authorization delete`.",
  });
}

/** The tokens with these IDs; null for all, without those that are in use, and the damaged records that may hide one. */
async function findTokens(ids: readonly string[] | null, context: Context) {
  const journals = await context.journals();
  const named = ids && [...new Set(ids)].map(async (id) => ({ id, contents: await journals.read(id) }));
  const found: LeftToken[] = [];
  const damaged: string[] = [];
  const noteInUse = (id: string): void => context.notices.note(`${id} is in use, so its token is kept`);
  for (const { id, contents } of await (named === null ? journals.all() : Promise.all(named))) {
    const early = tokenEntry(contents);
    if (early === undefined && ids === null) {
      if (!mayHideToken(contents)) continue;
      if (await journals.isRunning(id)) noteInUse(id);
      else damaged.push(id);
      continue;
    }
    // A run that has seen its command end needs no token, whatever the command has left running. Any other is held until
    // its token is deleted.
    const held = early?.state === "ended" ? { contents } : await journals.hold(id);
    if (held === null && ids !== null) throw inUse(id);
    if (held === null) {
      noteInUse(id);
      continue;
    }
    const entry = tokenEntry(held.contents);
    if (entry === undefined && ids === null) continue;
    const head = requireHead(id, held.contents);
    if (entry === undefined && mayHideToken(held.contents)) {
      damaged.push(id);
      continue;
    }
    if (entry === undefined)
      throw usageFailure(
        `${id} left no token to delete`,
        `Run \`${commandLine("recover", "show", id)}\` to see what it is.`,
      );
    found.push({ id, head, entry });
  }
  return { found, damaged };
}

/** True if a token may have been in what cannot be read. */
function mayHideToken({ head, fault }: Contents): boolean {
  return fault === "damaged" && (head === null || head.operation === "run");
}
