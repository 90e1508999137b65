// Requests that may change something: with --dry-run they are told and not sent, Ctrl-C waits for their answer, and
// where that answer cannot be printed the failure says that the change was made.
import { finishOnSignal } from "../../bulk/finish-on-signal.ts";
import type { Context } from "../../run/context.ts";
import { isFailure } from "../../errors/errors.ts";
import { isWrite } from "../../http/request.ts";
import type { Service } from "../../http/service.ts";
import { delivering } from "../../output/undelivered.ts";
import { refuseClosedOutput } from "../../run/refuse-closed-output.ts";

/**
 * Whether a request is to be sent: a change in a run that changes nothing is told instead. Throws a usage failure for a
 * read whose answer would be lost.
 */
export async function isToBeSent(subject: string, isChange: boolean, context: Context): Promise<boolean> {
  if (!isChange) refuseClosedOutput(context.host);
  if (!isChange || context.options.dryRun !== true) return true;
  if (context.printer.isJson && !context.printer.hasJq)
    await context.printer.printObject({ status: "would-send" });
  context.notices.note(`would send ${subject}`);
  return false;
}

/** Prints the answer. After a change, a failure to print says that the change was made. */
export async function printOutcome(isChange: boolean, print: () => Promise<void>): Promise<void> {
  if (!isChange) await print();
  else await delivering(print, "the service did it, but its answer did not reach standard output");
}

/** Prints an answer of GraphQL: where it has errors, it is no failure of its own that jq can make nothing of it. */
export async function printBeside(errors: readonly unknown[], print: () => Promise<void>): Promise<void> {
  try {
    await print();
  } catch (error) {
    if (errors.length === 0 || !isFailure(error, "usage")) throw error;
  }
}

/** The service, holding a first Ctrl-C back while a change is on its way. */
export function finishing(service: Service, context: Context): Service {
  return {
    ...service,
    async exchangeRaw(call) {
      if (!isWrite(call)) return service.exchangeRaw(call);
      const signals = finishOnSignal(context);
      try {
        return await service.exchangeRaw(call);
      } catch (error) {
        // With --wait it would be sent again after the approval, although Ctrl-C was pressed.
        if (isFailure(error, "sso")) signals.check();
        throw error;
      } finally {
        signals.release();
      }
    },
  };
}
