// `grantctl token revoke`: revokes one or many tokens. `token revoke-grant` shares the steps, and has a plan of its own.
import type { CheckedToken } from "../../api/tokens.ts";
import { addExamples, printsFields, type Define, type Context } from "../../command-line/command.ts";
import { changeItems } from "../../jobs/change-items.ts";
import { Failure, isFailure } from "../../errors/errors.ts";
import { withIntent } from "../../http/service.ts";
import { earlierRevocation } from "../../jobs/leftover.ts";
import type { Operation } from "../../jobs/operations.ts";
import type { Outcome } from "../../jobs/outcome.ts";
import type { JobPlan } from "../../jobs/run-job.ts";
import { openApplication, readProofTokens, type JobApplication } from "../../jobs/application.ts";
import { outcomePresentation, reportBase, type TokenRow } from "./rows.ts";
import type { RevocationState } from "./oauth-revocation.ts";
import { onTokens, type Tokens } from "./input.ts";
import { addTokenJobOptions, searchWitness, tokensInWords, type TokenJobOptions } from "./token-jobs.ts";

export const define: Define = (command, act) => {
  addTokenJobOptions(command)
    .description(
      "Revoke an application's tokens: each stops working at once. Prompts for confirmation; --yes skips that. To verify the result, run `grantctl token check` with the same tokens and --proof-token-file: none should be active.",
    )
    .action(act(onTokens(run)));
  printsFields(command, outcomePresentation.fields);
  addExamples(command, [
    "grantctl token revoke --yes < token.txt",
    "grantctl token revoke --proof-token-file active.txt --dry-run leaked.txt",
    "trufflehog git file://. --json | grantctl token revoke --proof-token-file active.txt --yes",
  ]);
};

async function run(context: Context, options: TokenJobOptions, input: Tokens): Promise<void> {
  if (context.serverType.isOauth) return revokeAtOauth(context, options, input);
  const { revokeToken } = await import("../../api/tokens.ts");
  await revokeItems(input, options, context, {
    operation: "revoke",
    inWords: (what) => `revoke ${what}`,
    plan: (application) => ({
      searchWitness: (tokens, isStopped) => searchWitness(tokens, application, context, isStopped),
      change: {
        act: (token, { intent }) =>
          revokeToken(withIntent(application.service, intent), application.clientId, token),
      },
    }),
  });
}

/** An OAuth 2.0 server can be asked about a token, before and after its revocation. */
async function revokeAtOauth(context: Context, options: TokenJobOptions, input: Tokens): Promise<void> {
  const { previewRevocation, revokeVerified } = await import("./oauth-revocation.ts");
  let isWarned = false;
  /** True if a revocation could not be verified because the introspection failed. */
  let hasFailed = false;
  const shared: RevocationState = {
    active: new Map(),
    sendsInactive: context.settings.revokeInactive?.value !== "false",
    onUnverified(reason) {
      hasFailed ||= (reason.details.status ?? 0) >= 500;
      if (!isWarned)
        context.notices.warn(
          `accepted means only that the server did not object, because the introspection is not available: ${reason.message}.${context.settings.introspectionPath?.value === "none" ? "" : " To turn it off, run `grantctl config set introspection_path none`."}`,
        );
      isWarned = true;
    },
  };
  await revokeItems(input, options, context, {
    operation: "revoke",
    inWords: (what) => `revoke ${what}, and possibly other tokens of the same sign-ins`,
    preview: ({ service, clientId }, token) => previewRevocation(service, clientId, token, shared),
    plan: (application) => ({
      async searchWitness(tokens, isStopped) {
        const several = tokens.length === 1 ? [] : tokens;
        const search = searchWitness(several, application, context, isStopped);
        const { last } = await search.catch((error: unknown) => {
          // Without introspection, the revocations are sent all the same.
          if (!isFailure(error)) throw error;
          return { last: new Set<string>() };
        });
        // It may end with another token of its sign-in.
        for (const token of last) shared.active.set(token, { token });
        return { last, decided: new Map() };
      },
      change: {
        readBy: "act",
        earlierHadNoEffect: (token) => shared.active.has(token),
        act(token, { intent, earlierEntry, entry }) {
          const { service, clientId } = application;
          const earlier = earlierRevocation(earlierEntry);
          return revokeVerified(service, clientId, token, { shared, intent, earlier, entry });
        },
      },
    }),
  });
  if (hasFailed)
    throw new Failure("incomplete", "revocations could not be verified, because the introspection failed", {
      hint: "Run `grantctl token check` later to see whether a token is still active.",
    });
}

type RevocationResult = "revoked" | "accepted";

interface Revocation {
  readonly operation: Operation;
  /** Continues "would"; given "2 tokens at https://ghe.example.com". */
  readonly inWords: (tokens: string) => string;
  /** The reads of a dry run in place of a check; null for a token whose revocation could not be verified. */
  readonly preview?: (application: JobApplication, token: string) => Promise<CheckedToken | null>;
  /** A change resolves with "accepted" if the server did not object, but the revocation could not be verified. */
  readonly plan: (
    application: JobApplication,
  ) => Pick<JobPlan<RevocationResult, TokenRow>, "change" | "searchWitness">;
}

/** Prompts, revokes each and prints the outcomes. Throws the single token's failure, or the job's. */
export async function revokeItems(
  input: Tokens,
  options: TokenJobOptions,
  context: Context,
  { operation, inWords, preview, plan }: Revocation,
): Promise<void> {
  const { tokens: given } = input;
  const proofTokens = await readProofTokens(options, context, given);
  const command = { operation, what: "token to revoke", given, presentation: outcomePresentation };
  await changeItems<CheckedToken | null, RevocationResult, TokenRow>(context, options, command, async () => {
    const { clientId: requester } = await context.server.applicationService();
    return {
      requester,
      inWords: (tokens, known) => inWords(tokensInWords(tokens, known, context)),
      async connect() {
        const application = await openApplication(proofTokens, context);
        const { proof, read } = application;
        const { change, ...more } = plan(application);
        return {
          ...more,
          proof,
          ...(preview && { preview: (token: string) => preview(application, token) }),
          change: {
            ...change,
            read,
            showsCredentials: (result) => result === "revoked",
          },
          report: {
            ...reportBase(input, context),
            doneWord: "revoked",
            isGoneDone: true,
            verified: application.noneIsActive,
            refine: explainUnverified,
          },
        };
      },
    };
  });
}

/** The outcome of a revocation that was not verified, now or in an earlier run. */
function explainUnverified<Any>(outcome: Outcome<Any>): Outcome<Any> {
  if (outcome.result === "accepted") return { ...outcome, status: "accepted" };
  return outcome.failure?.kind === "incomplete" ? { ...outcome, status: "unproven" } : outcome;
}
