// `grantctl authorization rotate`: creates a replacement for each token, and deletes the old one once the new one
// works. The steps are in delivery/rotation.ts. --dry-run looks up each authorization and prints the plan in the words
// of the prompt.
import type { Authorization } from "../../api/resources.ts";
import { type Context, type Define, addExamples, printsFields } from "../../command-line/command.ts";
import { actionInWords, confirmItems, type ActionWords } from "../../deletion/question.ts";
import {
  type ReceiverOptions,
  addReceiverOptions,
  openReceiver,
  resumedOptions,
} from "../../delivery/receiver.ts";
import { emptyRow, rotateItems, rotationPresentation } from "../../delivery/rotate.ts";
import { checkCanRotate } from "../../delivery/rotation.ts";
import { noneExists } from "../../errors/words.ts";
import { previewJob } from "../../jobs/job-journal.ts";
import { planJob } from "../../jobs/job.ts";
import { accountAbsence } from "../../jobs/proof.ts";
import { readIds, addJobOptions, type JobOptions } from "../../jobs/read-items.ts";
import { reportNothing } from "../../jobs/report.ts";
import { pickItems } from "../../lists/pick-items.ts";
import { cellText } from "../../output/presentation.ts";
import { authorizations, namesOfAuthorization } from "../../output/resources.ts";

interface Options extends JobOptions, ReceiverOptions {
  readonly keepOld?: true;
}

export const define: Define = (command, act) => {
  addReceiverOptions(addJobOptions(command))
    .option("--keep-old", "Do not delete the old token")
    .description(
      "Create a replacement token with the same scopes, note and note URL, deliver it, verify that it works, then delete the old one. If a step before the deletion fails, the old token stays active; --resume continues from the step that failed. Until the old token is deleted, the new token's note ends with the time of the rotation. Prints the new token; if there is more than one, prints one JSON object per line. Prompts for confirmation. For an application's tokens, use `token reset`.",
    )
    .argument(
      "[id...]",
      "IDs of the authorizations, or - to read them from standard input; on a terminal, you can select them instead",
    )
    .action(act(run));
  printsFields(command, rotationPresentation.fields);
  addExamples(command, [
    "grantctl authorization rotate 52 --dry-run",
    "grantctl authorization rotate 52 --yes --to-command 'pass insert -m ci/token'",
    "grantctl authorization list --note ci | grantctl authorization rotate - --dry-run",
  ]);
};

async function run(context: Context, words: readonly string[], given: Options): Promise<void> {
  const { resume } = given;
  const read =
    words.length > 0
      ? await readIds(words, context, "authorization")
      : resume !== undefined
        ? null
        : await pickIds(context);
  if (read?.length === 0 && given.resume === undefined) {
    await reportNothing(context, "authorization to rotate", rotationPresentation);
    return;
  }
  const preview = await previewJob(context, given, "rotate", read);
  const { journal, items: ids, isOfOne, pending, checkRequester } = preview;
  const keepsOld = given.keepOld === true || preview.argv.includes("--keep-old");
  const receiver = await openReceiver(resumedOptions(given, preview), context, !isOfOne);
  if (given.dryRun === true) {
    checkRequester((await context.server.accountService()).username);
    await planRotation(pending, keepsOld, context);
    return;
  }
  context.server.checkAccounts();
  if (pending.length > 0) await context.checkCanConfirm();
  const { service, username } = await context.server.accountService();
  checkRequester(username);
  await confirmItems(
    pending,
    {
      read: (id) => authorizations.read(service, id),
      inWords: (known) => actionInWords("rotate", { ids: pending, known }, rotationWords(keepsOld), context),
      words: [...words, ...preview.argv],
    },
    context,
  );
  await rotateItems(ids, { keepsOld, isOfOne, journal }, receiver, context);
}

async function pickIds(context: Context): Promise<readonly string[]> {
  return (await pickItems(context, authorizations, "rotate")).map(({ id }) => cellText(id));
}

/** Prints the plan of a dry run. Throws the failure of the one authorization, or of the job. */
async function planRotation(ids: readonly string[], keepsOld: boolean, context: Context): Promise<void> {
  const { service } = await context.server.accountService();
  const plan = {
    items: ids,
    absence: accountAbsence(service, authorizations, context, true),
    async act(id: string) {
      const found = await authorizations.read(service, id);
      checkCanRotate(id, found);
      return found;
    },
    presentation: rotationPresentation,
    createRow: (id: string, status: string, found: Authorization | null, reason: string | null) => ({
      ...emptyRow(id, status, found?.note),
      reason,
    }),
    isGoneDone: false,
    verified: noneExists("authorization"),
  };
  await planJob(context, plan, (found, known) =>
    actionInWords("rotate", { ids: found, known }, rotationWords(keepsOld), context),
  );
}

const rotationWords = (keepsOld: boolean): ActionWords<Authorization> => ({
  name: "authorization",
  effect: keepsOld
    ? { ofOne: "and keep the old token", ofMany: "and keep the old tokens" }
    : {
        ofOne: "and delete the old token once the new one works",
        ofMany: "and delete the old tokens once the new ones work",
      },
  namesOf: namesOfAuthorization,
});
