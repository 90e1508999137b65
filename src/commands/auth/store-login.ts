// Stores credentials that were tested: the secret in its store, everything else in the profile.
import type { SecretKey, SecretStoreName } from "../../config/configuration.ts";
import type { Address } from "../../run/address.ts";
import type { Context } from "../../run/context.ts";
import { warnOfMovedProfile } from "../../run/warn-of-moved-profile.ts";
import { editConfigurationOf } from "../../run/save-configuration.ts";
import type { Login, LoginPlace } from "./taken-login.ts";
import { editsOfLogin, isFirstProfile } from "./login-edits.ts";
import { reportLogin } from "./report-login.ts";

/** Stores the secret and writes the profile. Throws a usage failure, and leaves no secret behind then. */
export async function storeLogin(login: Login, place: LoginPlace, context: Context): Promise<void> {
  const { store: choice, address } = place;
  const { root, href } = address.origin();
  const key = { origin: root, kind: login.kind, user: login.user };
  warnOfMovedProfile(href, context.configured.profile.values, context);
  let isFirst = false;
  if (context.options.dryRun !== true) {
    const previous = address.logins.sources().stored.storeOf(key);
    if (choice !== "none") await (await address.logins.stores.open(choice)).set(key, login.secret);
    if (choice === "keychain") await address.logins.stores.makeJournalKey();
    try {
      await editConfigurationOf(context, (configuration) => {
        isFirst = isFirstProfile(context, configuration);
        return editsOfLogin(login, place, context, configuration);
      });
    } catch (error) {
      if (choice !== "none" && previous !== choice) {
        await (await address.logins.stores.open(choice)).delete(key).catch(() => undefined);
      }
      throw error;
    }
    if (previous !== null && previous !== choice) await forgetIn(previous, key, address, context);
  }
  await reportLogin(login, choice, href, context);
  if (!isFirst) return;
  const { name } = context.configured.profile;
  context.notices.note(
    `${name} is the first profile, so commands use it where none is named; to end that: grantctl config unset default_profile`,
  );
}

/** Deletes a secret from the store that it was in before this login. */
async function forgetIn(
  name: SecretStoreName,
  key: SecretKey,
  { logins }: Address,
  { notices }: Context,
): Promise<void> {
  try {
    await (await logins.stores.open(name)).delete(key);
  } catch {
    notices.warn(`what was stored before is still in the ${name}, which cannot be reached`);
  }
}
