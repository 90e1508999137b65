// `grantctl auth login`: takes an account's or an application's credentials, verifies them at the server, stores them,
// and reports where they are. Nothing is stored if the server rejects them.
import { resolve } from "node:path";
import { Option } from "commander";
import { addExamples, explainInherited, printsFields, type Define } from "../../command-line/command.ts";
import { detectServer, withScheme, type FoundServer, type RequestedServer } from "./find-server.ts";
import { secretLabel, userKey } from "./stored-secrets.ts";
import { verifyLogin, type Login } from "./verify-login.ts";
import { checkAbility } from "../../run/server-type-hints.ts";
import {
  isSameKey,
  withProfileValues,
  type Configuration,
  type SecretKey,
  type SecretKind,
  type StoredSecret,
} from "../../config/configuration.ts";
import { isFailure, usageFailure, type Failure } from "../../errors/errors.ts";
import { hints } from "../../errors/hints.ts";
import { parseUrl } from "../../parse-url.ts";
import type { FieldOf, Presentation } from "../../printing/presentation.ts";
import type { ServerAccess } from "../../run/server-access.ts";
import type { Context } from "../../run/context.ts";
import { editConfigurationOf, warnOfMovedProfile } from "../../run/save-configuration.ts";

const storeChoices = ["keychain", "file", "none"] as const;
type StoreChoice = (typeof storeChoices)[number];

interface LoginOptions {
  readonly app?: true;
  readonly withToken?: true;
  readonly store?: StoreChoice;
}

export const defineLogin: Define = (command, act) => {
  command
    .summary("Verify credentials and store them")
    .description(
      "Verify an account's user name and password or, with --app, an application's client ID and client secret, and store them: the secret in the keychain, the rest in the profile. Prompts for anything you leave out. If no keychain is available, offers to use a file that only you can read. To verify a client secret, pass one of the application's active tokens on standard input. With --with-token, store a token for `api`; for an account on github.com, which does not accept passwords, this is the only way to log in.",
    )
    .option("--app", "Log in as an application, with its client ID and client secret")
    .option("--with-token", "Read a token from standard input or a prompt, and store it for `api`")
    .addOption(
      new Option(
        "--store <where>",
        "Store the secret in the keychain (default), in a file that only you can read, or not at all",
      ).choices(storeChoices),
    )
    .action(act(run, { configuration: "new-profile" }));
  explainInherited(
    command,
    "--profile",
    "--base-url",
    "--server-type",
    "--username",
    "--password-stdin",
    "--client-id",
  );
  printsFields(command, loginPresentation.fields);
  addExamples(command, [
    "grantctl auth login --server-type github --base-url https://ghe.example.com/api/v3",
    "grantctl --profile ci auth login --password-stdin --store file < password.txt",
    "grantctl auth login --app --store file < active.txt",
    "grantctl auth login --with-token < token.txt",
    "grantctl auth login --app --server-type oauth --base-url https://sso.example.com --client-id app",
  ]);
};

async function run(context: Context, options: LoginOptions): Promise<void> {
  const { settings, printer } = context;
  printer.checkFields(loginPresentation);
  if (options.app === true && options.withToken === true) {
    throw usageFailure("--app and --with-token cannot be used together");
  }
  if (options.app !== true) checkAbility(context.serverType, "userLogins");
  const kind = secretKindOf(options);
  if (options.store !== "none") checkNoSecretCommand(kind, context);
  const { checkEditable } = await import("../../config/edit-configuration.ts");
  await checkEditable(context.configured.configuration.path, context.host.machine.userId);
  const root =
    settings.baseUrl === undefined ? null : configuredServer(settings.baseUrl.value, context).origin().root;
  // Before the first prompt: if no store can be used, the user should not have typed anything.
  const store = await chooseStore(options, root, context);
  const typed: RequestedServer =
    settings.baseUrl === undefined
      ? await promptForServer(context)
      : { server: configuredServer(settings.baseUrl.value, context) };
  if (settings.baseUrl?.source === "profile")
    context.notices.note(
      `logging in to ${typed.server.origin().href}, the server of the profile ${context.configured.profile.name}. Use --base-url and --username for another server or user.`,
    );
  const { login, target } = await verifyLogin(kind, typed, context);
  await storeLogin(
    login,
    { store: store ?? (await offerFile(login, target.server.origin().root, context)), ...target },
    context,
  );
}

interface LoginTarget extends FoundServer {
  readonly store: StoreChoice;
}

function secretKindOf({ app, withToken }: LoginOptions): SecretKind {
  if (withToken === true) return "token";
  return app === true ? "client-secret" : "password";
}

function configuredServer(baseUrl: string, context: Context): ServerAccess {
  const href = withScheme(baseUrl);
  return href === baseUrl ? context.server : context.serverAt(href);
}

/**
 * The chosen store; by default the keychain. Without a keychain it is the private file, if that already holds a secret
 * for this server; otherwise null, and `offerFile` prompts for it. Throws a usage failure if the store cannot be used, or there is
 * no terminal to prompt on.
 */
async function chooseStore(
  { store }: LoginOptions,
  root: string | null,
  context: Context,
): Promise<StoreChoice | null> {
  if (store === "file" || store === "none") return store;
  try {
    await context.server.logins.stores.checkKeychain();
    return "keychain";
  } catch (error) {
    if (store === "keychain" || !isFailure(error)) throw error;
    if (root !== null && isFileAgreed(root, context)) return "file";
    await context.prompter.check(() => error);
    return null;
  }
}

/** True if a secret for this server is already in the file: the user chose that, but not for any other server. */
function isFileAgreed(root: string, { configured }: Context): boolean {
  return configured.configuration.storedSecrets.some(
    ({ store, baseUrl }) => store === "file" && parseUrl(baseUrl)?.origin === root,
  );
}

/** Offers the private file. Called after the login, when the user knows which secret it is about. */
async function offerFile({ kind }: Login, root: string, context: Context): Promise<StoreChoice> {
  if (isFileAgreed(root, context)) return "file";
  const otherwise = kind === "password" ? " If not, commands prompt for it." : "";
  const question = `No keychain is available. Store the ${secretLabel(kind)} in a file that only you can read?${otherwise}`;
  const isWanted = await context.prompter.confirm(question, () => usageFailure("no keychain is available"));
  return isWanted ? "file" : "none";
}

/** Rejects a secret that would never be used, because a command in the profile overrides it. */
function checkNoSecretCommand(kind: SecretKind, { settings }: Context): void {
  if (kind === "token") return;
  const [setting, key] =
    kind === "client-secret"
      ? (["clientSecretCommand", "client_secret_command"] as const)
      : (["passwordCommand", "password_command"] as const);
  if (settings[setting] === undefined) return;
  throw usageFailure(
    `${key} in this profile overrides a stored secret`,
    `Log in with --store none to verify it, or run \`grantctl config unset ${key}\` first.`,
  );
}

/** Prompts for the server's URL until a server responds there. */
async function promptForServer(context: Context): Promise<RequestedServer> {
  for (;;) {
    const typed = await context.prompter.askText("URL of the server (such as https://ghe.example.com):", () =>
      usageFailure("no base URL is configured", "Run `grantctl auth login --base-url URL`."),
    );
    const server = context.serverAt(withScheme(typed.trim()));
    try {
      if (context.serverType.publishesMetadata) {
        await server.metadata();
        return { server };
      }
      return await detectServer(server, context);
    } catch (error) {
      if (!isFailure(error, "usage", "network") || isFixedByFlag(error)) throw error;
      const { hint } = error.details;
      context.notices.warn(hint === undefined ? error.marked : `${error.marked}. ${hint}`);
    }
  }
}

/** True for a TLS or proxy failure whose hint names a flag: prompting for another URL would not help. */
function isFixedByFlag({ kind, details: { hint } }: Failure): boolean {
  return kind === "network" && hint !== undefined && hint !== hints.scheme;
}

async function storeLogin(login: Login, place: LoginTarget, context: Context): Promise<void> {
  const { href } = place.server.origin();
  warnOfMovedProfile(href, context.configured.profile.values, context);
  const isFirst = await writeLogin(login, place, context);
  await reportLogin(login, place.store, href, context);
  if (login.requiredCode === true) explainTwoFactor(context);
  if (!isFirst) return;
  const { name } = context.configured.profile;
  context.notices.note(
    `${name} is the first profile, so commands use it by default. Run \`grantctl config unset default_profile\` to change that.`,
  );
}

/**
 * Stores the secret and writes the profile; resolves with true if it is the first one. If the profile cannot be written,
 * deletes a newly stored secret.
 */
async function writeLogin(login: Login, place: LoginTarget, context: Context): Promise<boolean> {
  const { store: choice, server } = place;
  const { logins } = server;
  const { name } = context.configured.profile;
  const key = { profile: name, baseUrl: server.origin().href, kind: login.kind, name: login.user };
  const replaced = context.configured.configuration.storedSecrets.filter(replacedBy(key));
  const isThere = replaced.some((stored) => stored.store === choice && isSameKey(stored, key));
  if (choice !== "none") await (await logins.stores.open(choice)).set(key, login.secret);
  let isFirst = false;
  try {
    await editConfigurationOf(context, (configuration) => {
      const { defaultProfile, profiles } = configuration;
      // The first named profile becomes the default.
      isFirst = defaultProfile === null && profiles.size === 0 && name !== "default";
      const after = withLogin(login, place, context, configuration);
      return isFirst ? { ...after, defaultProfile: name } : after;
    });
  } catch (error) {
    if (choice !== "none" && !isThere) {
      await (await logins.stores.open(choice)).delete(key).catch(() => undefined);
    }
    throw error;
  }
  for (const stored of replaced)
    if (stored.store !== choice || !isSameKey(stored, key)) await deleteStored(stored, server, context);
  return isFirst;
}

/** The stored secrets that a login replaces: the one with the same key, and any token, as a profile has only one. */
function replacedBy(key: SecretKey): (stored: StoredSecret) => boolean {
  return (stored) => isSameKey(stored, key.kind === "token" ? { ...key, name: stored.name } : key);
}

function withLogin(
  { kind, user, verified }: Login,
  { store: choice, server, serverType }: LoginTarget,
  { options, configured }: Context,
  configuration: Configuration,
): Configuration {
  const { href } = server.origin();
  const { name } = configured.profile;
  const key = { profile: name, baseUrl: href, kind, name: user };
  const isReplaced = replacedBy(key);
  const values = {
    base_url: href,
    server_type: serverType ?? undefined,
    // A token's user becomes the profile's user only if the profile has none.
    ...(kind === "token" && configuration.profiles.get(name)?.username !== undefined
      ? {}
      : { [userKey(kind)]: user }),
    ca_cert: options.caCert === undefined ? undefined : resolve(options.caCert),
  };
  const others = configuration.storedSecrets.filter((stored) => !isReplaced(stored));
  const stored: readonly StoredSecret[] =
    choice === "none" ? others : [...others, { ...key, store: choice, verified }];
  const given = Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined && value !== ""),
  );
  return { ...withProfileValues(configuration, name, given), storedSecrets: stored };
}

/** Explains two-factor authentication after a login, unless a command prints the codes already. */
function explainTwoFactor({ configured, notices, settings }: Context): void {
  if (settings.otpCommand !== undefined) return;
  const { name } = configured.profile;
  const profile = name === "default" ? "" : ` --profile ${name}`;
  notices.note(
    `this account uses two-factor authentication: every command will prompt for a new code. Run \`grantctl${profile} config set otp_command 'COMMAND'\` to let a command print it.`,
  );
}

async function deleteStored(
  secret: StoredSecret,
  { logins }: ServerAccess,
  { notices }: Context,
): Promise<void> {
  try {
    await (await logins.stores.open(secret.store)).delete(secret);
  } catch {
    notices.warn(
      `the secret that was stored before is still in the ${secret.store}, which cannot be reached`,
    );
  }
}

interface LoginRow {
  readonly profile: string;
  readonly base_url: string;
  readonly username?: string;
  /** For a login with --app. */
  readonly client_id?: string;
  readonly store: StoreChoice;
  /** True if the server has accepted the secret. */
  readonly proven: boolean;
}

const loginPresentation: Presentation<LoginRow> = {
  fields: [
    "profile",
    "base_url",
    "username",
    "client_id",
    "store",
    "proven",
  ] satisfies readonly FieldOf<LoginRow>[],
  columns: [],
};

/** Reports where the secret is stored, warns about risks, and prints the object with --json. */
async function reportLogin(
  { kind, user, verified }: Login,
  choice: StoreChoice,
  href: string,
  { configured, notices, printer }: Context,
): Promise<void> {
  const what = secretLabel(kind);
  if (verified === null) {
    notices.warn(
      `the ${what} is not verified. To verify it, pass one of the application's active tokens on standard input.`,
    );
  }
  if (choice === "file") notices.warn(`the ${what} is stored unencrypted in a file, which only you can read`);
  const stored = {
    keychain: "is stored in the keychain",
    file: "is stored in a file",
    none: "is not stored",
  }[choice];
  notices.note(`logged in to ${href} as ${user}, profile ${configured.profile.name}; the ${what} ${stored}`);
  if (!printer.isJson) return;
  const row: LoginRow = {
    profile: configured.profile.name,
    base_url: href,
    [userKey(kind)]: user,
    store: choice,
    proven: verified !== null,
  };
  await printer.printItem(row, loginPresentation);
}
