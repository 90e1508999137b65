// The doctor's check of who may read and change grantctl's own folders and files.
import { lstat } from "node:fs/promises";
import { dirname } from "node:path";
import { configurationFolderPurpose, fileStorePath } from "../../config/folders.ts";
import { checkPrivateFolder, whyNotWritable } from "../../files/private-folder.ts";
import { stateFolderPurpose } from "../../journal/state-folder.ts";
import type { Context } from "../../run/context.ts";
import { findingOf, fine, note, wrong, type Finding } from "./finding.ts";

/** A finding for each place that is not this user's alone or cannot be written to; one finding where all is well. */
export async function checkPermissions(context: Context): Promise<readonly Finding[]> {
  // Windows has no modes, and its access lists are not checked.
  if (context.host.machine.userId === null)
    return [note("permissions", "not checked: files have the permissions of the folders that they are in")];
  const { path } = context.configured.configuration;
  const places = [
    { path: dirname(path), forbidden: othersMayWrite },
    { path, forbidden: othersMayWrite },
    { path: fileStorePath(context.configurationFolder()), forbidden: othersMayReadOrWrite },
    { path: context.stateFolder(), forbidden: othersMayReadOrWrite },
  ];
  const findings = await Promise.all([
    ...places.map(async ({ path: place, forbidden }) => checkFile(place, forbidden, context)),
    checkStateFolder(context.stateFolder()),
    checkConfigurationFolder(context.configurationFolder()),
  ]);
  const found = findings.flatMap((finding) => (finding === null ? [] : [finding]));
  return found.length > 0 ? found : [fine("permissions", "configuration and state are this user's alone")];
}

const othersMayWrite = 0o022;
const othersMayReadOrWrite = 0o077;

async function checkFile(path: string, forbidden: number, { host }: Context): Promise<Finding | null> {
  const { userId } = host.machine;
  const found = await lstat(path).catch(() => null);
  if (found === null || userId === null) return null;
  if (found.uid !== userId && found.uid !== 0) {
    return wrong(
      "permissions",
      "usage",
      `${path} belongs to another user`,
      `chown it, or set another folder`,
    );
  }
  if (found.isSymbolicLink() || (found.mode & forbidden) === 0) return null;
  return wrong(
    "permissions",
    "usage",
    `others may ${forbidden === othersMayWrite ? "change" : "read"} ${path}`,
    `chmod ${found.isDirectory() ? "700" : "600"} ${path}`,
  );
}

/** Without a state folder that can be used, a command that changes something sends nothing. */
async function checkStateFolder(path: string): Promise<Finding | null> {
  const reason = await whyNotWritable(path);
  if (reason !== null) {
    return wrong(
      "permissions",
      "usage",
      `the state folder ${path} cannot be written (${reason})`,
      stateFolderPurpose.hint,
    );
  }
  return checkPrivateFolder(path, stateFolderPurpose).then(
    () => null,
    (error: unknown) => findingOf("permissions", error),
  );
}

/** A configuration that somebody else writes, or that is read-only on purpose, is no mistake. */
async function checkConfigurationFolder(path: string): Promise<Finding | null> {
  return checkPrivateFolder(path, configurationFolderPurpose).then(
    () => null,
    (error: unknown) => {
      const { check, message, hint } = findingOf("permissions", error);
      return note(check, message, hint);
    },
  );
}
