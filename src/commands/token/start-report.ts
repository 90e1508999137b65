// Starts the job that reports tokens: a thousand with each request, with nothing that identifies the sender.
import { lastEight } from "../../token-value.ts";
import { startBatches } from "../../bulk/batch-job.ts";
import type { JobOptions } from "../../bulk/job-plan.ts";
import type { Job } from "../../bulk/job.ts";
import { usageFailure } from "../../errors/errors.ts";
import { withIntent } from "../../http/service.ts";
import type { Context } from "../../run/context.ts";

/** The job that reports these tokens, without credentials. */
export async function startReport(
  items: readonly string[],
  options: JobOptions,
  context: Context,
): Promise<Job<void>> {
  const { mostReported, reportTokens } = await import("../../api/reports.ts");
  const service = await context.address.connections.connectAnonymously();
  return startBatches(context, options, {
    operation: "report",
    items,
    size: mostReported,
    lastEightOf: lastEight,
    send: (batch, intent) => reportTokens(withIntent(service, intent), batch),
    unknownHint: "which of them still live: grantctl token inspect",
  });
}

/** The headers of a report: none of them identifies the sender. */
const namelessHeaders = ["accept", "user-agent", "x-github-api-version"];

/** Throws a usage failure where the operator takes no reports, or a flag would send what may identify the sender. */
export function checkCanReport({ operator, options }: Context): void {
  if (!operator.takesReports) {
    throw usageFailure(
      `a server of the kind ${operator.name} takes no reports`,
      "for github.com: --operator github; an application's owner has grantctl token revoke",
    );
  }
  const other = (options.header ?? []).find(
    (line) => !namelessHeaders.includes(line.split(":")[0]?.trim().toLowerCase() ?? ""),
  );
  if (other !== undefined) {
    throw usageFailure(
      "no header that could say who sends it goes with a report",
      `leave out --header, except for ${namelessHeaders.join(", ")}`,
    );
  }
}
