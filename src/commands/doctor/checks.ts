// The checks of `doctor`, in the order in which a run depends on what they check. Those at the server are tried only if it
// responds. None prompts, and what is not configured is a note.
import { endpointPath, isUnusableMetadata, type ServerMetadata } from "../../api/authorization-server.ts";
import { type ServerFacts, fetchServerFacts } from "../../api/meta.ts";
import { configurationFolderPurpose, trustOf } from "../../config/folders.ts";
import { proxyFor } from "../../config/proxy.ts";
import type { SecretKind } from "../../config/configuration.ts";
import { hintToVerify, secretTraits } from "../../credentials/secrets.ts";
import { Failure, isFailure, type FailureKind } from "../../errors/errors.ts";
import { counted } from "../../errors/words.ts";
import { checkPrivateFolder } from "../../files/trusted.ts";
import { challengeWords, spellHeaderWord, type OneTimePasswords } from "../../http/one-time-password.ts";
import type { RawResponse } from "../../http/request.ts";
import { stateFolderPurpose } from "../../jobs/journal.ts";
import type { Context } from "../../run/context.ts";
import { isWithoutAccounts } from "../../run/server-type-hints.ts";
import { type ServerType, serverName } from "../../server-types.ts";
import {
  acceptsNoPasswords,
  insteadOfPasswords,
  signOfOtherServer,
  verifyApplication,
  verifyPassword,
} from "../auth/verify.ts";

export interface Finding {
  readonly check: string;
  /** A note is worth knowing; wrong is what does not work, or is not safe. */
  readonly status: "fine" | "note" | "wrong";
  readonly detail: string;
  readonly fix: string | null;
  /** The failure kind of a run with this problem. */
  readonly kind?: FailureKind;
}

function fine(check: string, detail: string): Finding {
  return { check, status: "fine", detail, fix: null };
}

function note(check: string, detail: string, fix: string | null = null): Finding {
  return { check, status: "note", detail, fix };
}

function wrong(check: string, kind: FailureKind, detail: string, fix: string | null): Finding {
  return { check, status: "wrong", detail, fix, kind };
}

/** Converts a failure to a finding. Rethrows any other error. */
function findingOf(check: string, error: unknown): Finding {
  if (!isFailure(error)) throw error;
  return wrong(check, error.kind, error.message, error.details.hint ?? null);
}

/** `proofToken` is an active token of the application, or null. */
export async function checkEverything(
  context: Context,
  proofToken: string | null,
): Promise<readonly Finding[]> {
  return [
    checkConfiguration(context),
    await checkFolders(context),
    await checkKeychain(context),
    ...unverifiedSecrets(context),
    ...(await checkServer(proofToken, context)),
  ];
}

function checkConfiguration({ configured: { configuration, profile, failure } }: Context): Finding {
  const check = "configuration";
  if (failure !== null) return findingOf(check, failure);
  const { path, profiles } = configuration;
  if (profiles.size === 0) return note(check, `none at ${path}`, "Run `grantctl auth login` to create one.");
  return profile.exists
    ? fine(check, `${path}, ${counted(profiles.size, "profile")}, of which this is ${profile.name}`)
    : note(
        check,
        `there is no profile ${profile.name} in ${path}`,
        "Run `grantctl auth list` to see the profiles.",
      );
}

/**
 * Without a state folder, commands that change something send nothing; a configuration that cannot be written may be
 * intended. Windows has no modes to check.
 */
async function checkFolders(context: Context): Promise<Finding> {
  const check = "folders";
  const trust = trustOf(context.host);
  const state = context.stateFolder();
  const configuration = context.configurationFolder();
  try {
    await checkPrivateFolder(state, stateFolderPurpose, trust);
  } catch (error) {
    return findingOf(check, error);
  }
  try {
    await checkPrivateFolder(configuration, configurationFolderPurpose, trust);
  } catch (error) {
    const { detail, fix } = findingOf(check, error);
    return note(check, detail, fix);
  }
  return trust.userId === null
    ? note(check, `${configuration} and ${state} can be written; who else can change them was not checked`)
    : fine(check, `only you can change ${configuration} and ${state}`);
}

async function checkKeychain({ configured, server }: Context): Promise<Finding> {
  const stores = configured.configuration.storedSecrets.map(({ store }) => store);
  try {
    await (await server.logins.openStore("keychain")).check();
    return fine("keychain", "an entry was stored, read and deleted");
  } catch (error) {
    const finding = findingOf("keychain", error);
    if (stores.includes("keychain")) return finding;
    return stores.includes("file")
      ? note("keychain", `${finding.detail}; secrets are kept in a file instead`)
      : note("keychain", `${finding.detail}; nothing is stored there`, finding.fix);
  }
}

/** A note for each secret of the profile that was stored without being verified. */
function unverifiedSecrets({
  configured: { configuration, profile },
  serverType,
}: Context): readonly Finding[] {
  return configuration.storedSecrets
    .filter((secret) => secret.profile === profile.name && secret.verified === null)
    .map(({ kind, name, baseUrl }) =>
      note(
        "stored secret",
        `the ${secretTraits[kind].label} of ${name} at ${baseUrl} is not verified`,
        hintToVerify(serverType),
      ),
    );
}

async function checkServer(proofToken: string | null, context: Context): Promise<readonly Finding[]> {
  const { settings, serverType, server, host } = context;
  if (settings.baseUrl === undefined) {
    const hint = "Run `grantctl auth login`, or set --base-url or GRANTCTL_BASE_URL.";
    return [note("server", "no base URL is configured", hint)];
  }
  const sentAt = host.now();
  let response: RawResponse;
  try {
    // Any response of an OAuth 2.0 server shows the connection and the clock; its metadata is read later, once.
    response = await server.connections.sendProbe(serverType.publishesMetadata ? "/" : undefined);
  } catch (error) {
    const finding = findingOf("server", error);
    return [{ ...finding, fix: finding.fix ?? "Check the URL, and that no firewall or proxy blocks it." }];
  }
  const reached = [checkConnection(response, context), checkClock(response, sentAt, host.now())];
  if (response.status >= 500 && !serverType.publishesMetadata) {
    const unavailable = `${server.origin().href} is unavailable (status ${response.status})`;
    return [wrong("server", "network", unavailable, "Try again later.")];
  }
  if (serverType.publishesMetadata) {
    const metadata = await checkMetadata(context);
    return metadata.status === "wrong"
      ? [...reached, metadata]
      : [...reached, metadata, await checkApplication(proofToken, context)];
  }
  const { finding, lacksAccounts } = await checkServerType(context);
  return [
    ...reached,
    finding,
    ...(lacksAccounts ? [] : [await checkAccount(context)]),
    await checkApplication(proofToken, context),
  ];
}

/** Another server is only a note: without credentials, a gateway may answer in front of the API. */
function checkConnection(response: RawResponse, { server, serverType, host }: Context): Finding {
  const { href, root, isInsecure } = server.origin();
  if (isInsecure) return note("server", `${href} is plain http`, "Use an https URL.");
  const how = root.startsWith("https:") ? "TLS handshake done, certificate verified" : "connected";
  const proxy = proxyFor(root, host.environment);
  const connected = `${href}: ${how}${proxy === null ? "" : `; proxy ${proxy.url}, from ${proxy.variable}`}`;
  const sign = serverType.publishesMetadata ? null : signOfOtherServer(response);
  return sign === null ? fine("server", connected) : note("server", `${connected}, but ${sign}`, otherUrl);
}

const otherUrl = "Set --base-url to the URL of the API.";

/** A code from an authenticator application is valid for its half minute and for the next one. */
const codePeriodMs = 30_000;

/** A difference that proves nothing: the header has whole seconds, and the response took time to arrive. */
const unavoidableMs = 2000;

function checkClock({ headers }: RawResponse, sentAt: number, receivedAt: number): Finding {
  const date = Date.parse(headers["date"] ?? "");
  if (Number.isNaN(date)) return note("clock", "the server does not send its time");
  const isBehind = date > receivedAt;
  const offMs = Math.max(date - receivedAt, sentAt - date);
  if (offMs <= unavoidableMs) return fine("clock", "in sync with the server's");
  const message = `this clock is ${Math.round(offMs / 1000)} s ${isBehind ? "behind" : "ahead of"} the server's`;
  const advice = "Synchronize the clock of this machine: one-time passwords depend on it.";
  return offMs < codePeriodMs ? note("clock", message, advice) : wrong("clock", "otp", message, advice);
}

/** Compares the configured server type with that of the server. Sends no credentials. */
async function checkServerType({ server, serverType }: Context) {
  const isWithout = isWithoutAccounts(serverType, server.origin());
  try {
    const facts = await fetchServerFacts(await server.tokenService(null));
    const lacksAccounts = isWithout || (facts !== null && facts.version === null);
    return { finding: compare(serverType, facts), lacksAccounts };
  } catch (error) {
    return { finding: findingOf("server type", error), lacksAccounts: isWithout };
  }
}

function compare({ name, isGithub }: ServerType, facts: ServerFacts | null): Finding {
  const check = "server type";
  if (facts === null)
    return isGithub
      ? note(
          check,
          `${name}, but the server does not identify itself as github.com or Enterprise Server 3`,
          "Run `grantctl auth status --verbose` to see where the server type comes from.",
        )
      : fine(check, `${name}; the server does not indicate another one`);
  const server = serverName(facts.version);
  if (!isGithub) {
    const hint = "Run `grantctl config set server_type github`.";
    return wrong(check, "usage", `${name}, but the server is ${server}`, hint);
  }
  if (facts.version === null)
    return note(check, `${name}: ${server}, without operations for grants and authorizations`);
  return facts.acceptsPasswords
    ? fine(check, `${name}: ${server}`)
    : note(check, `${name}: ${server}, which ${acceptsNoPasswords}`, insteadOfPasswords);
}

async function checkMetadata({ server, settings }: Context): Promise<Finding> {
  const check = "metadata";
  try {
    const metadata = await server.metadata();
    if (metadata === null) {
      const fix = "Set introspection_path and revocation_path, or check --base-url.";
      return note(check, "the server publishes none", fix);
    }
    // Throws for an endpoint on another host.
    for (const name of ["introspection", "revocation"] as const)
      if (settings[`${name}Path`] === undefined) endpointPath(metadata, name, server.origin());
    return fine(check, describeMetadata(metadata));
  } catch (error) {
    const finding = findingOf(check, error);
    // Endpoints with a path by hand can be used all the same.
    const isNeeded = settings.introspectionPath === undefined || !isUnusableMetadata(error);
    return isNeeded ? finding : note(check, finding.detail, finding.fix);
  }
}

function describeMetadata({ endpoints, methods }: ServerMetadata): string {
  return (["introspection", "revocation", "userinfo"] as const)
    .map((name) => {
      const offered = methods[name] ?? [];
      const how = offered.length === 0 ? "" : ` (${offered.join(", ")})`;
      return `${name} endpoint: ${endpoints[name] ?? "none"}${how}`;
    })
    .join("; ");
}

/** True if the secret is there without a prompt. */
function isAtHand(kind: SecretKind, name: string | undefined, { server }: Context): name is string {
  const places = name === undefined ? [] : server.logins.secrets.places(kind, name);
  return (places.find(({ isSet }) => isSet)?.source ?? "prompt") !== "prompt";
}

const logInAgain =
  "Run `grantctl auth status` to see where the password comes from, or `grantctl auth login` to log in again.";

async function checkAccount(context: Context): Promise<Finding> {
  const { server, settings } = context;
  const username = settings.username?.value;
  if (!isAtHand("password", username, context))
    return note("account", "no user name and password to try", "Run `grantctl auth login`.");
  const accepted = `the server accepts the password of ${username}`;
  let isAskedForCode = false;
  // No code is spent: that the server asks for one shows that the password is right.
  const noCodes: OneTimePasswords = {
    current: () => null,
    next() {
      isAskedForCode = true;
      return Promise.reject(new Failure("otp", "a one-time password is required"));
    },
    accept: () => undefined,
  };
  try {
    await verifyPassword(await server.accountService(await server.logins.account(), noCodes));
    return fine("account", accepted);
  } catch (error) {
    if (isAskedForCode) return fine("account", `${accepted} and requires a one-time password`);
    const finding = findingOf("account", error);
    if (!isFailure(error, "authentication", "not-found")) return { ...finding, fix: finding.fix ?? otherUrl };
    const [word] = challengeWords(error.details.received?.headers ?? {});
    if (word === undefined) return { ...finding, fix: logInAgain };
    const header = `the server requires a one-time password in another header, X-${spellHeaderWord(word)}-OTP`;
    const fix = `Run \`grantctl config set header_word ${spellHeaderWord(word)}\`.`;
    return { ...finding, detail: header, fix };
  }
}

async function checkApplication(proofToken: string | null, context: Context): Promise<Finding> {
  const check = "application";
  const clientId = context.settings.clientId?.value;
  if (!isAtHand("client-secret", clientId, context))
    return note(check, "no client ID and secret to try", "Run `grantctl auth login --app`.");
  const accepted = `the server accepts the credentials of ${clientId}`;
  try {
    const application = await context.server.applicationService();
    const { means, refusal } = await verifyApplication(application, proofToken);
    if (refusal !== null) {
      const { detail, fix } = findingOf(check, refusal);
      return note(check, `${accepted}, but ${detail}`, fix);
    }
    if (means !== null) return fine(check, accepted);
    return context.serverType.publishesMetadata
      ? note(check, `${clientId}: not tested, because the server has no introspection endpoint`)
      : note(
          check,
          `${clientId}: not tested`,
          "Run `grantctl doctor --proof-token-file active.txt` with one of its active tokens in that file.",
        );
  } catch (error) {
    return findingOf(check, error);
  }
}
