// `grantctl auth logout`: deletes the stored secrets of one profile, and of no other.
import { addExamples, type Define, type Context } from "../../command-line/command.ts";
import { editConfiguration } from "../../config/configuration.ts";
import { isSameKey } from "../../config/stored-secrets.ts";
import { secretTraits } from "../../credentials/secrets.ts";
import { usageFailure } from "../../errors/errors.ts";

export const define: Define = (command, act) => {
  command
    .description(
      "Delete the stored password, token and client secret of a profile, or with --base-url only those for that URL. Keeps the profile itself, unless --forget is given.",
    )
    .option("--app", "Delete only the application's client secret")
    .option("--forget", "Remove the profile too")
    .action(act(run));
  addExamples(command, ["grantctl auth logout", "grantctl --profile work auth logout --forget"]);
};

async function run(context: Context, { app, forget }: { readonly app?: true; readonly forget?: true }) {
  // A forgotten profile must leave no secret behind.
  if (forget === true && (app === true || context.options.baseUrl !== undefined))
    throw usageFailure("--forget removes everything of the profile: omit --app and --base-url");
  const { configured, notices, options } = context;
  const { name: profile } = configured.profile;
  const baseUrl = options.baseUrl === undefined ? null : context.server.origin().href;
  const meant = configured.configuration.storedSecrets.filter(
    (secret) =>
      secret.profile === profile &&
      (baseUrl === null || secret.base_url === baseUrl) &&
      (app === undefined || secret.kind === "client-secret"),
  );
  if (meant.length === 0) notices.note(`no stored credentials for the profile ${profile}`);
  for (const secret of meant) {
    const { kind, name, store } = secret;
    const what = `the ${secretTraits[kind].label} of ${name} at ${secret.base_url}`;
    const wasThere = await (await context.server.logins.openStore(store)).delete(secret);
    await editConfiguration(context, (configuration) => ({
      ...configuration,
      storedSecrets: configuration.storedSecrets.filter((other) => !isSameKey(other, secret)),
    }));
    notices.note(wasThere ? `deleted ${what}` : `${what} was no longer in the ${store}`);
  }
  if (forget !== true || !configured.profile.exists) return;
  await editConfiguration(context, (configuration) => {
    const profiles = new Map(configuration.profiles);
    profiles.delete(profile);
    const defaultProfile = configuration.defaultProfile === profile ? null : configuration.defaultProfile;
    return { ...configuration, profiles, defaultProfile };
  });
  notices.note(`the profile ${profile} is removed`);
}
