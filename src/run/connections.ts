// The connections of a run: transports to its origin, and services on top of them. undici is loaded with the first
// connection.
import { settingTable, type Settings } from "../config/settings.ts";
import { usageFailure } from "../errors/errors.ts";
import { typedWord } from "../errors/words.ts";
import { readHeaders } from "../http/headers.ts";
import { proxyFor, type Origin } from "../http/urls.ts";
import type { HttpRequest, RawResponse } from "../http/request.ts";
import { createService, type Service, type ServiceOptions } from "../http/service.ts";
import type { Transport } from "../http/transport.ts";
import { readInputFile } from "../system/reads.ts";
import { version } from "../system/host.ts";
import type { RunParts } from "./context.ts";

const standardHeaders = {
  accept: "application/json",
  "accept-encoding": "identity",
  "user-agent": `grantctl/${version}`,
};

/** All services share their transports, so that a list of tokens, each with a service, opens few connections. */
export class Connections {
  readonly #run: RunParts;
  readonly #origin: () => Origin;
  readonly #transports = new Map<string, Promise<Transport>>();
  /** True if a response of this run omitted organizations. */
  hasPartialResults = false;

  /** Opens nothing yet. `origin` throws an authentication failure if none is configured. */
  constructor(run: RunParts, origin: () => Origin) {
    this.#run = run;
    this.#origin = origin;
  }

  /** `isAnonymous`: without the client certificate and the configured headers. */
  async connect({
    isAnonymous = false,
    ...options
  }: ServiceOptions & { readonly isAnonymous?: boolean } = {}): Promise<Service> {
    const { host, notices, waits, serverType, settings } = this.#run;
    const own = (settings.headers?.value ?? "").split("\n").filter((line) => line.trim() !== "");
    const service = {
      ...options,
      origin: this.#origin(),
      serverType,
      headerWord: settings.headerWord?.value ?? serverType.headerWord,
      headers: isAnonymous ? standardHeaders : { ...standardHeaders, ...readHeaders(own) },
      onPartialResults: this.#warnOfPartialResults,
      trace: notices.isDebug ? (line: string) => notices.debug(line) : null,
      now: () => host.now(),
      waits,
    };
    const transport = await this.#transportTo(this.#origin().root, isAnonymous);
    return createService(service, (request) => this.#send(request, transport));
  }

  async #send(request: HttpRequest, transport: Transport): Promise<RawResponse> {
    const { root } = request.target;
    if (root === undefined || root === this.#origin().root) return transport.send(request);
    // Another origin gets neither the client certificate nor the configured headers.
    const other = await this.#transportTo(root, true);
    const { authorization, "content-type": type } = request.headers;
    const own = { ...(authorization && { authorization }), ...(type && { "content-type": type }) };
    return other.send({ ...request, headers: { ...standardHeaders, ...own } });
  }

  #transportTo(root: string, isAnonymous: boolean): Promise<Transport> {
    const key = `${isAnonymous} ${root}`;
    const transport = this.#transports.get(key) ?? this.#openTransport(root, isAnonymous);
    this.#transports.set(key, transport);
    return transport;
  }

  async #openTransport(root: string, isAnonymous: boolean): Promise<Transport> {
    const { host, options, settings, redactor } = this.#run;
    const { timeout, concurrency } = options;
    const tls = await readTlsFiles(settings, isAnonymous);
    const proxy = proxyFor(root, host.environment);
    if (proxy !== null && proxy.credentials !== null) redactor.addLogin(proxy.credentials);
    const { createTransport } = await import("../http/transport.ts");
    host.runtime.tuneEngine();
    return createTransport({ root, timeoutMs: timeout * 1000, tls, proxy, concurrency });
  }

  readonly #warnOfPartialResults = (ids: readonly string[]): void => {
    const list = ids.length === 0 ? "" : `: ${ids.join(", ")}`;
    if (!this.hasPartialResults)
      this.#run.notices.warn(`the result omits organizations that require approval of this token${list}`);
    this.hasPartialResults = true;
  };

  async close(): Promise<void> {
    for (const transport of this.#transports.values()) await (await transport.catch(() => null))?.close();
  }
}

/** The PEM texts of the files that are named. Throws a usage failure for a file that cannot be read, or is not PEM. */
async function readTlsFiles(settings: Settings, isAnonymous: boolean) {
  if ((settings.clientCert === undefined) !== (settings.clientKey === undefined))
    throw usageFailure("client_cert and client_key must be set together");
  const read = async (name: "caCert" | "clientCert" | "clientKey"): Promise<string | undefined> => {
    const { value: path } = settings[name] ?? {};
    if (path === undefined) return undefined;
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
  const ca = await read("caCert");
  return isAnonymous ? { ca } : { ca, cert: await read("clientCert"), key: await read("clientKey") };
}
