// `grantctl authorization rotate`: creates a replacement for each token, and deletes the old one once the new one works. It
// is a job, even for a single one: the record has the state of each (delivery/rotation.ts), so that --resume continues
// after any step. Several rotations run in parallel, each with a row in the report. A single one prints only its new token,
// as `authorization create` does.
import { idText, isPersonal, type Authorization, type Id } from "../../api/resources.ts";
import { type Context, type Define, addExamples, printsFields } from "../../command-line/command.ts";
import { actionInWords, changeItems, type ActionWords } from "../../jobs/change-items.ts";
import { createClaims, readNewToken, type NewToken } from "../../delivery/new-value.ts";
import { addReceiverOptions, openJobReceiver } from "../../delivery/receiver.ts";
import type { ReceiverOptions, ValueReceiver } from "../../delivery/receiver.ts";
import { checkCanRotate, explainFailure, fitsCreation, rotateOne } from "../../delivery/rotation.ts";
import type { Rotated, RotationTools } from "../../delivery/rotation.ts";
import { openDelivery, throwFailureOf } from "../../delivery/values.ts";
import type { Entry } from "../../jobs/journal.ts";
import type { ChangePlan } from "../../jobs/run-job.ts";
import { findItems } from "../../lists/pick-items.ts";
import { accountProof } from "../../jobs/proof.ts";
import { addJobOptions, type Job, type JobOptions } from "../../jobs/job.ts";
import { parseJson } from "../../json.ts";
import { column, statusColumn, type Presentation } from "../../output/presentation.ts";
import { authorizations, noneExists } from "../../nouns.ts";
import { lastEight } from "../../token.ts";

interface RotateOptions extends JobOptions, ReceiverOptions {
  readonly keepOld?: true;
}

export const define: Define = (command, act) => {
  addReceiverOptions(addJobOptions(command))
    .option("--keep-old", "Do not delete the old token")
    .description(
      "Create a replacement token with the same scopes, note and note URL, deliver it, verify that it works, then delete the old one. If a step before the deletion fails, the old token stays active; --resume continues from the step that failed. Until the old token is deleted, the new token's note ends in ` (rotated DATE TIME RANDOM)`. Prints the new token; if there is more than one, prints one JSON object per line. Prompts for confirmation; --yes skips that. For an application's tokens, use `token reset`.",
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

async function run(context: Context, words: readonly string[], options: RotateOptions): Promise<void> {
  const { given } = await findItems(words, options, context, personalTokens, "rotate");
  const command = {
    operation: "rotate",
    what: "authorization to rotate",
    given,
    typed: words,
    presentation: rotationPresentation,
  } as const;
  await changeItems(context, options, command, async (job) => {
    const keepsOld = options.keepOld === true || job.argv.includes("--keep-old");
    const receiver = await openJobReceiver(options, job, context);
    const account = await context.server.accountService();
    return {
      requester: account.username,
      receiver,
      connect: async () => planRotations(job, { ...account, receiver, keepsOld }, context),
      inWords: (ids, known: ReadonlyMap<string, Authorization>) =>
        actionInWords("rotate", ids, known, rotationWords(keepsOld), context),
    };
  });
}

/** For a choice: those of applications cannot be rotated. */
const personalTokens: typeof authorizations = {
  ...authorizations,
  list: (service, paging, isWanted = () => true) =>
    authorizations.list(service, paging, (item) => isPersonal(item) && isWanted(item)),
};

const rotationWords = (keepsOld: boolean): ActionWords<Authorization> => ({
  ...authorizations,
  effect: keepsOld
    ? { ofOne: "and keep the old token", ofMany: "and keep the old tokens" }
    : {
        ofOne: "and delete the old token once the new one works",
        ofMany: "and delete the old tokens once the new ones work",
      },
});

type Parts = Pick<RotationTools, "service" | "keepsOld"> & { receiver: ValueReceiver };

/** The rotations, each of which delivers its value itself. */
function planRotations(job: Job, { service, receiver, keepsOld }: Parts, context: Context) {
  const { hasOneItem } = job;
  const shape = hasOneItem ? "one" : "many";
  const values = openDelivery<RotationRow>(receiver, rotationPresentation, shape, context);
  const deliver = async (rows: readonly RotationRow[]): Promise<void> =>
    throwFailureOf(await values.deliver(rows));
  const tools: RotationTools = {
    context,
    service,
    keepsOld,
    claims: createClaims(job.keys, job.resumed?.earlierEntries),
    receiver,
    remaining: new Map(),
    async deliver(id, rotated) {
      await deliver([rotatedRow(id, rotated)]);
      const made = idText(rotated.successor.id);
      if (hasOneItem && context.stdout.isTerminal)
        context.notices.note(`the new token of authorization ${id} is authorization ${made}`);
    },
  };
  return {
    proof: accountProof(service, authorizations, context),
    redeliver: async (entries) => deliver((await Promise.all(entries.map(rowsOfEntry))).flat()),
    change: {
      read: (id) => authorizations.read(service, id),
      readBy: "act",
      fits: fitsCreation,
      act: (id, attempt) => rotateOne(id, attempt, tools),
    },
    async preview(id) {
      const found = await authorizations.read(service, id);
      checkCanRotate(id, found);
      return found;
    },
    createPreviewRow: (id, status, found, reason) => rotationRow(id, status, reason, found?.note ?? null),
    report: {
      doneWord: "rotated",
      isGoneDone: false,
      verified: noneExists("authorization"),
      refine: (outcome) => explainFailure(outcome, tools.remaining.get(outcome.item)),
      presentation: rotationPresentation,
      list: values.list,
      createRow(id, status, rotated, reason) {
        if (rotated === null) return rotationRow(id, status, reason, null);
        return values.deliversRows ? null : { ...rotatedRow(id, rotated), token: "" };
      },
    },
  } satisfies ChangePlan<Authorization, Rotated, RotationRow>;
}

/** The row of a value that an earlier run delivered; none if it was not read. */
async function rowsOfEntry({ key, body, old }: Entry): Promise<readonly RotationRow[]> {
  const successor = await readNewToken(body);
  return successor === null || old === undefined ? [] : [rotatedRow(key, { successor, old })];
}

/** With the value, this row is printed when it is delivered; if a later step fails, another row follows. */
function rotatedRow(id: string, { successor, old }: Rotated): RotationRow {
  return rotationRow(id, "rotated", null, old.note, successor);
}

/** The row of an authorization; `made` is null if no new token exists. */
function rotationRow(
  idBefore: string,
  status: string,
  reason: string | null,
  note: string | null,
  made: NewToken | null = null,
) {
  return {
    id_before: parseJson(idBefore) as Id,
    id: made?.id ?? null,
    note,
    token_last_eight: made === null ? null : lastEight(made.token),
    token: made?.token ?? null,
    status,
    reason,
  };
}

type RotationRow = ReturnType<typeof rotationRow>;

const rotationPresentation: Presentation<RotationRow> = {
  fields: "id_before id note token_last_eight token status reason".split(" "),
  columns: [statusColumn, column("ID", "id_before", { isWhole: true })],
};
