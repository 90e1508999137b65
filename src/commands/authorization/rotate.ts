// `grantctl authorization rotate`: replaces a token by a new one; for a while both work.
import { addExamples, explainInherited, type Define, type Context } from "../../command-line/command.ts";
import type { Authorization } from "../../api/resources.ts";
import { isJobOf, addJobOptions } from "../../jobs/job.ts";
import { lookAhead } from "../../jobs/job-journal.ts";
import { readIds } from "../../jobs/read-items.ts";
import { reportNothing } from "../../jobs/report.ts";
import { itemsOfShard, withInput } from "../../jobs/shard.ts";
import { lookUp } from "../../deletion/look-up.ts";
import { type RotateOptions, rotateItems, rotationPresentation } from "../../delivery/rotate.ts";
import { checkCanRotate } from "../../delivery/rotation.ts";
import {
  addReceiverOptions,
  checkReceiver,
  checkValueOutput,
  openReceiver,
  type ReceiverOptions,
} from "../../delivery/receiver.ts";
import { planRotation } from "./plan-rotation.ts";
import { rotationQuestion } from "./rotation-question.ts";

type Options = RotateOptions & ReceiverOptions;

export const defineRotate: Define = (command, act) => {
  addReceiverOptions(addJobOptions(command))
    .option("--keep-old", "Keep the old token, to delete it later")
    .summary("Replace tokens by new ones, with an overlap")
    .description(
      "Create a replacement token with the same scopes, note and note URL, deliver it, verify that it works, then delete the old one. If a step before the deletion fails, the old token stays active; --resume continues from any step. Until the old token is deleted, the note of the new one ends with the date. Prompts for confirmation. Use `token reset` for tokens of applications.",
    )
    .argument("<id...>", "IDs of the authorizations, or - to read them from standard input")
    .action(act(run));
  explainInherited(command, "--yes", "--dry-run", "--json", "--jq");
  addExamples(command, [
    "grantctl authorization rotate 52 --dry-run",
    "grantctl authorization rotate 52 --yes --to-command 'pass insert -m ci/token'",
    "grantctl authorization list --note ci | grantctl authorization rotate - --dry-run",
  ]);
};

async function run(context: Context, words: readonly string[], options: Options): Promise<void> {
  const { options: globals, printer } = context;
  const isDryRun = globals.dryRun === true;
  printer.checkFields(rotationPresentation);
  const all = await readIds(words, context, "authorization", "rotate");
  const ids = itemsOfShard(all, options);
  const jobOptions = withInput(options, all);
  const isJob = isJobOf(ids, options);
  await checkValueOutput(isJob, options, context);
  if (ids.length === 0) {
    await reportNothing(context, "authorization to rotate", jobOptions, rotationPresentation, "rotate");
    return;
  }
  const keepsOld = options.keepOld === true;
  const { left, toBeDeleted, outputFiles, checkRequester } = await lookAhead(context, options, {
    operation: "rotate",
    items: ids,
    keepsOld,
  });
  if (isDryRun) {
    await checkReceiver(options, context, outputFiles);
    checkRequester((await context.address.accountService()).username);
    await planRotation(left, isJob, keepsOld, context);
    return;
  }
  const receiver = await openReceiver(options, context, outputFiles);
  try {
    const asked = [...toBeDeleted, ...left];
    if (asked.length > 0) await context.checkCanConfirm();
    const { service, username } = await context.address.accountService();
    checkRequester(username);
    if (asked.length > 0 && globals.yes !== true) {
      const { getAuthorization, listAuthorizations } = await import("../../api/authorizations.ts");
      const by = { read: getAuthorization, list: listAuthorizations };
      const known = await lookUp<Authorization>(service, asked, by, context);
      const [only] = left;
      if (!isJob && only !== undefined) {
        // The question is not asked about an authorization that does not exist or that cannot be rotated.
        const found = known.get(only) ?? (await getAuthorization(service, only));
        checkCanRotate(only, found);
      }
      await context.confirm(rotationQuestion(asked, known, keepsOld, context.address.origin().href));
    }
    await rotateItems(ids, jobOptions, receiver, context);
  } finally {
    await receiver.close();
  }
}
