// `grantctl auth logout`: deletes the stored secrets of one profile, and of no other.
import { addExamples, explainInherited, type Define, type Context } from "../../command-line/command.ts";
import { isSameKey } from "../../config/configuration.ts";
import { editConfigurationOf } from "../../run/save-configuration.ts";
import { secretLabel } from "./stored-secrets.ts";

export const defineLogout: Define = (command, act) => {
  command
    .summary("Delete stored credentials")
    .description(
      "Delete the stored password, token and client secret of a profile, or with --base-url only those for that URL. The profile itself is kept.",
    )
    .option("--app", "Delete only the application's client secret")
    .action(act(run));
  explainInherited(command, "--profile", "--base-url");
  addExamples(command, ["grantctl auth logout", "grantctl --profile work auth logout --app"]);
};

async function run(context: Context, { app }: { readonly app?: true }): Promise<void> {
  const { configured, notices, options } = context;
  const { name: profile } = configured.profile;
  const baseUrl = options.baseUrl === undefined ? null : context.server.origin().href;
  const meant = configured.configuration.storedSecrets.filter(
    (secret) =>
      secret.profile === profile &&
      (baseUrl === null || secret.baseUrl === baseUrl) &&
      (app === undefined || secret.kind === "client-secret"),
  );
  if (meant.length === 0) notices.note(`no stored credentials for the profile ${profile}`);
  for (const secret of meant) {
    const { kind, name, store } = secret;
    const what = `the ${secretLabel(kind)} of ${name} at ${secret.baseUrl}`;
    const wasThere = await (await context.server.logins.stores.open(store)).delete(secret);
    await editConfigurationOf(context, (configuration) => ({
      ...configuration,
      storedSecrets: configuration.storedSecrets.filter((other) => !isSameKey(other, secret)),
    }));
    notices.note(wasThere ? `deleted ${what}` : `${what} was no longer in the ${store}`);
  }
}
