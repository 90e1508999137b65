// `grantctl auth logout`: deletes the stored secrets of the profile's user and application.
import { addExamples, explainInherited, type Define, type Context } from "../../command-line/command.ts";
import { isSameKey, type StoredSecret } from "../../config/configuration.ts";
import { editConfigurationOf } from "../../run/save-configuration.ts";
import { secretLabel, userKey } from "./stored-secrets.ts";

export const defineLogout: Define = (command, act) => {
  command
    .summary("Delete stored credentials")
    .description(
      "Delete the stored password, token and client secret of a profile. The profile itself is kept.",
    )
    .option("--app", "Delete only the application's client secret")
    .action(act(run));
  explainInherited(command, "--profile");
  addExamples(command, ["grantctl auth logout", "grantctl --profile work auth logout --app"]);
};

async function run(context: Context, { app }: { readonly app?: true }): Promise<void> {
  const { configured, notices, settings } = context;
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
    const wasThere = await (await context.server.logins.stores.open(store)).delete(secret);
    await editConfigurationOf(context, (configuration) => ({
      ...configuration,
      storedSecrets: configuration.storedSecrets.filter((other) => !isSameKey(other, secret)),
    }));
    notices.note(wasThere ? `deleted ${what}` : `${what} was no longer in the ${store}`);
  }
}
