// `grantctl auth login`: takes an account's or an application's credentials, verifies them at the server, stores them,
// and reports where they are. Nothing is stored if the server rejects them, or is not the API.
import { resolve } from "node:path";
import { Option } from "commander";
import { addExamples, type Context, type Define } from "../../command-line/command.ts";
import { withProfileValues, checkEditable, editConfiguration } from "../../config/configuration.ts";
import { commandLine, forLaterRuns } from "../../config/command-words.ts";
import { checkKeepsServer } from "../../config/profiles.ts";
import { isSameKey, secretStores } from "../../config/stored-secrets.ts";
import type { SecretKind, SecretStoreName, StoredSecret } from "../../config/stored-secrets.ts";
import { hintToVerify, secretTraits } from "../../credentials/secrets.ts";
import { failureOf, usageFailure } from "../../errors/errors.ts";
import { capitalised } from "../../errors/words.ts";
import { encodeBasic, type Credentials } from "../../http/authentication.ts";
import { addProofOptions, readProofTokens, type ProofOptions } from "../../jobs/application.ts";
import { parseUrl } from "../../http/urls.ts";
import { cancelled } from "../../prompt/prompter.ts";
import { memoised, type ServerAccess } from "../../run/server-access.ts";
import { checkNotOauth } from "../../server-types.ts";
import { findServer, verifyLogin } from "./verify.ts";

interface LoginOptions extends ProofOptions {
  readonly app?: true;
  readonly withToken?: true;
  readonly store?: SecretStoreName;
}

export const define: Define = (command, act) => {
  command
    .description(
      "Verify an account's user name and password or, with --app, an application's client ID and client secret, and store them: the secret in the keychain, the rest in the profile. Prompts for anything you leave out. Without a keychain, offers to use a file that only you can read. A client secret can be verified only with --proof-token-file, or at an OAuth 2.0 server with introspection; otherwise it is stored as not verified. With --with-token, store a token for `api`; for an account on github.com, which does not accept passwords, this is the only way to log in.",
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
  addExamples(command, [
    "grantctl auth login --server-type github --base-url ghe.example.com",
    "grantctl --profile ci auth login --password-stdin --store file < password.txt",
    "grantctl auth login --app --proof-token-file active.txt",
    "grantctl auth login --with-token < token.txt",
    "grantctl auth login --app --server-type oauth --base-url https://sso.example.com --client-id app",
  ]);
};

async function run(context: Context, options: LoginOptions): Promise<void> {
  const kind = secretKindOf(options);
  if (kind !== "client-secret") checkNotOauth(context.serverType);
  await checkEditable(context);
  const [proofToken = null] = await readProofTokens(options, context);
  const named = context.serverAt(context.settings.baseUrl?.value ?? (await askUrl(context)));
  checkKeepsServer({ base_url: named.origin().href, server_type: named.serverType.name }, context);
  const prepare = memoised(async () => {
    const store = await chooseStore(options.store, named, context);
    return { store, credentials: await readCredentials(kind, named, context) };
  });
  // On a terminal, prompts wait for a working URL; elsewhere, what cannot be stored or sent sends nothing.
  if (!context.standardInput.isTerminal) await prepare();
  const { server, isKnown } = await findServer(named, kind, context);
  const { store, credentials } = await prepare();
  const verified = await verifyLogin(credentials, { server, isKnown, proofToken }, context);
  const login = { ...credentials, ...verified, server, store: credentials.isNotStored ? null : store };
  await storeLogin(login, context);
  report(login, context);
}

function secretKindOf({ app, withToken, proofTokenFile }: LoginOptions): SecretKind {
  if (app === true && withToken === true)
    throw usageFailure("--app and --with-token cannot be used together");
  if (app !== true && proofTokenFile !== undefined)
    throw usageFailure("--proof-token-file verifies a client secret: add --app");
  if (withToken === true) return "token";
  return app === true ? "client-secret" : "password";
}

async function askUrl({ prompter }: Context): Promise<string> {
  const typed = await prompter.askText("URL of the server (such as https://ghe.example.com):", (why) =>
    usageFailure(`no base URL is configured, and ${why}`, "Run `grantctl auth login --base-url URL`."),
  );
  return typed.trim();
}

/**
 * The chosen store, by default the keychain; without a keychain the file, if the user agrees to that for this server. Throws
 * a usage failure if the store cannot be used, or nobody can be asked.
 */
async function chooseStore(
  chosen: SecretStoreName | undefined,
  { logins, origin }: ServerAccess,
  { prompter, configured, host }: Context,
): Promise<SecretStoreName> {
  try {
    await (await logins.openStore(chosen ?? "keychain")).check();
    return chosen ?? "keychain";
  } catch (error) {
    const { NoKeychain } = await import("../../credentials/stores.ts");
    if (chosen !== undefined || !(error instanceof NoKeychain)) throw error;
    const again = error.with({
      hint: `Run \`${commandLine(...forLaterRuns(host.argv), "--store", "file")}\` to use a file that only you can read.`,
    });
    const { href, root } = origin();
    const wasAgreed = configured.configuration.storedSecrets.some(
      ({ store, base_url: url }) => store === "file" && parseUrl(url)?.origin === root,
    );
    const question = `${capitalised(error.message)}. Store the secret for ${href} in a file that only you can read?`;
    if (!wasAgreed && !(await prompter.confirm(question, () => again))) throw cancelled("stored");
    await (await logins.openStore("file")).check();
    return "file";
  }
}

/** A name and its secret; the name is empty for a token, whose user the server knows. */
export interface LoginCredentials extends Credentials {
  readonly kind: SecretKind;
  /** True if a command of the profile prints the secret, or the client is public and has none. */
  readonly isNotStored: boolean;
}

async function readCredentials(
  kind: SecretKind,
  { logins, origin }: ServerAccess,
  { redactor, serverType, standardInput, prompter }: Context,
): Promise<LoginCredentials> {
  if (kind === "token") {
    const text = standardInput.isTerminal
      ? await prompter.askSecret(`Token for ${origin().href}:`, (why) =>
          usageFailure(`there is no token, and ${why}`, "Pass it on standard input."),
        )
      : await standardInput.read("the token");
    const { readOneToken } = await import("../../reports/read-tokens.ts");
    const secret = readOneToken(text, "the token", serverType.longestToken);
    redactor.add(secret);
    return { kind, name: "", secret, isNotStored: false };
  }
  const credentials = await logins.credentials(kind, { isNew: true });
  // Throws for what cannot be sent.
  if (!serverType.isOauth) encodeBasic(credentials);
  const { source } = logins.find(kind, credentials.name, true);
  return { ...credentials, kind, isNotStored: source === "profile" || source === "none" };
}

interface Login extends LoginCredentials {
  readonly server: ServerAccess;
  /** When and how the server accepted the secret, as in `2026-11-28T07:30:00Z, by listing grants`; null if it did not. */
  readonly verified: string | null;
  readonly store: SecretStoreName | null;
}

/** Stores the secret, writes the profile, and removes what the secret replaces in the other store. */
async function storeLogin(login: Login, context: Context): Promise<void> {
  const { kind, name, secret, server, verified, store } = login;
  const { configured, options, notices } = context;
  const profile = configured.profile.name;
  const key = { profile, base_url: server.origin().href, kind, name };
  // A profile has only one token.
  const isReplaced = (stored: StoredSecret): boolean =>
    isSameKey(stored, kind === "token" ? { ...key, name: stored.name } : key);
  if (store !== null) await (await server.logins.openStore(store)).set(key, secret);
  await editConfiguration(context, (before) => {
    // A token's user becomes the profile's user only if the profile has none.
    const isNamed = kind === "token" && before.profiles.get(profile)?.["username"] !== undefined;
    const after = withProfileValues(before, profile, {
      base_url: key.base_url,
      server_type: server.serverType.name,
      ...(isNamed ? {} : { [secretTraits[kind].nameKey]: name }),
      ...(options.caCert === undefined ? {} : { ca_cert: resolve(options.caCert) }),
    });
    const others = before.storedSecrets.filter((stored) => !isReplaced(stored));
    return { ...after, storedSecrets: store === null ? others : [...others, { ...key, store, verified }] };
  });
  for (const stored of configured.configuration.storedSecrets) {
    if (!isReplaced(stored) || (stored.store === store && isSameKey(stored, key))) continue;
    // A keychain that does not work is a reason to log in with the file.
    const failure = await failureOf((await server.logins.openStore(stored.store)).delete(stored));
    if (failure !== null)
      notices.warn(`the ${stored.store} may still contain an earlier secret: ${failure.message}`);
  }
}

function report({ kind, name, verified, server, store }: Login, { configured, notices }: Context): void {
  const { label } = secretTraits[kind];
  if (verified === null) notices.warn(`the ${label} is not verified. ${hintToVerify(server.serverType)}`);
  if (store === "file") notices.warn(`the ${label} is stored unencrypted in a file, which only you can read`);
  notices.note(
    `logged in to ${server.origin().href} as ${name}, profile ${configured.profile.name}; the ${label} is ${store === null ? "not stored" : `stored in ${store === "file" ? "a file" : "the keychain"}`}`,
  );
}
