// The parts of `api` that do not depend on the request: requests whose response may have any shape, with a choice of credentials (`--auth`).
//
// A request that may change something is not interrupted by the first Ctrl-C. If its response cannot be printed, the
// failure reports that the change was made.
import { Option, type Command } from "commander";
import { finishOnSignal } from "../../jobs/ending.ts";
import { isFailure, usageFailure } from "../../errors/errors.ts";
import { isWrite } from "../../http/request.ts";
import type { Service } from "../../http/service.ts";
import { writeOrUndelivered, printUnlessPipeClosed } from "../../printing/output-stream.ts";
import type { Context } from "../../run/context.ts";

const kinds = ["basic", "token", "app", "none"] as const;

export interface AuthenticationOptions {
  readonly auth?: (typeof kinds)[number];
}

export function addAuthentication(command: Command): Command {
  return command.addOption(
    new Option(
      "--auth <type>",
      "Credentials to send (default: a token if there is one, otherwise user name and password)",
    ).choices(kinds),
  );
}

/** The service with these credentials. Ctrl-C waits for the response to a change. */
export async function openRawService(options: AuthenticationOptions, context: Context): Promise<Service> {
  return deferInterrupts(await openWith(options, context), context);
}

async function openWith({ auth }: AuthenticationOptions, context: Context): Promise<Service> {
  if (auth === "basic") return (await context.server.accountService()).service;
  if (auth === "app") return (await context.server.applicationService()).service;
  if (auth === "none") return context.server.tokenService(null);
  return auth === "token" ? context.server.ownTokenService() : context.server.anyService();
}

/** Prints the response. If that fails after a change, the failure reports that the change was made. */
export async function printOutcome(isChange: boolean, print: () => Promise<void>): Promise<void> {
  if (!isChange) await print();
  else
    await writeOrUndelivered(
      print,
      "the server made the change, but its response could not be written to standard output",
    );
}

/**
 * Prints a response before the run fails anyway, such as an error response. Ignores write errors and failing jq
 * programs, so that the exit code reports the result of the request.
 */
export async function printBeforeFailure(print: () => Promise<void>): Promise<void> {
  try {
    await printUnlessPipeClosed(print);
  } catch (error) {
    if (!isFailure(error, "usage")) throw error;
  }
}

/** Wraps the service so that the first Ctrl-C waits for a change that is in flight. */
function deferInterrupts(service: Service, context: Context): Service {
  return {
    ...service,
    async exchangeRaw(call) {
      if (!isWrite(call)) return service.exchangeRaw(call);
      const signals = finishOnSignal(context, "abandoned the request. Check whether it took effect.");
      try {
        return await service.exchangeRaw(call);
      } finally {
        signals.release();
      }
    },
  };
}

/** Throws a usage failure for flags that select columns. A word after --json may be a misplaced argument. */
export function checkJsonOutput({ options: { json, format, jq } }: Context): void {
  if (typeof json === "string")
    throw usageFailure(
      "--json takes no list of fields here",
      "Write --json last, or select fields with --jq.",
    );
  if (jq === undefined && format !== undefined && format !== "json" && format !== "ndjson")
    throw usageFailure(
      `a response cannot be printed with --format ${format}`,
      "Use --format json or ndjson.",
    );
}
