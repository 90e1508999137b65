// `grantctl recover end`: deletes tokens that nobody has: those that `authorization run` could not delete, and those of a
// creation whose response never came. Passes over runs whose command still runs. Does not ask to confirm.
import { hashOf } from "../../token.ts";
import { addExamples, type Context, type Define } from "../../command-line/command.ts";
import { Failure, isFailure, usageFailure } from "../../errors/errors.ts";
import { counted } from "../../errors/words.ts";
import { inUse, requireHead } from "../../jobs/journal.ts";
import type { Contents, Entry, Head, StoredRecord } from "../../jobs/journal.ts";
import { tokenEntry } from "../../jobs/leftover.ts";
import { commandLine } from "../../config/command-words.ts";
import { endLeftToken } from "../../jobs/left-token.ts";
import { isRejection } from "../../jobs/proof.ts";

export const define: Define = (command, act) => {
  command
    .description(
      "Delete the tokens left by interrupted `authorization run` commands, and by creations that got no response. Passes over runs that have not ended.",
    )
    .argument("[id...]", "IDs from `grantctl recover list`")
    .option("--all", "Delete the tokens of all interrupted runs")
    .action(act(run, { announces: false }));
  addExamples(command, ["grantctl recover end 20260131-120000-a1b2c3", "grantctl recover end --all"]);
};

async function run(context: Context, ids: readonly string[], { all }: { readonly all?: true }) {
  const { server, notices } = context;
  if ((all === true) === ids.length > 0)
    throw usageFailure("recover end: give IDs or --all", "Run `grantctl recover list` to see the IDs.");
  const { found, damaged, isInUse } = await findLeftTokens(all === true ? null : ids, context);
  let left = damaged;
  if (found.length === 0) {
    if (left > 0) throw notEnded(left);
    if (!isInUse) notices.note("nothing is left to delete");
    return;
  }
  const { service, username } = await server.accountService();
  for (const { id, head, entry } of found) {
    if (!server.isAt(head.server) || head.requester !== hashOf(username)) {
      left += 1;
      const command = commandLine("recover", "end", id, "--base-url", head.server);
      notices.warn(
        `${id} is of another account or server: run \`${command}\` with its --username or --profile`,
      );
      continue;
    }
    const ending = await endLeftToken(service, entry, context).catch((error: unknown) => {
      if (!isFailure(error) || isRejection(error)) throw error;
      left += 1;
      notices.warn(`${id}: ${error.message}`);
      return null;
    });
    if (ending === null) continue;
    await (await context.records()).forget(id);
    notices.note(
      `${id}: ${ending === "deleted" ? "deleted the token" : "verified: the token does not exist"}`,
    );
  }
  if (left > 0) throw notEnded(left);
}

function notEnded(count: number): Failure {
  return new Failure("incomplete", `${counted(count, "token")} may still exist`, {
    hint: "Run the same command again later, or delete them with `grantctl authorization delete`.",
  });
}

/** The tokens with these IDs; null for all, without those in use. Counts the damaged records that may hide one, and says so. */
async function findLeftTokens(ids: readonly string[] | null, context: Context) {
  const { notices } = context;
  const records = await context.records();
  const read = async (id: string): Promise<StoredRecord> => ({ id, contents: await records.read(id) });
  const named = ids === null ? await records.all() : await Promise.all([...new Set(ids)].map(read));
  const found: { readonly id: string; readonly head: Head; readonly entry: Entry }[] = [];
  let damaged = 0;
  let isInUse = false;
  for (const early of named) {
    if (ids === null && tokenEntry(early.contents) === undefined && !mayHideToken(early.contents)) continue;
    // Held until its token is deleted. A file that cannot be opened is damaged.
    const held = await records.tryOpen(early.id).catch(() => undefined);
    const { id, contents } = held ?? early;
    const entry = tokenEntry(contents);
    // A run that has seen its command end needs no token, whatever the command has left running.
    if (held === null && entry?.state !== "ended") {
      if (ids !== null) throw inUse(id);
      isInUse = true;
      notices.note(`${id} is in use, so its token is kept`);
    } else if (entry !== undefined) found.push({ id, head: requireHead(id, contents), entry });
    else if (mayHideToken(contents)) {
      damaged += 1;
      notices.warn(`${id}: the record is damaged, so its token, if there is one, was not looked for`);
    } else if (ids !== null) {
      requireHead(id, contents);
      const show = commandLine("recover", "show", id);
      throw usageFailure(`${id} left no token to delete`, `Run \`${show}\` to see what it is.`);
    }
  }
  return { found, damaged, isInUse };
}

/** True if a token may have been in what cannot be read. */
function mayHideToken({ head, fault }: Contents): boolean {
  return fault === "damaged" && (head === null || head.operation === "run");
}
