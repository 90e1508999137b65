// The stores of a run's secrets, the keychain and the file, and the key of the journals, which the keychain keeps. Each
// is loaded, and the keychain's helper started, when it is first needed.
import type { SecretStoreName } from "../config/configuration.ts";
import { configurationFolder } from "../config/folders.ts";
import type { Keychain } from "../credentials/keychain.ts";
import type { SecretStore } from "../credentials/secret-store.ts";
import type { RunParts } from "./run-parts.ts";

/** The stores of one run. Opens nothing by itself. */
export function createSecretStores({ host, configured, notices }: RunParts) {
  let keychain: Promise<Keychain> | null = null;
  const openKeychain = (): Promise<Keychain> => {
    keychain ??= import("../credentials/keychain.ts").then(({ createKeychain }) =>
      createKeychain({ helper: host.keychainHelper, environment: host.childEnvironment }),
    );
    return keychain;
  };

  return {
    /** The store of this name. */
    async open(name: SecretStoreName): Promise<SecretStore> {
      if (name === "keychain") {
        const { createKeychainStore } = await import("../credentials/keychain-store.ts");
        return createKeychainStore(await openKeychain());
      }
      const { createFileStore } = await import("../credentials/file-store.ts");
      return createFileStore({
        folder: configurationFolder(host),
        userId: host.machine.userId,
        processes: host.processes,
      });
    },
    /** Throws a usage failure that says why the keychain does not work. */
    async checkKeychain(): Promise<void> {
      const { probeKeychain, secretIn } = await import("../credentials/keychain-store.ts");
      secretIn(await probeKeychain(await openKeychain()), "usage");
    },
    /** The key that journals are sealed with; null where none was made, or where it cannot be had. */
    async journalKey(): Promise<Buffer | null> {
      if (!configured.configuration.hasJournalKey) return null;
      const { readJournalKey } = await import("../credentials/journal-key.ts");
      return readJournalKey(await openKeychain(), (message) => {
        notices.note(`${message}; until it is delivered, a token's value is kept unencrypted`);
      });
    },
    /** Makes the journals' key in the keychain, if it is not there. Throws a usage failure where that fails. */
    async makeJournalKey(): Promise<void> {
      const { makeJournalKey } = await import("../credentials/journal-key.ts");
      await makeJournalKey(await openKeychain());
    },
    /** Deletes the journals' key from the keychain; whether it was there. Throws a usage failure where that fails. */
    async forgetJournalKey(): Promise<boolean> {
      const { forgetJournalKey } = await import("../credentials/journal-key.ts");
      return forgetJournalKey(await openKeychain());
    },
    /** Ends the keychain's helper, if it was started. */
    async close(): Promise<void> {
      (await keychain)?.close();
    },
  };
}
