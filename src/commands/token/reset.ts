// `grantctl token reset`: replaces one or many tokens, as a job. Each new token is on disk before it is written anywhere
// else, and its item is finished only when the receiver has accepted it. A reset cannot be repeated blindly, because the
// server shows the new token once:
//
//   the response                       what happens
//   arrived                            the token is delivered; if that fails, the record keeps it for --resume
//   never arrived                      nothing now, because the request may still take effect; --resume reads the old
//                                      token: active, the reset is sent again; gone, the new token is lost
//   kept by an earlier run             it is delivered
//   not its own, or another item's     as if it had never arrived; `recover show` has it, if no other item does
import { checkResetToken } from "../../api/token-responses.ts";
import { resetToken, type CheckedToken } from "../../api/tokens.ts";
import { addExamples, printsFields, type Define, type Context } from "../../command-line/command.ts";
import { changeItems } from "../../jobs/change-items.ts";
import { createClaims, readNewToken, type Claims, type NewToken } from "../../delivery/new-value.ts";
import { addReceiverOptions, openJobReceiver } from "../../delivery/receiver.ts";
import type { ReceiverOptions, ValueReceiver } from "../../delivery/receiver.ts";
import { commandLine } from "../../config/command-words.ts";
import { openDelivery, throwFailureOf } from "../../delivery/values.ts";
import { Failure } from "../../errors/errors.ts";
import { withIntent } from "../../http/service.ts";
import type { Job } from "../../jobs/job.ts";
import type { Outcome } from "../../jobs/outcome.ts";
import type { ChangePlan } from "../../jobs/run-job.ts";
import { openApplication, readProofTokens, type JobApplication } from "../../jobs/application.ts";
import { column, statusColumn, type Presentation } from "../../output/presentation.ts";
import { checkNotOauth } from "../../server-types.ts";
import { hashOf, lastEight } from "../../token.ts";
import { onTokens, type Tokens } from "./input.ts";
import { addTokenJobOptions, searchWitness, tokensInWords, type TokenJobOptions } from "./token-jobs.ts";

type ResetOptions = TokenJobOptions & ReceiverOptions;

export const define: Define = (command, act) => {
  addReceiverOptions(addTokenJobOptions(command))
    .description(
      "Reset an application's tokens: each gets a new value, and the old value stops working at once. Prints the new value, which the server shows only once; if there is more than one token, prints one JSON object per line. Prompts for confirmation; --yes skips that.",
    )
    .action(act(onTokens(run, ({ serverType }) => checkNotOauth(serverType))));
  printsFields(command, resetPresentation.fields);
  addExamples(command, [
    "grantctl token reset --output-file new.txt < leaked.txt",
    "grantctl token reset --yes < token.txt > new.txt",
    "grantctl token reset --token-file leaked.txt --dry-run",
  ]);
};

async function run(context: Context, options: ResetOptions, { tokens }: Tokens): Promise<void> {
  const proofTokens = await readProofTokens(options, context, tokens);
  const command = {
    operation: "reset",
    what: "token to reset",
    given: tokens,
    presentation: resetPresentation,
  } as const;
  await changeItems(context, options, command, async (job) => {
    const receiver = await openJobReceiver(options, job, context);
    const { clientId } = await context.server.applicationService();
    return {
      requester: clientId,
      receiver,
      async connect() {
        const application = await openApplication(proofTokens, context);
        const old = [...job.keys, ...proofTokens.map(hashOf)];
        const claims = createClaims(old, job.resumed?.earlierEntries);
        return planResets(job, { application, receiver, claims }, context);
      },
      inWords: (found, known: ReadonlyMap<string, CheckedToken>) =>
        `reset ${tokensInWords(found, known, context)} and invalidate the old value${found.length === 1 ? "" : "s"}`,
    };
  });
}

interface Parts {
  readonly application: JobApplication;
  readonly receiver: ValueReceiver;
  readonly claims: Claims;
}

/** The resets, and the delivery of their values. */
function planResets(job: Job, { application, receiver, claims }: Parts, context: Context) {
  const { hasOneItem } = job;
  const values = openDelivery<ResetRow>(receiver, resetPresentation, hasOneItem ? "one" : "many", context);
  const { service, clientId, proof, read } = application;
  const namesToken =
    hasOneItem && context.stdout.isTerminal && (receiver.outputFile ?? receiver.toCommand) !== undefined;
  return {
    proof,
    searchWitness: (tokens, isStopped) => searchWitness(tokens, application, context, isStopped),
    change: {
      read,
      // A late request may still take effect, whatever a read shows.
      earlierHadNoEffect: () => false,
      fits: async (token, body) => (await readNewToken(body, checkResetToken(clientId, token))) !== null,
      async readRecorded(_, attempt) {
        const kept = await readNewToken(attempt.earlierEntry?.body);
        if (kept === null) throw new Failure("unknown", "the record has no value of this token");
        return claims.claim(kept, attempt.entry);
      },
      act: async (token, attempt) =>
        claims.claim(await resetToken(withIntent(service, attempt.intent), clientId, token), attempt.entry),
      deliver: (outcomes, onTaken) =>
        values.deliver(
          outcomes.map(({ item, result }) => resetRow(lastEight(item), "reset", null, result)),
          async (position) => {
            await onTaken(position);
            const { item = "", result } = outcomes[position] ?? {};
            if (namesToken && result) context.notices.note(`reset the token ending in ${lastEight(item)}`);
          },
          outcomes.map(({ result }) => result?.note ?? null),
        ),
    },
    async redeliver(entries) {
      const rows = entries.map(async ({ last_eight: before = "", body }) =>
        resetRow(before, "reset", null, await readNewToken(body)),
      );
      throwFailureOf(await values.deliver(await Promise.all(rows)));
    },
    report: {
      doneWord: "reset",
      isGoneDone: false,
      verified: application.noneIsActive,
      refine: explainLost(job),
      presentation: resetPresentation,
      list: values.list,
      createRow(token, status, made, reason) {
        if (made !== null && values.deliversRows) return null;
        const row = resetRow(lastEight(token), status, reason, made);
        return { ...row, token: made === null ? null : "" };
      },
    },
  } satisfies ChangePlan<CheckedToken, NewToken, ResetRow>;
}

/** Makes the outcome "lost" for a token that is gone and whose reset an earlier run sent: that is probably why. */
function explainLost(job: Job) {
  const { resumed } = job;
  // A value in a line that cannot be read is that of any item.
  const show = resumed?.contents.fault === "damaged" ? commandLine("recover", "show", resumed.id) : undefined;
  const reason = `the token is gone: an earlier run ${show ? "may have sent" : "sent"} its reset, and its new value ${show ? "is not in the readable part of the record" : "never arrived, or did not fit"}`;
  const hint = show
    ? `Run \`${show}\` to see whether it is in the damaged part.`
    : "Create new tokens to replace the lost ones.";
  return <Result>(outcome: Outcome<Result>): Outcome<Result> => {
    if (outcome.status !== "gone" || job.earlierEntryOf(outcome.item) === undefined) return outcome;
    return { ...outcome, status: "lost", failure: new Failure("incomplete", reason, { hint }) };
  };
}

/** The row of a token, with the last eight characters of its old value; `made` is null if it has no new one. */
function resetRow(before: string, status: string, reason: string | null, made: NewToken | null) {
  return {
    token_last_eight_before: before,
    token_last_eight: made === null ? null : lastEight(made.token),
    id: made?.id ?? null,
    login: made?.user?.login ?? null,
    token: made?.token ?? null,
    status,
    reason,
  };
}

type ResetRow = ReturnType<typeof resetRow>;

const resetPresentation: Presentation<ResetRow> = {
  fields: "token_last_eight_before token_last_eight id login token status reason".split(" "),
  columns: [statusColumn, column("LAST EIGHT", "token_last_eight_before", { isWhole: true })],
};
