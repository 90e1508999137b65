// The checks of `doctor` at the server: that it responds, TLS, the clock, the server type, and whether it accepts the
// account and the application; at an OAuth 2.0 server its metadata and the client. Each is tried only if those before it
// did not fail. Never prompts.
import { endpointPath, isUnusableMetadata, type ServerMetadata } from "../../api/authorization-server.ts";
import { type ServerFacts, fetchServerFacts } from "../../api/meta.ts";
import { proxyFor } from "../../config/proxy.ts";
import { headerWordOf } from "../../config/settings.ts";
import { withoutMarks } from "../../errors/foreign.ts";
import { spellHeaderWord, challengeWords } from "../../http/one-time-password.ts";
import type { EndpointName, RawResponse } from "../../http/request.ts";
import { type ServerType, serverName } from "../../server-types.ts";
import type { Context } from "../../run/context.ts";
import { isWithoutAccounts } from "../../run/server-type-hints.ts";
import { metadataLines, signOfOtherServer } from "../auth/find-server.ts";
import { testClient } from "../auth/verify-login.ts";
import { type Finding, asNote, findingOf, fine, note, wrong } from "./finding.ts";

/** Runs all checks that need the server's URL. `proofToken` is an active token of the application, or null. */
export async function checkService(context: Context, proofToken: string | null): Promise<readonly Finding[]> {
  const { settings, serverType, server, host } = context;
  if (settings.baseUrl === undefined) {
    const hint = "Run `grantctl auth login`, or set --base-url or GRANTCTL_BASE_URL.";
    return [note("address", "no base URL is configured", hint)];
  }
  const sentAt = host.now();
  let response: RawResponse;
  try {
    // Any response of an OAuth 2.0 server tells the connection and the clock; its metadata is read later, once.
    response = await server.connections.sendProbe(null, serverType.publishesMetadata ? "/" : undefined);
  } catch (error) {
    const finding = findingOf("server", error);
    return [{ ...finding, fix: finding.fix ?? "Check the URL, and that no firewall or proxy blocks it." }];
  }
  const reached = [checkConnection(response, context), checkClock(response, sentAt, host.now())];
  if (serverType.publishesMetadata)
    return [...reached, ...(await checkAuthorizationServer(proofToken, context))];
  const { finding, lacksAccounts } = await checkServerType(context);
  const isWithout = lacksAccounts || isWithoutAccounts(serverType, server.origin());
  return [
    ...reached,
    finding,
    ...(isWithout ? [] : await checkAccount(context)),
    await checkApplication(proofToken, context),
  ];
}

/** Another server is only a note: without credentials, a gateway may answer in front of the API. */
function checkConnection(response: RawResponse, { server, serverType, host }: Context): Finding {
  const { href, root, isInsecure } = server.origin();
  if (isInsecure) return note("server", `${href} is plain http`, "Use an https URL.");
  const proxy = proxyFor(root, host.environment);
  const how = root.startsWith("https:") ? "TLS handshake done, certificate verified" : "connected";
  const exempt = proxy === null || proxy.exempt === "" ? "" : `, except for ${proxy.exempt}`;
  const connected = `${href}: ${how}${proxy === null ? "" : `; proxy ${proxy.url}, from ${proxy.variable}${exempt}`}`;
  const sign = serverType.publishesMetadata ? null : signOfOtherServer(response);
  return sign === null
    ? fine("server", connected)
    : note("server", `${connected}, but ${sign}`, otherAddressHint);
}

const otherAddressHint = "Set --base-url to the URL of the API.";

/** A code from an authenticator application is valid for its half minute and for the next one. */
const codePeriodMs = 30_000;

/** A difference that proves nothing: the header has whole seconds, and the response took time to arrive. */
const unavoidableMs = 2000;

function checkClock({ headers }: RawResponse, sentAt: number, receivedAt: number): Finding {
  const date = Date.parse(headers["date"] ?? "");
  if (Number.isNaN(date)) return note("clock", "the server does not send its time");
  const isBehind = date > receivedAt + unavoidableMs;
  if (!isBehind && date >= sentAt - unavoidableMs) return fine("clock", "in sync with the server's");
  const offMs = isBehind ? date - receivedAt : sentAt - date;
  const message = `this clock is ${Math.round(offMs / 1000)} s ${isBehind ? "behind" : "ahead of"} the server's`;
  const advice = "Synchronize the clock of this machine: the server";
  return offMs < codePeriodMs
    ? note("clock", message, `${advice} may occasionally reject its one-time passwords.`)
    : wrong("clock", "otp", message, `${advice} rejects its one-time passwords.`);
}

/** Compares the configured server type with that of the server. Sends no credentials. */
async function checkServerType({ server, serverType }: Context) {
  try {
    const facts = await fetchServerFacts(await server.tokenService(null));
    return { finding: compare(serverType, facts), lacksAccounts: facts !== null && facts.version === null };
  } catch (error) {
    return { finding: findingOf("server type", error), lacksAccounts: false };
  }
}

function compare({ name, supportsMeta }: ServerType, facts: ServerFacts | null): Finding {
  const check = "server type";
  if (facts === null)
    return supportsMeta
      ? note(
          check,
          `${name}, but the server does not identify itself as github.com or Enterprise Server 3`,
          "Run `grantctl auth status --verbose` to see where the server type comes from.",
        )
      : fine(check, `${name}; the server does not indicate another one`);
  const server = serverName(facts.version);
  if (!supportsMeta) {
    const hint = "Run `grantctl config set server_type github`.";
    return wrong(check, "usage", `${name}, but the server is ${server}`, hint);
  }
  if (facts.version === null)
    return note(check, `${name}: ${server}, without operations for grants and authorizations`);
  if (facts.acceptsPasswords) return fine(check, `${name}: ${server}`);
  return note(
    check,
    `${name}: ${server}, which authenticates accounts with SAML, CAS or LDAP and does not accept passwords`,
    "Run `grantctl auth login --app` or `grantctl auth login --with-token`.",
  );
}

/** Sends a request with the account's credentials, if they are available without a prompt. */
async function checkAccount({ server, settings }: Context): Promise<readonly Finding[]> {
  const username = settings.username?.value ?? "";
  const place = server.logins.places("password", username).find(({ isSet }) => isSet);
  if (username === "" || place === undefined || place.source === "prompt")
    return [note("account", "no user name and password to try", "Run `grantctl auth login`.")];
  try {
    const response = await server.connections.sendProbe({ username, password: await place.read() });
    const words = challengeWords(response.headers);
    const account = judgeAccount(response, username, words.length > 0);
    const isAskedForCode = account.status === "fine" && words.length > 0;
    return isAskedForCode ? [account, checkHeaderWord(words, headerWordOf(settings))] : [account];
  } catch (error) {
    return [findingOf("account", error)];
  }
}

function judgeAccount(response: RawResponse, username: string, wantsCode: boolean): Finding {
  const { status } = response;
  const accepted = `the server accepts the password of ${username}`;
  if (wantsCode) return fine("account", `${accepted} and requires a one-time password`);
  const sign = signOfOtherServer(response);
  if (sign !== null && status < 500)
    return wrong("account", "protocol", `this is not the API: ${sign}`, otherAddressHint);
  if (status === 200) return fine("account", accepted);
  if (status !== 401 && status !== 404)
    return note("account", `the server responded to ${username} with status ${status}`);
  return wrong(
    "account",
    status === 401 ? "authentication" : "not-found",
    `the server rejects the password of ${username}`,
    "Run `grantctl auth status` to see where the password comes from, or `grantctl auth login` to log in again.",
  );
}

/** Compares the configured word with those in the server's challenge for a one-time password. */
function checkHeaderWord(words: readonly string[], configured: string): Finding {
  if (words.some((word) => word.toLowerCase() === configured.toLowerCase()))
    return fine("header word", configured);
  const sentAt = spellHeaderWord(words[0] ?? "");
  return wrong(
    "header word",
    "usage",
    `the server challenges with X-${sentAt}-OTP, but the header word is ${configured}`,
    `Run \`grantctl config set header_word ${sentAt}\`.`,
  );
}

/** The client ID, if its secret is available without a prompt; a finding otherwise. */
function applicationToTry({ server, settings }: Context): string | Finding {
  const clientId = settings.clientId?.value;
  const places = clientId === undefined ? [] : server.logins.places("client-secret", clientId);
  const source = places.find(({ isSet }) => isSet)?.source ?? "prompt";
  return clientId === undefined || source === "prompt"
    ? note("application", "no client ID and secret to try", "Run `grantctl auth login --app`.")
    : clientId;
}

/** Checks the proof token with the application's credentials: without an active token, they cannot be tested. */
async function checkApplication(proofToken: string | null, context: Context): Promise<Finding> {
  const clientId = applicationToTry(context);
  if (typeof clientId !== "string") return clientId;
  if (proofToken === null)
    return note(
      "application",
      `${clientId}: not tested`,
      "Run `grantctl doctor --proof-token-file active.txt` with one of its active tokens in that file.",
    );
  try {
    const { service } = await context.server.applicationService();
    const { checkToken } = await import("../../api/tokens.ts");
    await checkToken(service, clientId, proofToken);
    return fine("application", `the server accepts the credentials of ${clientId}`);
  } catch (error) {
    return findingOf("application", error);
  }
}

async function checkAuthorizationServer(
  proofToken: string | null,
  context: Context,
): Promise<readonly Finding[]> {
  try {
    const metadata = await context.server.metadata();
    const endpoints = metadata === null ? [] : checkEndpoints(metadata, context);
    // The client would be tried there.
    const hasWrong = endpoints.some(({ check }) => check === "introspection endpoint");
    return [
      metadata === null
        ? note(
            "metadata",
            "the server publishes none",
            "Set introspection_path and revocation_path, or check --base-url.",
          )
        : fine("metadata", withoutMarks(metadataLines(metadata).join("; "))),
      ...endpoints,
      ...(hasWrong ? [] : await checkClient(proofToken, context)),
    ];
  } catch (error) {
    const finding = findingOf("metadata", error);
    // Endpoints with a path by hand can be used all the same.
    const isNeeded = context.settings.introspectionPath === undefined || !isUnusableMetadata(error);
    return isNeeded ? [finding] : [asNote(finding), ...(await checkClient(proofToken, context))];
  }
}

/** The endpoints of the metadata that commands reject, such as those on another host. */
function checkEndpoints(metadata: ServerMetadata, { server, settings }: Context): readonly Finding[] {
  const used: readonly EndpointName[] = [
    ...(settings.introspectionPath === undefined ? (["introspection"] as const) : []),
    ...(settings.revocationPath === undefined ? (["revocation"] as const) : []),
    "userinfo",
  ];
  return used.flatMap((name) => {
    try {
      endpointPath(metadata, name, server.origin());
      return [];
    } catch (error) {
      const finding = findingOf(`${name} endpoint`, error);
      return [name === "userinfo" ? asNote(finding) : finding];
    }
  });
}

async function checkClient(proofToken: string | null, context: Context): Promise<readonly Finding[]> {
  const clientId = applicationToTry(context);
  if (typeof clientId !== "string") return [clientId];
  try {
    const { isVerified, refusal } = await testClient(await context.server.applicationService(), proofToken);
    if (!isVerified)
      return [
        note("application", `${clientId}: not tested, because the server has no introspection endpoint`),
      ];
    const client = fine("application", `the server accepts the credentials of ${clientId}`);
    if (proofToken === null) return [client];
    const tokens =
      refusal === null
        ? fine("tokens", "the server shows this client its own tokens")
        : wrong("tokens", refusal.kind, refusal.message, withoutMarks(refusal.details.hint ?? ""));
    return [client, tokens];
  } catch (error) {
    return [findingOf("application", error)];
  }
}
