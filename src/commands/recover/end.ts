// `grantctl recover end`: deletes tokens that nobody has: those that `authorization run` could not delete, and those of a
// creation whose answer never came. Passes over runs whose command still runs. Does not prompt.
import { addExamples, type Context, type Define } from "../../command-line/command.ts";
import { Failure, isFailure, usageFailure } from "../../errors/errors.ts";
import { counted } from "../../errors/words.ts";
import type { Service } from "../../http/service.ts";
import { hashOf, otherVersion, type Contents } from "../../jobs/journal.ts";
import { tokenEntry } from "../../jobs/leftover.ts";
import { commandLine } from "../../jobs/resume-hint.ts";
import { endLeftToken } from "../../jobs/look.ts";
import { findAll, findLeftover, findRef, type Leftover } from "./find-leftover.ts";

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

async function run(
  context: Context,
  ids: readonly string[],
  { all }: { readonly all?: true },
): Promise<void> {
  if ((all === true) === ids.length > 0)
    throw usageFailure("recover end: give IDs or --all", "Run `grantctl recover list` to see the IDs.");
  const found = all === true ? await findTokens(context) : await findNamed(ids, context);
  const here = found.filter((leftover) => context.server.isAt(serverOf(leftover)));
  if (here.length > 0) await endAll(here, context);
  else if (found.length === 0) context.notices.note("nothing is left to delete");
  const elsewhere = found.filter((leftover) => !here.includes(leftover));
  const [other] = elsewhere;
  if (other === undefined) return;
  const target = all === true ? "--all" : other.id;
  throw new Failure(
    "incomplete",
    `${counted(elsewhere.length, "token")} of other servers (such as ${serverOf(other)}) not deleted`,
    {
      hint: `Run \`${commandLine("recover", "end", target, "--base-url", serverOf(other))}\` to delete them there.`,
    },
  );
}

/** The leftovers with a token to delete. */
async function findTokens(context: Context): Promise<readonly Leftover[]> {
  const found: Leftover[] = [];
  for (const { id, path, contents, isRunning } of await findAll(context)) {
    if (contents === null || contents === otherVersion || tokenEntry(contents) === undefined) continue;
    if (!isRunning || hasEnded(contents)) found.push({ id, path, contents });
    else context.notices.note(`${id} is in use, so its token is kept`);
  }
  return found;
}

const serverOf = ({ contents }: Leftover): string => contents.head?.server ?? "";

async function findNamed(ids: readonly string[], context: Context): Promise<readonly Leftover[]> {
  const journals = await context.journals();
  const found: Leftover[] = [];
  for (const id of ids) {
    const ref = await findRef(id, context);
    const contents = await journals.read(ref.path);
    const leftover =
      contents !== otherVersion && hasEnded(contents)
        ? { ...ref, contents }
        : await findLeftover(id, context);
    if (tokenEntry(leftover.contents) === undefined)
      throw usageFailure(
        `${leftover.id} left no token to delete`,
        `Run \`${commandLine("recover", "show", leftover.id)}\` to see what it is.`,
      );
    found.push(leftover);
  }
  return found;
}

/** True if the run has seen its command end, whatever that has left running. */
function hasEnded(contents: Contents): boolean {
  return tokenEntry(contents)?.state === "ended";
}

async function endAll(leftovers: readonly Leftover[], context: Context): Promise<void> {
  const { service, username } = await context.server.accountService();
  const own = leftovers.filter(({ contents }) => contents.head?.requester === hashOf(username));
  let left = 0;
  for (const leftover of own) if (!(await endOne(leftover, service, context))) left += 1;
  if (left > 0)
    throw new Failure("incomplete", `${counted(left, "token")} may still exist`, {
      hint: "Run the same command again later, or delete them with `grantctl authorization delete`.",
    });
  if (own.length < leftovers.length)
    throw new Failure(
      "incomplete",
      `${counted(leftovers.length - own.length, "token")} of another account not deleted`,
      { hint: "Run the command again with the --username or --profile of that account." },
    );
}

/** Ends one token, and deletes its record if the token is gone. Resolves with false if it may still exist. */
async function endOne(leftover: Leftover, service: Service, context: Context): Promise<boolean> {
  const entry = tokenEntry(leftover.contents);
  if (entry === undefined) return true;
  const ending = await endLeftToken(service, entry, context).catch((error: unknown) => {
    if (!isFailure(error)) throw error;
    return { state: "left", reason: error.message } as const;
  });
  if (ending.state === "left") {
    context.notices.warn(`${leftover.id}: ${ending.reason}`);
    return false;
  }
  await (await context.journals()).forget(leftover);
  context.notices.note(
    `${leftover.id}: ${ending.state === "deleted" ? "deleted the token" : "verified: the token does not exist"}`,
  );
  return true;
}
