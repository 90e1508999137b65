// `grantctl recover end`: deletes the tokens that `authorization run` could not delete, because grantctl was killed or
// the server could not be reached. Skips the tokens of commands that still run. Does not prompt, because the tokens
// were meant to be temporary.
import { addExamples, explainInherited, type Context, type Define } from "../../command-line/command.ts";
import { Failure, isFailure, usageFailure } from "../../errors/errors.ts";
import { counted } from "../../errors/words.ts";
import { foreign } from "../../errors/foreign.ts";
import type { Service } from "../../http/service.ts";
import { hashOf } from "../../journal/hashes.ts";
import { isCommandRunning, findRunToken, type Leftover } from "../../journal/leftover.ts";
import { endRunToken } from "../authorization/end-token.ts";
import { findLeftover } from "./find-leftover.ts";

export const defineEnd: Define = (command, act) => {
  command
    .summary("Delete tokens left by interrupted `authorization run` commands")
    .description(
      "Delete the tokens left by interrupted `authorization run` commands. Skips tokens whose command is still running.",
    )
    .argument("[id...]", "IDs from `grantctl recover list`")
    .option("--all", "Delete the tokens of all interrupted runs")
    .action(act(run, { announces: false }));
  explainInherited(command, "--base-url");
  addExamples(command, ["grantctl recover end 20260131-120000-a1b2c3", "grantctl recover end --all"]);
};

async function run(
  context: Context,
  ids: readonly string[],
  { all }: { readonly all?: true },
): Promise<void> {
  if ((all === true) === ids.length > 0)
    throw usageFailure("recover end: give IDs or --all", "Run `grantctl recover list` to see the IDs.");
  const { host, notices } = context;
  const found = all === true ? await findOrphans(context) : await findNamed(ids, context);
  const left: Leftover[] = [];
  for (const leftover of found) {
    if (!(await isCommandRunning(leftover, host.processes))) left.push(leftover);
    else if (all === true) notices.note(`${leftover.id}: its command is still running, so its token is kept`);
    else throw usageFailure(`${leftover.id}: its command is still running, so its token is kept`);
  }
  const here = left.filter(({ contents }) => context.server.isAt(contents.head.address));
  const elsewhere = left.filter((leftover) => !here.includes(leftover));
  if (here.length > 0) await endAll(here, context);
  else if (found.length === 0) notices.note("nothing is left to delete");
  const [other] = elsewhere;
  if (other === undefined) return;
  const { address } = other.contents.head;
  throw new Failure(
    "incomplete",
    `${counted(elsewhere.length, "token")} of other servers (such as ${foreign(address)}) not deleted`,
    {
      hint: `Run \`grantctl recover end ${all === true ? "--all" : other.id} --base-url ${address}\` to delete them there.`,
    },
  );
}

/** The leftovers of `authorization run`, even if the command still runs. */
async function findOrphans(context: Context): Promise<readonly Leftover[]> {
  const journals = await context.journals();
  return (await journals.leftovers()).filter((leftover) => findRunToken(leftover) !== null);
}

async function findNamed(ids: readonly string[], context: Context): Promise<readonly Leftover[]> {
  const found = [];
  for (const id of ids) {
    const leftover = await findLeftover(id, context);
    if (findRunToken(leftover) === null)
      throw usageFailure(
        `${leftover.id} does not belong to an interrupted \`authorization run\``,
        `Run \`grantctl recover show ${leftover.id}\` to see what it is.`,
      );
    found.push(leftover);
  }
  return found;
}

async function endAll(leftovers: readonly Leftover[], context: Context): Promise<void> {
  const { service, username } = await context.server.accountService();
  const own = leftovers.filter(({ contents }) => contents.head.requester === hashOf(username));
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

/** Ends one token, and deletes its journal if the token is gone. Resolves with false if it may still exist. */
async function endOne(leftover: Leftover, service: Service, context: Context): Promise<boolean> {
  const token = findRunToken(leftover);
  if (token === null) return true;
  const journals = await context.journals();
  const { journal } = await journals.reopen(leftover.path);
  const sentAt = Date.parse(leftover.contents.head.created_at);
  const ending = await endRunToken(service, token, sentAt, context).catch((error: unknown) => {
    if (!isFailure(error)) throw error;
    return { state: "left", reason: error.marked } as const;
  });
  if (ending.state === "left") {
    await journal.close();
    context.notices.warn(`${leftover.id}: ${ending.reason}`);
    return false;
  }
  await journal.remove();
  context.notices.note(
    `${leftover.id}: ${ending.state === "deleted" ? "deleted the token" : "verified: the token does not exist"}`,
  );
  return true;
}
