// The flags `--fault` and `--seed` of `sandbox start` and `sandbox run`: their help, their parsing, and a random seed.
import { InvalidArgumentError, type Command } from "commander";
import { parseCount } from "../../config/global-options.ts";
import type { Fault } from "../../sandbox/sandbox.ts";
import { addHelpSection } from "../../command-line/help-sections.ts";
import { section, terms } from "../../command-line/pages/page.ts";

export interface FaultFlags {
  readonly fault?: readonly Fault[];
  readonly seed?: number;
}

const forms = "drop-answer=P, lie=P, status=CODE:P or delay=MS[:P]";

const explanation = section(
  "Faults",
  "Each has a probability P from 0 to 1, and the sandbox's own codes are spared.",
  terms([
    ["drop-answer=P", "carry the request out, then cut the connection before or within the answer"],
    ["lie=P", "say of a live token that there is no such token, when an application checks it"],
    ["status=CODE:P", "answer CODE, 400 to 599, without carrying the request out"],
    ["delay=MS[:P]", "answer MS milliseconds later; without P, always"],
  ]),
);

/** Adds `--fault` and `--seed`, and explains the faults. */
export function addFaultOptions(command: Command): Command {
  command
    .option("--fault <name=value>", `go wrong on purpose: ${forms}; repeatable`, collectFault)
    .option("--seed <n>", "repeat the faults of the run that was seeded so", parseCount);
  return addHelpSection(command, explanation);
}

/** The faults and the seed for the sandbox. Without `--seed` the seed is random, and short enough to be typed. */
export function chooseFaults({ fault, seed }: FaultFlags): {
  readonly faults: readonly Fault[];
  readonly seed: number;
} {
  return { faults: fault ?? [], seed: seed ?? Math.floor(Math.random() * 1_000_000_000) };
}

function collectFault(text: string, previous: readonly Fault[] | undefined): readonly Fault[] {
  const fault = parseFault(text);
  if (fault === null) {
    throw new InvalidArgumentError(`it must be ${forms}, where P is from 0 to 1 and CODE from 400 to 599`);
  }
  return [...(previous ?? []), fault];
}

function parseFault(text: string): Fault | null {
  const [, kind = "", value = ""] = /^([a-z-]+)=(.*)$/.exec(text) ?? [];
  if (kind === "drop-answer" || kind === "lie") {
    const probability = parseProbability(value);
    return probability === null ? null : { kind, probability };
  }
  const [, digits, chance] = /^(\d{1,9})(?::(.*))?$/.exec(value) ?? [];
  const amount = Number(digits);
  if (kind === "status" && amount >= 400 && amount <= 599) {
    const probability = parseProbability(chance ?? "");
    return probability === null ? null : { kind, status: amount, probability };
  }
  if (kind === "delay" && digits !== undefined) {
    const probability = parseProbability(chance ?? "1");
    return probability === null ? null : { kind, delayMs: amount, probability };
  }
  return null;
}

function parseProbability(text: string): number | null {
  const value = /^[\d.]+(?:e-?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  return value >= 0 && value <= 1 ? value : null;
}
