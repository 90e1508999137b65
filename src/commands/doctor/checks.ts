// The checks of `doctor`, in the order in which a run depends on what they check. Those at the server are tried only if it
// responds. None prompts, and what is not configured is a note.
import { endpointsIn, isUnusableMetadata } from "../../api/authorization-server.ts";
import { fetchServerFacts } from "../../api/meta.ts";
import type { SecretKind } from "../../config/configuration.ts";
import { trustOf } from "../../config/folders.ts";
import { hintToVerify, secretTraits } from "../../credentials/secrets.ts";
import { Failure, isFailure, usageFailure, type FailureKind } from "../../errors/errors.ts";
import { challengeWords, spellHeaderWord, type OneTimePasswords } from "../../http/one-time-password.ts";
import type { RawResponse } from "../../http/request.ts";
import type { Context } from "../../run/context.ts";
import { once } from "../../run/run-parts.ts";
import { isWithoutAccounts } from "../../run/server-type-hints.ts";
import { serverName } from "../../server-types.ts";
import { checkPrivateFolder } from "../../system/trusted.ts";
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

/** What a check returns: what is fine, or a note. What is wrong is thrown as the failure of a run. */
type Result = string | { readonly note: string; readonly fix?: string | undefined };

/** `proofToken` is an active token of the application, or null. */
export async function checkEverything(
  context: Context,
  proofToken: string | null,
): Promise<readonly Finding[]> {
  const { configured, server, serverType, settings } = context;
  const findings: Finding[] = [];
  /** True if nothing is wrong. */
  const check = async (name: string, work: () => Result | Promise<Result>): Promise<boolean> => {
    try {
      const result = await work();
      if (typeof result === "string")
        findings.push({ check: name, status: "fine", detail: result, fix: null });
      else findings.push({ check: name, status: "note", detail: result.note, fix: result.fix ?? null });
      return true;
    } catch (error) {
      if (!isFailure(error)) throw error;
      const { kind, message, details } = error;
      findings.push({ check: name, status: "wrong", detail: message, fix: details.hint ?? null, kind });
      return false;
    }
  };
  await check("configuration", () => checkConfiguration(context));
  await check("folders", () => checkFolders(context));
  await check("keychain", () => checkKeychain(context));
  for (const { profile, kind, name, base_url: url, verified } of configured.configuration.storedSecrets)
    if (profile === configured.profile.name && verified === null)
      await check("stored secret", () => ({
        note: `the ${secretTraits[kind].label} of ${name} at ${url} is not verified`,
        fix: hintToVerify(serverType),
      }));
  if (settings.baseUrl === undefined) {
    const fix = "Run `grantctl auth login`, or set --base-url or GRANTCTL_BASE_URL.";
    await check("server", () => ({ note: "no base URL is configured", fix }));
    return findings;
  }
  const probe = once(() => sendProbe(context));
  if (!(await check("server", async () => checkConnection((await probe()).response, context))))
    return findings;
  await check("clock", async () => checkClock(await probe()));
  if (serverType.isOauth) {
    if (!(await check("server type", () => checkMetadata(context)))) return findings;
  } else {
    const facts = once(async () => fetchServerFacts(await server.tokenService(null)));
    await check("server type", async () => compare(await facts(), context));
    // Of a server without accounts, no password is sent.
    const { version = "" } = (await facts().catch(() => null)) ?? {};
    if (version !== null && !isWithoutAccounts(serverType, server.origin()))
      await check("account", () => checkAccount(context));
  }
  await check("application", () => checkApplication(proofToken, context));
  return findings;
}

function checkConfiguration({ configured: { configuration, profile, failure } }: Context): Result {
  if (failure !== null) throw failure;
  const { path } = configuration;
  return profile.exists
    ? `${path}, profile ${profile.name}`
    : { note: `no profile ${profile.name} in ${path}`, fix: "Run `grantctl auth login` to create it." };
}

async function checkFolders(context: Context): Promise<Result> {
  const trust = trustOf(context.host);
  const [state, configuration] = [context.stateFolder(), context.configurationFolder()];
  await checkPrivateFolder(state, "state directory", trust);
  await checkPrivateFolder(configuration, "configuration directory", trust);
  return `only you can change ${configuration} and ${state}`;
}

async function checkKeychain({ configured, server }: Context): Promise<Result> {
  try {
    await (await server.logins.openStore("keychain")).check();
    return "an entry was stored, read and deleted";
  } catch (error) {
    const isUsed = configured.configuration.storedSecrets.some(({ store }) => store === "keychain");
    if (isUsed || !isFailure(error)) throw error;
    return { note: `${error.message}; nothing is stored there`, fix: error.details.hint };
  }
}

/** A response without credentials, and this clock before and after it. */
interface Probe {
  readonly response: RawResponse;
  readonly sentAt: number;
  readonly receivedAt: number;
}

async function sendProbe({ host, server, serverType }: Context): Promise<Probe> {
  const sentAt = host.now();
  // Any response of an OAuth 2.0 server shows the connection and the clock; its metadata is read later, once.
  const target = serverType.isOauth ? "/" : undefined;
  const response = await server.connections.sendProbe(target).catch((error: unknown) => {
    const advice = "Check the URL, and that no firewall or proxy blocks it.";
    throw isFailure(error) ? error.with({ hint: error.details.hint ?? advice }) : error;
  });
  return { response, sentAt, receivedAt: host.now() };
}

const otherUrl = "Set --base-url to the URL of the API.";

/** Another server is only a note: without credentials, a gateway may answer in front of the API. */
function checkConnection(response: RawResponse, { server, serverType }: Context): Result {
  const { href, root } = server.origin();
  const connected = `${href}: ${root.startsWith("https:") ? "TLS handshake done, certificate verified" : "connected"}`;
  if (serverType.isOauth) return connected;
  if (response.status >= 500)
    throw new Failure("network", `${href} is unavailable (status ${response.status})`, {
      hint: "Try again later.",
    });
  const sign = signOfOtherServer(response);
  return sign === null ? connected : { note: `${connected}, but ${sign}`, fix: otherUrl };
}

/** A code from an authenticator application is valid for its half minute and for the next one. */
const codePeriodMs = 30_000;

function checkClock({ response, sentAt, receivedAt }: Probe): Result {
  const date = Date.parse(response.headers["date"] ?? "");
  if (Number.isNaN(date)) return { note: "the server does not send its time" };
  const offMs = Math.max(date - receivedAt, sentAt - date);
  if (offMs < codePeriodMs) return "within half a minute of the server's";
  const side = date > receivedAt ? "behind" : "ahead of";
  throw new Failure("otp", `this clock is ${Math.round(offMs / 1000)} s ${side} the server's`, {
    hint: "Synchronize the clock of this machine: one-time passwords depend on it.",
  });
}

/** Compares the configured server type with that of the server. */
function compare(
  facts: Awaited<ReturnType<typeof fetchServerFacts>>,
  { serverType: { name, isGithub } }: Context,
): Result {
  if (facts === null)
    return isGithub
      ? { note: `${name}, but the server does not identify itself as github.com or Enterprise Server 3` }
      : `${name}; the server does not indicate another one`;
  const server = serverName(facts.version);
  if (!isGithub)
    throw usageFailure(
      `${name}, but the server is ${server}`,
      "Run `grantctl config set server_type github`.",
    );
  if (facts.version === null)
    return { note: `${name}: ${server}, without operations for grants and authorizations` };
  return facts.acceptsPasswords
    ? `${name}: ${server}`
    : { note: `${name}: ${server}, which ${acceptsNoPasswords}`, fix: insteadOfPasswords };
}

async function checkMetadata({ server, settings, serverType }: Context): Promise<Result> {
  try {
    const endpoints = endpointsIn(await server.metadata());
    const named = Object.entries(endpoints).map(([name, url]) => `${name} ${url ?? "none"}`);
    return `${serverType.name}, with these endpoints: ${named.join(", ")}`;
  } catch (error) {
    // Endpoints with a path by hand can be used all the same.
    if (settings.introspectionPath === undefined || !isUnusableMetadata(error)) throw error;
    return { note: error.message, fix: error.details.hint };
  }
}

/** True if the secret is there without a prompt. */
function isAtHand(kind: SecretKind, name: string | undefined, { server }: Context): boolean {
  return name !== undefined && server.logins.secrets.find(kind, name).source !== "prompt";
}

async function checkAccount(context: Context): Promise<Result> {
  const { server, settings } = context;
  const username = settings.username?.value;
  if (!isAtHand("password", username, context))
    return { note: "no user name and password to try", fix: "Run `grantctl auth login`." };
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
    return accepted;
  } catch (error) {
    if (isAskedForCode) return `${accepted} and requires a one-time password`;
    throw isFailure(error) ? accountFailure(error) : error;
  }
}

/** The failure of the account with what to do about it. */
function accountFailure(failure: Failure): Failure {
  const { hint = otherUrl, received } = failure.details;
  if (failure.kind !== "authentication" && failure.kind !== "not-found") return failure.with({ hint });
  const [word] = challengeWords(received?.headers ?? {});
  if (word === undefined)
    return failure.with({
      hint: "Run `grantctl auth status` to see where the password comes from, or `grantctl auth login` to log in again.",
    });
  const spelt = spellHeaderWord(word);
  return failure.with(
    { hint: `Run \`grantctl config set header_word ${spelt}\`.` },
    `the server requires a one-time password in another header, X-${spelt}-OTP`,
  );
}

async function checkApplication(proofToken: string | null, context: Context): Promise<Result> {
  const clientId = context.settings.clientId?.value;
  if (!isAtHand("client-secret", clientId, context))
    return { note: "no client ID and secret to try", fix: "Run `grantctl auth login --app`." };
  const application = await context.server.applicationService();
  const { means, refusal } = await verifyApplication(application, proofToken);
  const result =
    means === null ? `${clientId}: not tested` : `the server accepts the credentials of ${clientId}`;
  if (refusal !== null) return { note: `${result}: ${refusal.message}`, fix: refusal.details.hint };
  if (means !== null) return result;
  return {
    note: result,
    fix: "Run `grantctl doctor --proof-token-file active.txt` with one of its active tokens in that file.",
  };
}
