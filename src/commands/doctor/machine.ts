// The checks of `doctor` on this machine: configuration, stores, and permissions of files.
import { configurationFolderPurpose, fileStorePath } from "../../config/folders.ts";
import { capitalised, counted } from "../../errors/words.ts";
import { checkPrivateFolder, whyNotWritable } from "../../files/trusted.ts";
import { stateFolderPurpose } from "../../journal/state-folder.ts";
import type { Context } from "../../run/context.ts";
import { howToVerify, secretLabel } from "../auth/stored-secrets.ts";
import { type Finding, asNote, findingOf, fine, note, wrong } from "./finding.ts";
import { lstat } from "node:fs/promises";
import { dirname } from "node:path";

export async function checkMachine(context: Context): Promise<readonly Finding[]> {
  return [
    checkNode(context),
    checkConfiguration(context),
    ...(await checkPermissions(context)),
    await checkKeychain(context),
    ...unverifiedSecrets(context),
  ];
}

/** A note for each secret of the profile that was stored without being verified. */
function unverifiedSecrets({ configured: { configuration, profile } }: Context): readonly Finding[] {
  return configuration.storedSecrets
    .filter((secret) => secret.profile === profile.name && secret.verified === null)
    .map(({ kind, name, baseUrl }) =>
      note(
        "stored secret",
        `the ${secretLabel(kind)} of ${name} at ${baseUrl} is not verified`,
        `${capitalised(howToVerify)}.`,
      ),
    );
}

const oldestNode: readonly [major: number, minor: number] = [20, 20];

function checkNode({ host: { nodeVersion } }: Context): Finding {
  const [major = 0, minor = 0] = nodeVersion.split(".").map(Number);
  const isNewEnough = major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]);
  if (isNewEnough) return fine("Node.js", nodeVersion);
  const hint = `Install Node.js ${oldestNode.join(".")} or later.`;
  return wrong("Node.js", "usage", `${nodeVersion} is too old`, hint);
}

function checkConfiguration({ configured: { configuration, profile, failure } }: Context): Finding {
  if (failure !== null) return findingOf("configuration", failure);
  const count = configuration.profiles.size;
  if (count === 0)
    return note("configuration", `none at ${configuration.path}`, "Run `grantctl auth login` to create one.");
  const summary = `${configuration.path}, ${counted(count, "profile")}, of which this is ${profile.name}`;
  if (profile.exists) return fine("configuration", summary);
  const message = `there is no profile ${profile.name} in ${configuration.path}`;
  return note("configuration", message, "Run `grantctl config list` to see the profiles.");
}

async function checkKeychain(context: Context): Promise<Finding> {
  const { storedSecrets } = context.configured.configuration;
  const isUsed = storedSecrets.some(({ store }) => store === "keychain");
  try {
    await context.server.logins.stores.checkKeychain();
    return fine("keychain", "an entry was stored, read and deleted");
  } catch (error) {
    const finding = findingOf("keychain", error);
    if (isUsed) return finding;
    const isFileUsed = storedSecrets.some(({ store }) => store === "file");
    return isFileUsed
      ? note("keychain", `${finding.detail}; secrets are kept in a file instead`)
      : note("keychain", `${finding.detail}; nothing is stored there`, finding.fix);
  }
}

/** A finding for each path that others can access or that cannot be written; a single one if all are fine. */
async function checkPermissions(context: Context): Promise<readonly Finding[]> {
  // Windows has no file modes, and its ACLs are not checked.
  const { userId } = context.host.machine;
  if (userId === null)
    return [note("permissions", "not checked: files have the permissions of their directories")];
  const { path } = context.configured.configuration;
  const places = [
    { path: dirname(path), forbidden: othersMayWrite },
    { path, forbidden: othersMayWrite },
    { path: fileStorePath(context.configurationFolder()), forbidden: othersMayReadOrWrite },
    { path: context.stateFolder(), forbidden: othersMayReadOrWrite },
  ];
  const findings = await Promise.all([
    ...places.map(async ({ path: place, forbidden }) => checkFile(place, forbidden, userId)),
    checkStateFolder(context.stateFolder(), userId),
    checkConfigurationFolder(context.configurationFolder(), userId),
  ]);
  const found = findings.filter((finding) => finding !== null);
  return found.length > 0
    ? found
    : [fine("permissions", "only you can read or change the configuration and the state")];
}

const othersMayWrite = 0o022;
const othersMayReadOrWrite = 0o077;

function unsafe(message: string, hint: string): Finding {
  return wrong("permissions", "usage", message, hint);
}

async function checkFile(path: string, forbidden: number, userId: number): Promise<Finding | null> {
  const found = await lstat(path).catch(() => null);
  if (found === null) return null;
  if (found.uid !== userId && found.uid !== 0) {
    return unsafe(`${path} belongs to another user`, "Run `chown` on it, or use another directory.");
  }
  if (found.isSymbolicLink() || (found.mode & forbidden) === 0) return null;
  return unsafe(
    `other users can ${forbidden === othersMayWrite ? "change" : "read"} ${path}`,
    `Run \`chmod ${found.isDirectory() ? "700" : "600"} ${path}\` to make it accessible only to you.`,
  );
}

/** A problem, because without a usable state folder, commands that change something send nothing. */
async function checkStateFolder(path: string, userId: number): Promise<Finding | null> {
  const reason = await whyNotWritable(path);
  if (reason !== null)
    return unsafe(`the state directory ${path} cannot be written (${reason})`, stateFolderPurpose.hint);
  return checkPrivateFolder(path, stateFolderPurpose, userId).then(
    () => null,
    (error: unknown) => findingOf("permissions", error),
  );
}

/** Only a note, because a configuration that somebody else manages, or that is read-only, may be intentional. */
async function checkConfigurationFolder(path: string, userId: number): Promise<Finding | null> {
  return checkPrivateFolder(path, configurationFolderPurpose, userId).then(
    () => null,
    (error: unknown) => asNote(findingOf("permissions", error)),
  );
}
