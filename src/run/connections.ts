// The connections of a run: transports to its origin, and services on top of them with all layers. undici is loaded with
// the first connection.
import { headerForm } from "../config/setting-forms.ts";
import type { GlobalOptions } from "../config/global-options.ts";
import type { RunConfiguration } from "../config/configuration.ts";
import { settingTable, type Settings } from "../config/settings.ts";
import type { StandardInput } from "../credentials/standard-input.ts";
import { usageFailure } from "../errors/errors.ts";
import { typedWord } from "../errors/words.ts";
import { connect, type ServiceOptions } from "../http/connect.ts";
import { proxyFor, type Origin } from "../http/origin.ts";
import type { HttpRequest, RawResponse } from "../http/request.ts";
import type { Service } from "../http/service.ts";
import type { Transport } from "../http/transport.ts";
import { readInputFile } from "../system/reads.ts";
import { version, type Host } from "../system/host.ts";
import type { ServerType } from "../server-types.ts";
import type { Notices } from "../output/notices.ts";
import type { Progress } from "../output/progress.ts";
import type { Prompter } from "../prompt/prompter.ts";
import type { Redactor } from "../redaction.ts";

/** The objects that all parts of a run share, created once in context.ts. */
export interface RunParts {
  readonly host: Host;
  readonly options: GlobalOptions;
  readonly configured: RunConfiguration;
  readonly settings: Settings;
  readonly serverType: ServerType;
  readonly notices: Notices;
  /** Shows the progress of long work, on a terminal, unless --quiet. */
  readonly progress: Progress;
  /** Redacts the secrets that were added to it, in everything but results. */
  readonly redactor: Redactor;
  readonly standardInput: StandardInput;
  /** Prompts on the controlling terminal; every prompt fails with --no-input. */
  readonly prompter: Prompter;
}

/** Opens nothing yet. `origin` throws a usage failure if none is configured. */
export function createConnections(
  { host, options, settings, serverType, notices, progress, redactor }: RunParts,
  origin: () => Origin,
) {
  const transports = new Map<string, Promise<Transport>>();
  let isPartial = false;
  const warnOfPartialResults = (ids: readonly string[]): void => {
    const list = ids.length === 0 ? "" : `: ${ids.join(", ")}`;
    if (!isPartial) notices.warn(`the result omits organizations that require approval of this token${list}`);
    isPartial = true;
  };

  /** Including those that the user has configured. */
  const ownHeaders = (): HttpRequest["headers"] => ({
    ...standardHeaders,
    ...readHeaders((settings.headers?.value ?? "").split("\n").filter((line) => line.trim() !== "")),
  });

  const openTransport = async (root: string, isAnonymous: boolean): Promise<Transport> => {
    const tls = await readTlsFiles(settings, isAnonymous);
    host.runtime.tuneEngine();
    const proxy = proxyFor(root, host.environment);
    if (proxy !== null && proxy.credentials !== null) redactor.addLogin(proxy.credentials);
    const { createTransport } = await import("../http/transport.ts");
    const { timeout, concurrency } = options;
    return createTransport({ root, timeoutMs: timeout * 1000, tls, proxy, concurrency });
  };
  /** All services share their connections, so that a list of tokens, each with a service, opens few. */
  const transportTo = (root: string, isAnonymous: boolean): Promise<Transport> => {
    const key = `${isAnonymous} ${root}`;
    const transport = transports.get(key) ?? openTransport(root, isAnonymous);
    transports.set(key, transport);
    return transport;
  };

  return {
    /** Loads undici ahead of time, while the caller waits for something else. */
    prepare: () => import("../http/transport.ts"),
    /** A service with all layers. `isAnonymous`: without the client certificate and the configured headers. */
    async connect({
      isAnonymous = false,
      ...more
    }: ServiceOptions & { readonly isAnonymous?: boolean } = {}): Promise<Service> {
      const headerWord = settings.headerWord?.value ?? serverType.headerWord;
      const headers = isAnonymous ? standardHeaders : ownHeaders();
      const transport = await transportTo(origin().root, isAnonymous);
      const send = async (request: HttpRequest): Promise<RawResponse> => {
        const { root } = request.target;
        if (root === undefined || root === origin().root) return transport.send(request);
        // Another origin gets neither the client certificate nor the configured headers.
        const other = await transportTo(root, true);
        const { authorization, "content-type": type } = request.headers;
        const own = { ...(authorization && { authorization }), ...(type && { "content-type": type }) };
        return other.send({ ...request, headers: { ...standardHeaders, ...own } });
      };
      return connect(
        {
          origin: origin(),
          serverType,
          headerWord,
          headers,
          ...more,
          onPartialResults: warnOfPartialResults,
          trace: notices.isDebug ? (line) => notices.debug(line) : null,
          now: () => host.now(),
          sleep: progress.wait,
          random: Math.random,
        },
        send,
      );
    },
    /** True if a response of this run omitted organizations. */
    isPartial: () => isPartial,
    async close(): Promise<void> {
      for (const transport of transports.values()) await (await transport.catch(() => null))?.close();
    },
  };
}

/** The PEM texts, null if no file was named. Throws a usage failure for a file that cannot be read, or is not PEM. */
async function readTlsFiles(settings: Settings, isAnonymous: boolean) {
  if ((settings.clientCert === undefined) !== (settings.clientKey === undefined))
    throw usageFailure("client_cert and client_key must be set together");
  const read = async (name: "caCert" | "clientCert" | "clientKey"): Promise<string | null> => {
    const { value: path } = settings[name] ?? {};
    if (path === undefined) return null;
    const { key } = settingTable[name];
    const bytes = await readInputFile(path).catch((error: unknown) => {
      throw usageFailure(`${key}: cannot read ${typedWord(path)}: ${(error as Error).message}`);
    });
    const text = bytes.toString();
    const wanted = name === "clientKey" ? "KEY" : "CERTIFICATE";
    // Node would ignore a text without certificates.
    if (!new RegExp(`-----BEGIN [^-]*${wanted}-----[^]*-----END `).test(text))
      throw usageFailure(`${key}: ${path} contains no PEM ${wanted.toLowerCase()}`);
    return text;
  };
  return {
    ca: await read("caCert"),
    cert: isAnonymous ? null : await read("clientCert"),
    key: isAnonymous ? null : await read("clientKey"),
  };
}

/** Headers that a user cannot set, because they frame the request or carry credentials. */
const reserved = new Set(
  "authorization connection content-length content-type cookie expect host keep-alive proxy-authorization te trailer transfer-encoding upgrade".split(
    " ",
  ),
);

const standardHeaders = {
  accept: "application/json",
  "accept-encoding": "identity",
  "user-agent": `grantctl/${version}`,
};

/** Reads headers of the form `Name: value`; the last of a name wins. Throws a usage failure for an invalid one. */
export function readHeaders(lines: readonly string[]): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, name = "", value = ""] = headerForm.exec(line) ?? [];
    if (name === "") throw usageFailure("a header must have the form 'Name: value', in plain ASCII text");
    if (reserved.has(name.toLowerCase()) || /-otp$/i.test(name))
      throw usageFailure(`the header ${name} cannot be set`);
    headers[name.toLowerCase()] = value.trim();
  }
  return headers;
}
