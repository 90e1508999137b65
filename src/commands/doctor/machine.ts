// The checks of `doctor` on this machine: Node.js, configuration, folders, and the stores of secrets.
import { configurationFolderPurpose, trustOf } from "../../config/folders.ts";
import { secretTraits } from "../../credentials/secrets.ts";
import { counted } from "../../errors/words.ts";
import { checkPrivateFolder } from "../../files/trusted.ts";
import { stateFolderPurpose } from "../../jobs/journal.ts";
import type { Context } from "../../run/context.ts";
import { asNote, type Finding, findingOf, fine, note, wrong } from "./finding.ts";

export async function checkMachine(context: Context): Promise<readonly Finding[]> {
  return [
    checkNode(context),
    checkConfiguration(context),
    await checkFolders(context),
    await checkKeychain(context),
    ...unverifiedSecrets(context),
  ];
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

/**
 * Whether the folders can be written, and only by this user. Without a state folder, commands that change something send
 * nothing; a configuration that cannot be written may be intended.
 */
async function checkFolders(context: Context): Promise<Finding> {
  const trust = trustOf(context.host);
  const state = context.stateFolder();
  try {
    await checkPrivateFolder(state, stateFolderPurpose, trust);
  } catch (error) {
    return findingOf("folders", error);
  }
  return checkPrivateFolder(context.configurationFolder(), configurationFolderPurpose, trust).then(
    () => fine("folders", `only you can change the configuration, and the state in ${state}`),
    (error: unknown) => asNote(findingOf("folders", error)),
  );
}

async function checkKeychain(context: Context): Promise<Finding> {
  const stores = new Set(context.configured.configuration.storedSecrets.map(({ store }) => store));
  try {
    await (await context.server.logins.openStore("keychain")).check();
    return fine("keychain", "an entry was stored, read and deleted");
  } catch (error) {
    const finding = findingOf("keychain", error);
    if (stores.has("keychain")) return finding;
    return stores.has("file")
      ? note("keychain", `${finding.detail}; secrets are kept in a file instead`)
      : note("keychain", `${finding.detail}; nothing is stored there`, finding.fix);
  }
}

/** A note for each secret of the profile that was stored without being verified. */
function unverifiedSecrets({ configured: { configuration, profile } }: Context): readonly Finding[] {
  return configuration.storedSecrets
    .filter((secret) => secret.profile === profile.name && secret.verified === null)
    .map(({ kind, name, baseUrl }) =>
      note(
        "stored secret",
        `the ${secretTraits[kind].label} of ${name} at ${baseUrl} is not verified`,
        `Run \`${secretTraits[kind].verify}\`.`,
      ),
    );
}
