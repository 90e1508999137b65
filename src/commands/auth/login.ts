// `grantctl auth login`: takes an account's or an application's credentials, verifies them at the server, stores them,
// and reports where they are. Nothing is stored if the server rejects them, or is not the API.
import { resolve } from "node:path";
import { Option } from "commander";
import { addExamples, explainInherited, printsFields, type Define } from "../../command-line/command.ts";
import {
  isSameKey,
  secretStores,
  withProfileValues,
  type Configuration,
  type SecretKey,
  type SecretKind,
  type SecretStoreName,
  type StoredSecret,
} from "../../config/configuration.ts";
import { trustOf } from "../../config/folders.ts";
import { toBaseUrl } from "../../config/setting-forms.ts";
import { secretTraits } from "../../credentials/secrets.ts";
import { isFailure, usageFailure } from "../../errors/errors.ts";
import { addProofOptions, openProof, type ProofOptions } from "../../jobs/proof-token.ts";
import { parseUrl } from "../../parse-url.ts";
import type { FieldOf, Presentation } from "../../printing/presentation.ts";
import type { Context } from "../../run/context.ts";
import { editConfigurationOf, warnOfMovedProfile } from "../../run/save-configuration.ts";
import { checkAbility } from "../../run/server-type-hints.ts";
import { verifyLogin, type Login } from "./verify-login.ts";

interface LoginOptions extends ProofOptions {
  readonly app?: true;
  readonly withToken?: true;
  readonly store?: SecretStoreName;
}

export const defineLogin: Define = (command, act) => {
  command
    .summary("Verify credentials and store them")
    .description(
      "Verify an account's user name and password or, with --app, an application's client ID and client secret, and store them: the secret in the keychain, the rest in the profile. Prompts for anything you leave out. If no keychain is available, offers to use a file that only you can read. A client secret can be verified only with --proof-token-file, or at an OAuth 2.0 server with introspection; otherwise it is stored as not verified. With --with-token, store a token for `api`; for an account on github.com, which does not accept passwords, this is the only way to log in.",
    )
    .option("--app", "Log in as an application, with its client ID and client secret")
    .option("--with-token", "Read a token from standard input or a prompt, and store it for `api`")
    .addOption(
      new Option(
        "--store <where>",
        "Store the secret in the keychain (default), or in a file that only you can read",
      ).choices(secretStores),
    )
    .action(act(run, { configuration: "new-profile" }));
  addProofOptions(command);
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
    "grantctl auth login --server-type github --base-url ghe.example.com",
    "grantctl --profile ci auth login --password-stdin --store file < password.txt",
    "grantctl auth login --app --proof-token-file active.txt",
    "grantctl auth login --with-token < token.txt",
    "grantctl auth login --app --server-type oauth --base-url https://sso.example.com --client-id app",
  ]);
};

async function run(context: Context, options: LoginOptions): Promise<void> {
  const { settings, printer, notices, configured, host } = context;
  printer.checkFields(loginPresentation);
  const kind = kindOf(options);
  if (kind !== "client-secret") checkAbility(context.serverType, "userLogins");
  const { checkEditable } = await import("../../config/edit-configuration.ts");
  await checkEditable(configured.configuration.path, trustOf(host));
  const { token: proofToken } = await openProof(options, [], context);
  if (settings.baseUrl !== undefined) context.server.origin();
  // Before the first prompt: if no store can be used, the user should not have typed anything.
  const store = await chooseStore(options, context);
  if (settings.baseUrl?.source === "profile")
    notices.note(
      `logging in to ${settings.baseUrl.value}, the server of the profile ${configured.profile.name}. Use --base-url and --username for another server or user.`,
    );
  const url = settings.baseUrl?.value ?? (await askUrl(context));
  const login = await verifyLogin(url, kind, proofToken, context);
  const place = login.isFromCommand ? null : (store ?? (await offerFile(login, context)));
  warnOfMovedProfile(login.server.origin().href, configured.profile.values, context);
  await storeLogin(login, place, context);
  await reportLogin(login, place, context);
}

function kindOf({ app, withToken, proofTokenFile }: LoginOptions): SecretKind {
  if (app === true && withToken === true)
    throw usageFailure("--app and --with-token cannot be used together");
  if (app !== true && proofTokenFile !== undefined)
    throw usageFailure("--proof-token-file verifies a client secret: add --app");
  if (withToken === true) return "token";
  return app === true ? "client-secret" : "password";
}

async function askUrl({ prompter, serverType }: Context): Promise<string> {
  const typed = await prompter.askText("URL of the server (such as https://ghe.example.com):", (why) =>
    usageFailure(`no base URL is configured, and ${why}`, "Run `grantctl auth login --base-url URL`."),
  );
  return toBaseUrl(typed.trim(), serverType);
}

/**
 * The chosen store; by default the keychain. Without a keychain it is the file, if the user agreed to that for this
 * server; otherwise null, and `offerFile` asks. Throws a usage failure if the store cannot be used, or nobody can be
 * asked.
 */
async function chooseStore(
  { store }: LoginOptions,
  { server, prompter, settings, configured }: Context,
): Promise<SecretStoreName | null> {
  const check = async (name: SecretStoreName): Promise<SecretStoreName> => {
    await (await server.logins.openStore(name)).check();
    return name;
  };
  try {
    return await check(store ?? "keychain");
  } catch (error) {
    if (store !== undefined || !isFailure(error)) throw error;
    if (isFileAgreed(settings.baseUrl?.value ?? "", configured.configuration)) return check("file");
    await prompter.check((why) => error.with({}, `${error.marked}, and ${why} to ask for another store`));
    return null;
  }
}

/** True if a secret for this server is already in the file: the user chose that, but not for any other server. */
function isFileAgreed(url: string, { storedSecrets }: Configuration): boolean {
  const origin = parseUrl(url)?.origin;
  return storedSecrets.some(({ store, baseUrl }) => store === "file" && parseUrl(baseUrl)?.origin === origin);
}

/** Offers the file. Called after the login, when the user knows which secret it is about; null to store none. */
async function offerFile(
  { kind, server }: Login,
  { configured, prompter }: Context,
): Promise<SecretStoreName | null> {
  if (isFileAgreed(server.origin().href, configured.configuration)) return "file";
  const question = `No keychain is available. Store the ${secretTraits[kind].label} in a file that only you can read? If not, commands prompt for it.`;
  const isWanted = await prompter.confirm(question, (why) =>
    usageFailure(`no keychain is available, and ${why}`),
  );
  return isWanted ? "file" : null;
}

/** Stores the secret and writes the profile. If the profile cannot be written, deletes the secret again. */
async function storeLogin(login: Login, place: SecretStoreName | null, context: Context): Promise<void> {
  const { openStore } = login.server.logins;
  const key: SecretKey = {
    profile: context.configured.profile.name,
    baseUrl: login.server.origin().href,
    kind: login.kind,
    name: login.name,
  };
  // A profile has only one token.
  const isReplaced = (stored: StoredSecret): boolean =>
    isSameKey(stored, key.kind === "token" ? { ...key, name: stored.name } : key);
  const replaced = context.configured.configuration.storedSecrets.filter(isReplaced);
  const isThere = (stored: StoredSecret): boolean => stored.store === place && isSameKey(stored, key);
  if (place !== null) await (await openStore(place)).set(key, login.secret);
  try {
    await editConfigurationOf(context, (configuration) => ({
      ...withLogin(login, configuration, context),
      storedSecrets: [
        ...configuration.storedSecrets.filter((stored) => !isReplaced(stored)),
        ...(place === null ? [] : [{ ...key, store: place, verified: login.verified }]),
      ],
    }));
  } catch (error) {
    if (place !== null && !replaced.some(isThere))
      await (await openStore(place)).delete(key).catch(() => undefined);
    throw error;
  }
  for (const stored of replaced.filter((old) => !isThere(old))) {
    const isDeleted = await (await openStore(stored.store)).delete(stored).catch(() => null);
    if (isDeleted === null)
      context.notices.warn(
        `the secret that was stored before is still in the ${stored.store}, which cannot be reached`,
      );
  }
}

/** The configuration with the profile of a login; the first profile with a name becomes the default. */
function withLogin(
  { kind, name, server, serverType }: Login,
  configuration: Configuration,
  { options, configured }: Context,
): Configuration {
  const { nameKey } = secretTraits[kind];
  const profile = configured.profile.name;
  // A token's user becomes the profile's user only if the profile has none.
  const isNamed = kind === "token" && configuration.profiles.get(profile)?.username !== undefined;
  const { defaultProfile, profiles } = configuration;
  const isFirst = defaultProfile === null && profiles.size === 0 && profile !== "default";
  const after = withProfileValues(configuration, profile, {
    base_url: server.origin().href,
    ...(serverType === null ? {} : { server_type: serverType }),
    ...(isNamed ? {} : { [nameKey]: name }),
    ...(options.caCert === undefined ? {} : { ca_cert: resolve(options.caCert) }),
  });
  return isFirst ? { ...after, defaultProfile: profile } : after;
}

interface LoginRow {
  readonly profile: string;
  readonly base_url: string;
  readonly username?: string;
  /** For a login with --app. */
  readonly client_id?: string;
  /** Null if no secret is stored. */
  readonly store: SecretStoreName | null;
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
  { kind, name, verified, server, isFromCommand }: Login,
  store: SecretStoreName | null,
  { configured, notices, printer }: Context,
): Promise<void> {
  const { label, nameKey, verify } = secretTraits[kind];
  const { href } = server.origin();
  const profile = configured.profile.name;
  if (verified === null)
    notices.warn(
      `the ${label} is not verified. To verify it, run \`${verify}\` with one of the application's active tokens in that file.`,
    );
  if (store === "file") notices.warn(`the ${label} is stored unencrypted in a file, which only you can read`);
  const where =
    store === null
      ? `is not stored${isFromCommand ? ": the profile's command prints it" : ""}`
      : `is stored in ${store === "file" ? "a file" : "the keychain"}`;
  notices.note(`logged in to ${href} as ${name}, profile ${profile}; the ${label} ${where}`);
  if (!printer.isJson) return;
  const row = { profile, base_url: href, [nameKey]: name, store, proven: verified !== null };
  await printer.printItem(row, loginPresentation);
}
