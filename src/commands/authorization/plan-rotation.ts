// `grantctl authorization rotate --dry-run`: looks up each authorization, and says what would be done with the words of
// the question. Changes nothing.
import type { Authorization } from "../../api/resources.ts";
import { withProof } from "../../jobs/proof.ts";
import { startReading } from "../../jobs/job.ts";
import { reportOutcomes } from "../../jobs/report.ts";
import { checkCanRotate } from "../../delivery/rotation.ts";
import { emptyRow, rotationPresentation } from "../../delivery/rotate.ts";
import type { Context } from "../../run/context.ts";
import { rotationQuestion } from "./rotation-question.ts";

/** Prints the plan. Throws the failure of the one authorization, or of the job. */
export async function planRotation(
  ids: readonly string[],
  isJob: boolean,
  keepsOld: boolean,
  context: Context,
): Promise<void> {
  const { getAuthorization } = await import("../../api/authorizations.ts");
  const { service, proof } = withProof(await context.address.accountService());
  const read = async (id: string): Promise<Authorization> => {
    const found = await getAuthorization(service, id);
    checkCanRotate(id, found);
    context.notices.note(
      rotationQuestion([id], new Map([[id, found]]), keepsOld, context.address.origin().href)
        .replace(/^R/, "would r")
        .replace(/\?$/, ""),
    );
    return found;
  };
  await reportOutcomes(context, startReading(context, ids, { proof, vet: null }, read), {
    total: ids.length,
    isJob,
    presentation: rotationPresentation,
    rowOf: (id, status, found: Authorization | null) => emptyRow(id, status, found?.note ?? null),
    done: "would-rotate",
    gone: null,
  });
}
