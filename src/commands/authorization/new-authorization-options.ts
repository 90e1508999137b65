// The flags that describe a new authorization, shared by create and get-or-create.
import { Option, type Command } from "commander";
import type { Context } from "../../run/context.ts";
import { usageFailure } from "../../errors/errors.ts";

export interface NewAuthorizationOptions {
  readonly scope?: readonly string[];
  readonly note?: string;
  readonly noteUrl?: string;
  readonly fingerprint?: string;
  readonly machineFingerprint?: true;
}

/** Adds the flags that say what an authorization is to be like. */
export function addNewAuthorizationOptions(command: Command): Command {
  return command
    .option("--scope <scope>", "Scope (can be repeated, or several with commas)", collectScopes)
    .option("--note-url <url>", "URL that reminds you what the token is for")
    .option(
      "--fingerprint <text>",
      "Text that distinguishes tokens of one application, for example one per machine",
    )
    .addOption(
      new Option(
        "--machine-fingerprint",
        "Use a fingerprint that is always the same for this user on this machine",
      ).conflicts("fingerprint"),
    );
}

/** Collects scopes from repeated flags and from lists with commas; empty ones are dropped. */
export function collectScopes(value: string, previous: readonly string[] | undefined): readonly string[] {
  const scopes = value
    .split(",")
    .map((scope) => scope.trim())
    .filter((scope) => scope !== "");
  return [...(previous ?? []), ...scopes];
}

/** The fingerprint that the flags ask for; null for none. Throws a usage failure for an empty one. */
export async function fingerprintOf(
  options: NewAuthorizationOptions,
  context: Context,
): Promise<string | null> {
  if (options.machineFingerprint === true) {
    return (await import("./machine-fingerprint.ts")).machineFingerprint(context.host);
  }
  if (options.fingerprint === "") throw usageFailure("the fingerprint is empty");
  return options.fingerprint ?? null;
}
