// The checks of `doctor` at the server: that it responds, TLS and proxy, the clock, the server type, the header word, and the
// credentials; at an OAuth 2.0 server its metadata, and that it accepts the client. If the server needs another
// server type, the finding names the setting.
import { endpointPath, isUnusableMetadata, type ServerMetadata } from "../../api/authorization-server.ts";
import { type ServerFacts, fetchServerFacts } from "../../api/meta.ts";
import { proxyFor } from "../../config/proxy.ts";
import { headerWordOf } from "../../config/settings.ts";
import { withoutMarks } from "../../errors/foreign.ts";
import { isWebPage } from "../../errors/not-found.ts";
import type { BasicCredentials } from "../../http/authorization.ts";
import { spellHeaderWord, challengeWords } from "../../http/one-time-password.ts";
import type { Origin } from "../../http/origin.ts";
import type { EndpointName, RawResponse } from "../../http/request.ts";
import { readJson } from "../../json/exact-json.ts";
import { type ServerType, serverName } from "../../server-types.ts";
import type { Context } from "../../run/context.ts";
import { isWithoutAccounts } from "../../run/server-type-hints.ts";
import { metadataLines, testClient } from "../auth/oauth-login.ts";
import { type Finding, asNote, findingOf, fine, note, wrong } from "./finding.ts";

/** Runs all checks that need the server's URL. Skips checks that depend on a failed one. */
export async function checkService(context: Context, proofToken: string | null): Promise<readonly Finding[]> {
  const { settings } = context;
  if (settings.baseUrl === undefined) {
    const hint = "Run `grantctl auth login`, or set --base-url or GRANTCTL_BASE_URL.";
    return [note("address", "no base URL is configured", hint)];
  }
  let origin: Origin;
  try {
    origin = context.server.origin();
  } catch (error) {
    return [findingOf("address", error)];
  }
  const before = [
    origin.isInsecure
      ? note("address", `${origin.href} is plain http`, "Use an https URL.")
      : fine("address", origin.href),
    checkProxy(origin, context),
    checkAuthorities(origin, context),
  ];
  const sentAt = context.host.now();
  let response: RawResponse;
  try {
    response = await context.server.connections.sendProbe(
      null,
      // Any response tells the connection and the clock; the metadata is read later, once.
      context.serverType.publishesMetadata ? "/" : undefined,
    );
  } catch (error) {
    const finding = findingOf("connection", error);
    const fix = finding.fix ?? "Check the URL, and that no firewall or proxy blocks it.";
    return [...before, { ...finding, fix }];
  }
  const isSecure = origin.root.startsWith("https:");
  const connected = isSecure ? "TLS handshake done, certificate verified" : "connected";
  const clock = checkClock(response, sentAt, context.host.now());
  if (context.serverType.publishesMetadata) {
    const metadata = await checkAuthorizationServer(context, proofToken);
    return [...before, fine("connection", connected), clock, ...metadata];
  }
  const { finding, lacksAccounts } = await checkServerType(context);
  return [
    ...before,
    checkConnection(response, connected),
    clock,
    finding,
    ...(lacksAccounts || isWithoutAccounts(context.serverType, origin)
      ? []
      : await checkCredentials(headerWordOf(settings), context)),
  ];
}

/** A web page is only a note: without credentials, a gateway may show one in front of the API. */
function checkConnection(response: RawResponse, connected: string): Finding {
  const sign = signOfOtherServer(response);
  return sign === null
    ? fine("connection", connected)
    : note("connection", `${connected}, and ${sign}`, otherAddressHint);
}

function checkProxy({ root }: Origin, { host }: Context): Finding {
  try {
    const proxy = proxyFor(root, host.environment);
    if (proxy === null) return fine("proxy", "none");
    const exempt = proxy.exempt === "" ? "" : `, except for the hosts in NO_PROXY: ${proxy.exempt}`;
    return fine("proxy", `${proxy.url}, from ${proxy.variable}${exempt}`);
  } catch (error) {
    return findingOf("proxy", error);
  }
}

function checkAuthorities({ root }: Origin, { settings, host }: Context): Finding {
  if (!root.startsWith("https:")) return fine("certificates", "not used for plain http");
  const { caCert, clientCert } = settings;
  const more = host.environment["NODE_EXTRA_CA_CERTS"];
  const trusted =
    caCert === undefined
      ? `the authorities of Node.js${more === undefined ? "" : ` and those in ${more}`}`
      : `only the authorities in ${caCert.value}`;
  const own = clientCert === undefined ? "" : `; client certificate ${clientCert.value}`;
  return fine("certificates", `${trusted}${own}`);
}

/** Sends a request with the account's credentials, if they are available without a prompt. */
async function checkCredentials(headerWord: string, context: Context): Promise<readonly Finding[]> {
  let credentials: BasicCredentials | null;
  try {
    credentials = await findCredentials(context);
  } catch (error) {
    return [findingOf("account", error)];
  }
  if (credentials === null) {
    return [
      note("account", "no user name and password to try", "Run `grantctl auth login`."),
      note("header word", `${headerWord}, not checked, because that requires the account's credentials`),
    ];
  }
  try {
    const response = await context.server.connections.sendProbe(credentials);
    const sign = signOfOtherServer(response);
    if (sign !== null) return [wrong("account", "protocol", sign, otherAddressHint)];
    const words = challengeWords(response.headers);
    return [
      checkStatus(response.status, words.length > 0, credentials.username),
      checkHeaderWord(words, headerWord, response),
    ];
  } catch (error) {
    return [findingOf("account", error)];
  }
}

async function findCredentials({ server: { logins }, settings }: Context): Promise<BasicCredentials | null> {
  const username = settings.username?.value;
  if (username === undefined) return null;
  const source = logins.secretSources("password", username).find(({ state }) => state === "set");
  return source === undefined || source.source === "prompt"
    ? null
    : { username, password: await source.read() };
}

function checkStatus(status: number, wantsCode: boolean, username: string): Finding {
  if (status === 200) return fine("account", `the server accepts the password of ${username}`);
  if (wantsCode)
    return fine("account", `the server accepts the password of ${username} and requires a one-time password`);
  const hint =
    "Run `grantctl auth status` to see where the password comes from, or `grantctl auth login` to log in again.";
  if (status === 401)
    return wrong("account", "authentication", `the server rejects the password of ${username}`, hint);
  if (status === 404)
    return wrong("account", "not-found", `the server rejected the password for ${username}`, hint);
  return note("account", `the server responded to ${username} with status ${status}`);
}

/**
 * Compares the configured server type with that of the server. `lacksAccounts` is true for a server without account
 * operations. Sends no credentials.
 */
async function checkServerType({
  server,
  serverType,
}: Context): Promise<{ readonly finding: Finding; readonly lacksAccounts: boolean }> {
  try {
    const facts = await fetchServerFacts(await server.tokenService(null));
    return { finding: compare(serverType, facts), lacksAccounts: facts !== null && facts.version === null };
  } catch (error) {
    return { finding: findingOf("server type", error), lacksAccounts: false };
  }
}

function compare(serverType: ServerType, facts: ServerFacts | null): Finding {
  if (facts === null) {
    return serverType.supportsMeta
      ? note(
          "server type",
          `${serverType.name}, but the server does not identify itself as github.com or Enterprise Server 3`,
          "Run `grantctl auth status --verbose` to see where the server type comes from.",
        )
      : fine("server type", `${serverType.name}; the server does not indicate another one`);
  }
  const server = serverName(facts.version);
  if (!serverType.supportsMeta) {
    return wrong(
      "server type",
      "usage",
      `${serverType.name}, but the server is ${server}`,
      "Run `grantctl config set server_type github`.",
    );
  }
  if (facts.version === null)
    return note(
      "server type",
      `${serverType.name}: ${server}, without operations for grants and authorizations`,
    );
  return facts.acceptsPasswords
    ? fine("server type", `${serverType.name}: ${server}`)
    : note(
        "server type",
        `${serverType.name}: ${server}, which authenticates accounts with SAML, CAS or LDAP and does not accept passwords`,
        "Run `grantctl auth login --app` or `grantctl auth login --with-token`.",
      );
}

function isSame(first: string, second: string): boolean {
  return first.toLowerCase() === second.toLowerCase();
}

/** The header word, guessed from other headers of the server, or null. */
function guessWord({ headers }: RawResponse): string | null {
  for (const name of Object.keys(headers)) {
    const word = /^x-([a-z0-9-]+)-(?:request-id|media-type)$/.exec(name)?.[1];
    if (word !== undefined) return spellHeaderWord(word);
  }
  return null;
}

/** Compares the configured word with those in the server's challenge for a one-time password. */
function checkHeaderWord(words: readonly string[], configured: string, response: RawResponse): Finding {
  const [word] = words;
  if (word === undefined) {
    const guess = guessWord(response);
    if (guess !== null && !isSame(guess, configured)) {
      const message = `${configured}; other headers of the server begin with X-${guess}-`;
      return note("header word", message, `Run \`grantctl config set header_word ${guess}\`.`);
    }
    const reason = "not verified, because the server did not require a one-time password";
    return note("header word", `${configured}; ${reason}`);
  }
  if (words.some((other) => isSame(other, configured))) return fine("header word", configured);
  const sentAt = spellHeaderWord(word);
  return wrong(
    "header word",
    "usage",
    `the server challenges with X-${sentAt}-OTP, but the header word is ${configured}`,
    `Run \`grantctl config set header_word ${sentAt}\`.`,
  );
}

const otherAddressHint = "Set --base-url to the URL of the API.";

/** The evidence that the server is not the API, as a clause; null if the response may be the API's. */
function signOfOtherServer(response: RawResponse): string | null {
  const { status, body } = response;
  if (status === 404 && isWebPage(response)) return "this server is not the API: its 404 is a web page";
  if (status >= 300 && status < 400)
    return `the base URL redirects elsewhere (status ${status}); grantctl does not follow redirects`;
  return status === 200 && !isList(body) ? "this server is not the API: its response is not a list" : null;
}

function isList(body: Buffer): boolean {
  try {
    return Array.isArray(readJson(body));
  } catch {
    return false;
  }
}

/** A code from an authenticator application is valid for its half minute and for the next one. */
const codePeriodMs = 30_000;

/** A difference that proves nothing: the header has whole seconds, and the response took time to arrive. */
const unavoidableMs = 2000;

function checkClock({ headers }: RawResponse, sentAt: number, receivedAt: number): Finding {
  const date = Date.parse(headers["date"] ?? "");
  if (Number.isNaN(date)) return note("clock", "the server does not send its time");
  const offMs =
    date < sentAt - unavoidableMs ? date - sentAt : date > receivedAt + unavoidableMs ? date - receivedAt : 0;
  if (offMs === 0) return fine("clock", "in sync with the server's");
  const message = `this clock is ${Math.round(Math.abs(offMs) / 1000)} s ${offMs > 0 ? "behind" : "ahead of"} the server's`;
  const advice = "Synchronize the clock of this machine: the server";
  return Math.abs(offMs) < codePeriodMs
    ? note("clock", message, `${advice} may occasionally reject its one-time passwords.`)
    : wrong("clock", "otp", message, `${advice} rejects its one-time passwords.`);
}

/** `proofToken` is an active token of the client, to see whether the server shows it; null for none. */
async function checkAuthorizationServer(
  context: Context,
  proofToken: string | null,
): Promise<readonly Finding[]> {
  try {
    const metadata = await context.server.metadata();
    const text = withoutMarks(metadataLines(metadata).join("; "));
    const finding =
      metadata === null
        ? note("metadata", text, "Set introspection_path and revocation_path, or check --base-url.")
        : fine("metadata", text);
    const endpoints = checkEndpoints(metadata, context);
    // The client would be tried there.
    const hasWrong = endpoints.some(({ check }) => check === "introspection endpoint");
    return [finding, ...endpoints, ...(hasWrong ? [] : await checkClient(context, proofToken))];
  } catch (error) {
    const finding = findingOf("metadata", error);
    // Endpoints with a path by hand can be used all the same.
    const isNeeded = context.settings.introspectionPath === undefined || !isUnusableMetadata(error);
    return isNeeded ? [finding] : [asNote(finding), ...(await checkClient(context, proofToken))];
  }
}

/** The endpoints of the metadata that commands reject, such as those on another host. */
function checkEndpoints(metadata: ServerMetadata | null, { server, settings }: Context): readonly Finding[] {
  if (metadata === null) return [];
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

async function checkClient(context: Context, proofToken: string | null): Promise<readonly Finding[]> {
  const { server, settings } = context;
  const clientId = settings.clientId?.value;
  const secrets = clientId === undefined ? [] : server.logins.secretSources("client-secret", clientId);
  const source = secrets.find(({ state }) => state === "set");
  if (clientId === undefined || source === undefined || source.source === "prompt")
    return [note("client", "no client ID and secret to try", "Run `grantctl auth login --app`.")];
  try {
    const { isVerified, refusal } = await testClient(await server.applicationService(), proofToken);
    if (!isVerified)
      return [note("client", `${clientId}: not verified, because the server has no introspection endpoint`)];
    const client = fine("client", `the server accepts the credentials of ${clientId}`);
    if (proofToken === null) return [client];
    const tokens =
      refusal === null
        ? fine("tokens", "the server shows this client its own tokens")
        : wrong("tokens", refusal.kind, refusal.message, withoutMarks(refusal.details.hint ?? ""));
    return [client, tokens];
  } catch (error) {
    return [findingOf("client", error)];
  }
}
