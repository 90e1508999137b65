// Reports what `grantctl auth login` stored, or would store: in notes, and as an object with --json.
import { objectWith, optional, text, truth, word, type TypeOf } from "../../output/json-schema.ts";
import { present } from "../../output/presentation.ts";
import type { Context } from "../../run/context.ts";
import { nameOfSecret, userKeyOf } from "./secret-names.ts";
import { storeChoices, type Login, type StoreChoice } from "./taken-login.ts";

export const loginSchema = objectWith("Login", "Who logged in where.", {
  profile: text("the profile that it was stored for"),
  base_url: text("the service's address"),
  username: optional(text("the account's user name")),
  client_id: optional(text("the application's client ID, for a login with --app")),
  store: word("where the secret is kept", ...storeChoices),
  proven: truth("whether the service has taken it"),
});

type LoginRow = TypeOf<typeof loginSchema>;

export const loginPresentation = present(loginSchema, []);

/** Says where the secret is kept, warns where that is risky, and prints the object with --json. */
export async function reportLogin(
  { kind, user, isProven }: Login,
  choice: StoreChoice,
  href: string,
  { configured, notices, options, printer }: Context,
): Promise<void> {
  const what = nameOfSecret(kind);
  if (!isProven) {
    notices.warn(
      `the ${what} is not proven: the service checks one only together with a live token of the application, on standard input`,
    );
  }
  if (choice === "file") notices.warn(`the ${what} is stored unencrypted in a file, which only you can read`);
  const isPlan = options.dryRun === true;
  const where = { keychain: "in the keychain", file: "in a file", none: "nowhere" }[choice];
  notices.note(
    `${isPlan ? "would log in" : "logged in"} to ${href} as ${user}, profile ${configured.profile.name}; the ${what} ${isPlan ? "would be" : "is"} kept ${where}`,
  );
  if (!printer.isJson) return;
  const row: LoginRow = {
    profile: configured.profile.name,
    base_url: href,
    [userKeyOf(kind)]: user,
    store: choice,
    proven: isProven,
  };
  await printer.printItem(row, loginPresentation);
}
