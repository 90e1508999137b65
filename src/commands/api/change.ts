// Requests that may change something: --dry-run prints them and sends nothing, Ctrl-C waits for their answer, and where
// the answer cannot be printed, the failure says that the change was made.
import { finishOnSignal } from "../../bulk/finish-on-signal.ts";
import type { Context } from "../../run/context.ts";
import { isFailure } from "../../errors/errors.ts";
import { isWrite } from "../../http/request.ts";
import type { Service } from "../../http/service.ts";
import { printWhileRead } from "../../output/output-stream.ts";
import { delivering } from "../../output/undelivered.ts";

/** Whether a request is to be sent: with --dry-run, a change is only printed. */
export async function isToBeSent(subject: string, isChange: boolean, context: Context): Promise<boolean> {
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

/**
 * Prints an answer that a failure of the run follows, such as a refusal. Neither an output that does not take it nor a
 * jq program that fails on it is another failure: the exit code is the one that says what happened at the service.
 */
export async function printBeside(print: () => Promise<void>): Promise<void> {
  try {
    await printWhileRead(print);
  } catch (error) {
    if (!isFailure(error, "usage")) throw error;
  }
}

/** The service, with a first Ctrl-C held back while a change is under way. */
export function finishing(service: Service, context: Context): Service {
  return {
    ...service,
    async exchangeRaw(call) {
      if (!isWrite(call)) return service.exchangeRaw(call);
      const signals = finishOnSignal(context);
      try {
        return await service.exchangeRaw(call);
      } catch (error) {
        // After Ctrl-C, --wait must not send the request again when the token is approved.
        if (isFailure(error, "sso")) signals.check();
        throw error;
      } finally {
        signals.release();
      }
    },
  };
}
