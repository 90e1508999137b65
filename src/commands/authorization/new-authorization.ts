// A new authorization: the flags that `create`, `get-or-create` and `run` share, the dry run of a creation, and the
// fingerprint of this user on this machine. That fingerprint is a hash, so it does not reveal what it was made from; and
// it needs no file of its own, so it survives a lost home directory.
import { checkClientId } from "../../config/settings.ts";
import { type WantedNames, checkNamesFree } from "../../delivery/token-names.ts";
import { usageFailure } from "../../errors/errors.ts";
import { readPlainFile } from "../../files/bounded-reads.ts";
import type { Host } from "../../host/host.ts";
import { windowsSystemProgram } from "../../programs/start-program.ts";
import type { Context } from "../../run/context.ts";
import { type Command, Option } from "commander";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { promisify } from "node:util";

export interface NewAuthorizationOptions {
  readonly scope?: readonly string[];
  readonly note?: string;
  readonly noteUrl?: string;
  readonly fingerprint?: string;
  readonly machineFingerprint?: true;
}

/** Adds the flags that describe the authorization, except --note. */
export function addNewAuthorizationOptions(command: Command): Command {
  return addScopeOptions(command)
    .option(
      "--fingerprint <text>",
      "Text that distinguishes this token from the application's other tokens, for example one per machine",
    )
    .addOption(
      new Option(
        "--machine-fingerprint",
        "Use a fingerprint that is always the same for this user on this machine",
      ).conflicts("fingerprint"),
    );
}

/** Adds --scope and --note-url. */
export function addScopeOptions(command: Command): Command {
  return command
    .option("--scope <scope>", "Scope (can be repeated or comma-separated)", collectScopes)
    .option("--note-url <url>", "URL that reminds you what the token is for");
}

/** Collects scopes from repeated flags and comma-separated lists; drops empty ones. */
export function collectScopes(value: string, previous: readonly string[] | undefined): readonly string[] {
  const scopes = value
    .split(",")
    .map((scope) => scope.trim())
    .filter((scope) => scope !== "");
  return [...(previous ?? []), ...scopes];
}

/**
 * The client ID of the application that the token is for; null for a personal token. Only the flag counts: a variable
 * that happens to be set must not turn a personal token into an application's.
 */
export function clientIdFromFlag({ options: { clientId }, settings }: Context): string | null {
  return clientId === undefined ? null : checkClientId(clientId, settings);
}

/** The fingerprint from the flags, or null. Throws a usage failure for an empty one. */
export async function fingerprintOf(
  options: NewAuthorizationOptions,
  context: Context,
): Promise<string | null> {
  if (options.machineFingerprint === true) {
    return machineFingerprint(context.host);
  }
  if (options.fingerprint === "") throw usageFailure("the fingerprint is empty");
  return options.fingerprint ?? null;
}

/** Prints the plan of a dry run. Throws the failure that the run itself would throw, if reads can detect it. */
export async function planCreation(
  names: WantedNames & { readonly note: string },
  scopes: readonly string[],
  context: Context,
): Promise<void> {
  const { clientId, note } = names;
  const { service } = await context.server.accountService();
  if (clientId !== null) await context.server.applicationCredentials(clientId);
  await (await context.journals()).checkCanCreate();
  await checkNamesFree(names, null, service, context);
  // Print nothing on standard output, because a script could mistake any line for a token. JSON is unambiguous.
  if (context.printer.isJson) await context.printer.printObject({ status: "would-create" });
  const kind = clientId === null ? "personal token" : `token of application ${clientId}`;
  context.notices.note(
    `would create a ${kind} "${note}" with ${scopes.length === 0 ? "no scopes" : scopes.join(", ")} at ${context.server.origin().href}`,
  );
}

const lookUpTimeoutMs = 5000;

/** SHA-256, in hexadecimal, of the operating system's machine ID (otherwise the host name) and the user name. */
export async function machineFingerprint({
  platform,
  machine,
  childEnvironment,
}: Pick<Host, "platform" | "machine" | "childEnvironment">): Promise<string> {
  const id = (await machineId(platform, childEnvironment)) ?? `hostname ${machine.hostname}`;
  return createHash("sha256").update(`grantctl\0${id}\0${machine.username}`).digest("hex");
}

async function machineId(
  platform: NodeJS.Platform,
  childEnvironment: Readonly<Record<string, string>>,
): Promise<string | null> {
  if (platform === "darwin")
    return printed(
      "/usr/sbin/ioreg",
      ["-rd1", "-c", "IOPlatformExpertDevice"],
      /"IOPlatformUUID" = "([^"]+)"/,
    );
  if (platform === "win32") {
    const key = "HKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Cryptography";
    return printed(
      windowsSystemProgram("reg.exe", childEnvironment),
      ["query", key, "/v", "MachineGuid"],
      /MachineGuid\s+REG_SZ\s+(\S+)/,
    );
  }
  for (const path of ["/etc/machine-id", "/var/lib/dbus/machine-id"]) {
    const text = (await readPlainFile(path).catch(() => "")).toString();
    if (/^[0-9a-f]{32}$/.test(text.trim())) return text.trim();
  }
  return null;
}

async function printed(program: string, words: readonly string[], pattern: RegExp): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)(program, words, {
      timeout: lookUpTimeoutMs,
      windowsHide: true,
    });
    return pattern.exec(stdout)?.[1] ?? null;
  } catch {
    return null;
  }
}
