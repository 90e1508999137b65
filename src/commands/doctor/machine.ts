// The doctor's checks of this machine, which send nothing to the service.
import type { Context } from "../../run/context.ts";
import { findSandboxTrouble } from "../sandbox/find-trouble.ts";
import { findingOf, fine, note, wrong, type Finding } from "./finding.ts";
import { checkPermissions } from "./permissions.ts";
import { counted } from "../../errors/counted.ts";

/** What is found on this machine; asks no service. */
export async function checkMachine(context: Context): Promise<readonly Finding[]> {
  return [
    checkNode(context),
    checkConfiguration(context),
    ...(await checkPermissions(context)),
    await checkKeychain(context),
    await checkSandbox(),
  ];
}

const oldestNode: readonly [major: number, minor: number] = [20, 20];

function checkNode({ host: { nodeVersion } }: Context): Finding {
  const [major = 0, minor = 0] = nodeVersion.split(".").map(Number);
  const isNewEnough = major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]);
  return isNewEnough
    ? fine("Node.js", nodeVersion)
    : wrong("Node.js", "usage", `${nodeVersion} is too old`, `install ${oldestNode.join(".")} or later`);
}

function checkConfiguration({ configured: { configuration, profile, failure } }: Context): Finding {
  if (failure !== null) return findingOf("configuration", failure);
  const count = configuration.profiles.size;
  if (count === 0)
    return note("configuration", `none at ${configuration.path}`, "grantctl auth login makes one");
  const said = `${configuration.path}, ${counted(count, "profile")}, of which this is ${profile.name}`;
  return profile.exists
    ? fine("configuration", said)
    : note(
        "configuration",
        `there is no profile ${profile.name} in ${configuration.path}`,
        "grantctl config list",
      );
}

/** Stores an entry in the keychain, reads it and deletes it again. */
async function checkKeychain(context: Context): Promise<Finding> {
  const isUsed = context.configured.configuration.storedSecrets.some(({ store }) => store === "keychain");
  try {
    await context.address.logins.stores.checkKeychain();
    return fine("keychain", "an entry was stored, read and deleted");
  } catch (error) {
    const finding = findingOf("keychain", error);
    return isUsed ? finding : note("keychain", `${finding.message}; nothing is stored there`, finding.hint);
  }
}

/** Checks whether a sandbox can start. If not, that is only a note, because nothing else needs one. */
async function checkSandbox(): Promise<Finding> {
  const trouble = await findSandboxTrouble();
  return trouble === null
    ? fine("sandbox", "its database can be loaded")
    : note("sandbox", trouble.message, trouble.hint ?? null);
}
