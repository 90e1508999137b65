// `grantctl auth logout`: deletes the stored secrets of the profile's user and application.
import { addExamples, explainInherited, type Define, type Context } from "../../command-line/command.ts";
import { isSameKey, type StoredSecret } from "../../config/configuration.ts";
import { editConfigurationOf } from "../../run/save-configuration.ts";
import { secretLabel, userKey, storedSecretsEdit } from "./stored-secrets.ts";

export const defineLogout: Define = (command, act) => {
  command
    .summary("Delete stored credentials")
    .description(
      "Delete the stored password, token and client secret of a profile. The profile itself is kept. When the last secret is removed from the keychain, the key that encrypts saved token values is also deleted, unless saved token values remain.",
    )
    .option("--app", "Delete only the application's client secret")
    .action(act(run, { closedOutput: "accepted" }));
  explainInherited(command, "--profile");
  addExamples(command, ["grantctl auth logout", "grantctl --profile work auth logout --app"]);
};

async function run(context: Context, { app }: { readonly app?: true }): Promise<void> {
  const { configured, notices, options, settings } = context;
  const { root } = context.server.origin();
  // The owner of the token in use, who may differ from the profile's user.
  const tokenUser = context.server.logins.tokenUser() ?? undefined;
  const { usersOfOtherProfiles } = context.server.logins.sources();
  const isMeant = ({ origin, kind, user }: StoredSecret): boolean => {
    if (origin !== root || (app === true && kind !== "client-secret")) return false;
    const key = userKey(kind);
    const own = (key === "username" ? settings.username : settings.clientId)?.value;
    if (own !== undefined) return user === (kind === "token" ? (tokenUser ?? own) : own);
    // A profile without this user, such as one for an application only, must not delete secrets of other profiles.
    return !configured.profile.exists || !usersOfOtherProfiles(key).includes(user);
  };
  const meant = configured.configuration.storedSecrets.filter(isMeant);
  if (meant.length === 0) notices.note(`no stored credentials for ${root}`);
  for (const secret of meant) {
    const { kind, user, store } = secret;
    const what = `the ${secretLabel(kind)} of ${user} at ${root}`;
    if (options.dryRun === true) {
      notices.note(`would delete ${what}`);
      continue;
    }
    const wasThere = await (await context.server.logins.stores.open(store)).delete(secret);
    await editConfigurationOf(context, ({ storedSecrets }) => [
      storedSecretsEdit(storedSecrets.filter((other) => !isSameKey(other, secret))),
    ]);
    notices.note(wasThere ? `deleted ${what}` : `${what} was no longer in the ${store}`);
  }
  const others = configured.configuration.storedSecrets.filter((secret) => !isMeant(secret));
  if (meant.length > 0 && others.every(({ store }) => store !== "keychain")) await forgetJournalKey(context);
}

/** Deletes the journals' key after the last login in the keychain, unless a journal still has a sealed token. */
async function forgetJournalKey(context: Context): Promise<void> {
  const { server, configured, notices, options } = context;
  if (!configured.configuration.hasJournalKey) return;
  const what = "the key that encrypts saved token values";
  if (await (await context.journals()).mayHoldSealed()) {
    notices.note(
      `${what} stays in the keychain while saved token values remain. Run \`grantctl recover list\` to see them.`,
    );
    return;
  }
  if (options.dryRun === true) {
    notices.note(`would delete ${what}`);
    return;
  }
  const wasThere = await (await server.logins.stores.openJournalKey()).forget();
  await editConfigurationOf(context, () => [{ path: ["journal_key"], value: undefined }]);
  if (wasThere) notices.note(`deleted ${what}`);
}
