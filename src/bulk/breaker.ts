// --stop-if-dead: a faulty service may call live tokens dead. When more than the given share is dead, a token that is
// known to be live is checked again, and again later on. Once that token is called dead as well, the job stops, and no
// dead token of this run counts as proven.
import { InvalidArgumentError, type Command } from "commander";
import { Failure, isFailure } from "../errors/errors.ts";
import { saysNotFound } from "../errors/not-found.ts";
import type { Job } from "./job.ts";

export interface BreakerOptions {
  /** In percent. */
  readonly stopIfDead?: number;
}

/** Adds `--stop-if-dead`. */
export function addBreakerOption(command: Command): Command {
  return command.option(
    "--stop-if-dead <percent>",
    "when more than this share is dead, check a live token again; if that is dead, too, report none as dead",
    parsePercent,
  );
}

/** A share of fewer items means nothing. Also the number of items after which the live token is checked again. */
const fewestItems = 20;

export interface Breaker {
  /** Whether the service has called the live token dead, so that no more items are started. */
  readonly isOpen: () => boolean;
  /** Wraps a job: its dead items count as proven only at its end, and not at all where the breaker opened. */
  guard<Result>(job: Job<Result>): Job<Result>;
}

/** A breaker, which without --stop-if-dead never opens. `check` throws for a token that the service calls dead. */
export function createBreaker(
  { stopIfDead: percent }: BreakerOptions,
  proofToken: string | null,
  check: (token: string) => Promise<unknown>,
): Breaker {
  if (percent === undefined) return { isOpen: () => false, guard: (job) => job };
  let opened: Failure | null = null;
  let isOver = false;
  let count = 0;
  let dead = 0;
  /** A token that is known to be live: the proof token, or the first that this run found live. */
  let alive = proofToken;
  let lookedAt = 0;

  const look = async (): Promise<void> => {
    if (opened !== null || count < fewestItems || dead * 100 <= percent * count) return;
    lookedAt = count;
    try {
      if (alive === null) throw new Failure("not-found", "no token is known to be live");
      await check(alive);
    } catch (error) {
      if (!isFailure(error)) throw error;
      opened = new Failure(
        "protocol",
        `stopped: ${dead} of ${count} were found dead, and the token known to be live could not be proven alive: ${error.marked}; none of them is reported as dead`,
        { ...error.details, hint: "the service may be faulty: try again later" },
      );
    }
  };

  return {
    isOpen: () => opened !== null,
    guard: (job) => ({
      ...job,
      outcomes: (async function* () {
        for await (const outcome of job.outcomes) {
          if (outcome.state === "done") {
            count += 1;
            alive ??= outcome.item;
          } else if (outcome.state === "failed" && saysNotFound(outcome.failure)) {
            count += 1;
            dead += 1;
          }
          if (count >= lookedAt + fewestItems) await look();
          yield outcome;
        }
        if (count > lookedAt) await look();
        isOver = true;
      })(),
      isProven: () => isOver && opened === null && job.isProven(),
      end: (failureOf) => job.end((ending) => opened ?? failureOf(ending)),
    }),
  };
}

function parsePercent(text: string): number {
  const percent = /^\d{1,3}(?:\.\d{1,3})?%?$/.test(text) ? Number.parseFloat(text) : Number.NaN;
  if (percent >= 0 && percent <= 100) return percent;
  throw new InvalidArgumentError("it must be a share from 0 to 100");
}
