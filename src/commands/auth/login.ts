// `grantctl auth login`: takes credentials, tests them with a read, and only then stores them.
import { Option } from "commander";
import { addExamples, type Define, type Context } from "../../command-line/command.ts";
import { isFailure, usageFailure, type Failure } from "../../errors/errors.ts";
import { askServer } from "./find-server.ts";
import { takeLogin, type TypedServer } from "./take-login.ts";
import { loginPresentation } from "./report-login.ts";
import { storeLogin } from "./store-login.ts";
import { storeChoices, type LoginKind, type StoreChoice } from "./taken-login.ts";

interface LoginOptions extends LoginKind {
  readonly store: StoreChoice;
}

export const defineLogin: Define = (command, act) => {
  command
    .summary("prove credentials and store them")
    .description(
      "Take the account's user name and password, or with --app an application's client ID and client secret, prove them with a read, store the secret in the keychain and the rest in the profile. What is missing is asked for. A client secret can be proven only with a live token of the application: give one on standard input. With --with-token it takes a token for `api` and `graphql`.",
    )
    .option("--app", "an application's client ID and client secret")
    .option("--with-token", "a token for `api` and `graphql`, read from standard input or asked for")
    .addOption(
      new Option(
        "--store <where>",
        "keep the secret in the keychain, in a file that only you can read, or nowhere",
      )
        .choices(storeChoices)
        .default("keychain"),
    )
    .action(act(run, "new-profile"));
  addExamples(command, [
    "grantctl auth login --base-url https://ghe.example.com/api/v3 --header-word GitHub",
    "grantctl --profile ci auth login --password-stdin --store file < password.txt",
    "grantctl auth login --app --store file < live-token.txt",
    "grantctl auth login --with-token < token.txt",
  ]);
};

async function run(context: Context, options: LoginOptions): Promise<void> {
  const { settings, printer } = context;
  printer.checkFields(loginPresentation);
  if (options.app === true && options.withToken === true) {
    throw usageFailure("--app and --with-token are two logins");
  }
  refuseWhereCommandWins(options, context);
  await checkCommandToKeep(context);
  const { checkEditable } = await import("../../config/edit-configuration.ts");
  await checkEditable(context.configured.configuration.path);
  const typed = settings.baseUrl === undefined ? await askForServer(context) : { address: context.address };
  typed.address.origin();
  // Before the user is asked for anything else.
  if (options.store === "keychain") await typed.address.logins.stores.checkKeychain();
  const { login, server } = await takeLogin(options, typed, context);
  await storeLogin(login, { store: options.store, ...server }, context);
}

/** Throws a usage failure for a command for one-time passwords that the profile could not hold after the login. */
async function checkCommandToKeep({ options: { otpCommand = "" } }: Context): Promise<void> {
  if (otpCommand === "") return;
  const { checkProfileValue } = await import("../../config/parse-configuration.ts");
  checkProfileValue("otp_command", otpCommand);
}

/** Refuses to store a secret that would never be used, because the profile has a command for it, which comes first. */
function refuseWhereCommandWins({ app, withToken, store }: LoginOptions, { settings }: Context): void {
  const [setting, key] =
    app === true
      ? (["clientSecretCommand", "client_secret_command"] as const)
      : (["passwordCommand", "password_command"] as const);
  if (withToken === true || store === "none" || settings[setting] === undefined) return;
  throw usageFailure(
    "a command of the profile gives this secret already, and goes before what is stored",
    `log in with --store none to prove it, or first: grantctl config unset ${key}`,
  );
}

/** Asks for the service's address, again and again until there is a server at it. */
async function askForServer(context: Context): Promise<TypedServer> {
  for (;;) {
    const typed = await context.prompter.askText("Address of the service:", () =>
      usageFailure("there is no service to log in to", "grantctl auth login --base-url https://…"),
    );
    const address = context.addressAt(typed.trim());
    try {
      return { address, facts: await askServer(address, context.notices) };
    } catch (error) {
      if (!isFailure(error, "usage", "network") || isMendedByFlag(error)) throw error;
      context.notices.warn(error.marked);
    }
  }
}

/** Whether a failure of TLS or of a proxy has a hint with a flag, so that asking for another address would not help. */
function isMendedByFlag({ kind, details }: Failure): boolean {
  return kind === "network" && details.hint !== undefined;
}
