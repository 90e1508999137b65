// The connections of a run: transports to its origin, and services on top of them. undici is loaded with the first
// connection. A service stacks these layers over a transport, the nearest to the caller first:
//
//   retry            repeats reads, and whatever a limit rejected (waiting.ts)
//   responses        turns statuses into failures (responses.ts)
//   single sign-on   turns a required approval into a failure (responses.ts)
//   one-time codes   repeats a request that a 401 asks a code for (one-time-password.ts)
//   client           authenticates the client of an OAuth 2.0 server (authorization.ts)
//   trace            with --debug, logs method, path template, status, sizes and time, but never a path, a query, header
//                    values or bodies
//   intent           writes the intent to disk before the request is sent, and the response before other layers read it
import { settingTable, type Settings } from "../config/settings.ts";
import { Failure, isFailure, usageFailure } from "../errors/errors.ts";
import { typedWord } from "../errors/words.ts";
import { clientLayer, type Client } from "../http/authorization.ts";
import { readHeaders } from "../http/headers.ts";
import type { OneTimePasswords } from "../credentials/one-time-passwords.ts";
import { oneTimePasswordLayer } from "../http/one-time-password.ts";
import { buildTarget, proxyFor, type Origin } from "../http/origin.ts";
import { formType, type HttpRequest, type Layer, type RawResponse, type Send } from "../http/request.ts";
import { errorResponsesLayer, singleSignOnLayer } from "../http/responses.ts";
import type { Call, Endpoints, Service } from "../http/service.ts";
import type { Transport } from "../http/transport.ts";
import { retryLayer, type LimitWaits } from "../http/waiting.ts";
import { toJson } from "../json.ts";
import { readInputFile } from "../system/reads.ts";
import { version } from "../system/host.ts";
import type { RunParts } from "./context.ts";
import type { ServerType } from "../server-types.ts";

/** The options in which the services of a run differ. Without any of them, requests carry no credentials. */
interface ServiceOptions {
  readonly authorization?: string;
  /** A client of an OAuth 2.0 server, instead of `authorization`. */
  readonly client?: Client;
  readonly endpoints?: Endpoints;
  /** Absent for an application's credentials and for tokens, which need no one-time password. */
  readonly oneTimePasswords?: OneTimePasswords;
  /** Without the client certificate and the configured headers. */
  readonly isAnonymous?: boolean;
}

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

  /** Opens nothing yet. `origin` throws a usage failure if none is configured. */
  constructor(run: RunParts, origin: () => Origin) {
    this.#run = run;
    this.#origin = origin;
  }

  async connect({ isAnonymous = false, ...options }: ServiceOptions = {}): Promise<Service> {
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

// ---- A service and its layers

interface LayerOptions extends ServiceOptions {
  readonly origin: Origin;
  readonly serverType: ServerType;
  readonly headerWord: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly onPartialResults: (organizationIds: readonly string[]) => void;
  readonly waits: LimitWaits;
  /** Null without --debug. */
  readonly trace: ((line: string) => void) | null;
  readonly now: () => number;
}

export function createService(options: LayerOptions, transport: Send): Service {
  const { headerWord, oneTimePasswords, client, trace, now } = options;
  const layers = [
    retryLayer(options.waits, trace),
    errorResponsesLayer(headerWord, now),
    singleSignOnLayer(headerWord, options.onPartialResults),
    ...(oneTimePasswords === undefined ? [] : [oneTimePasswordLayer(headerWord, oneTimePasswords)]),
    ...(client === undefined ? [] : [clientLayer(client)]),
    ...(trace === null ? [] : [traceLayer(trace, now)]),
    intentLayer,
  ];
  const send = layers.reduceRight((next, layer) => layer(next), transport);
  return {
    serverType: options.serverType,
    endpoints: options.endpoints ?? null,
    async exchange(call) {
      const request = buildRequest(call, options);
      return { request, response: await send(request) };
    },
  };
}

function buildRequest(
  { template, target, parameters, query, body, form, headers = {}, ...call }: Call,
  { origin, headers: standing, authorization }: LayerOptions,
): HttpRequest {
  const json = typeof body === "object" ? toJson(body, 0) : (body ?? null);
  const text = form === undefined ? json : new URLSearchParams(form).toString();
  const type = { "content-type": form === undefined ? "application/json" : formType };
  return {
    ...call,
    target:
      target === undefined
        ? buildTarget(origin, template, parameters, query)
        : endpointTarget(target, template),
    headers: {
      ...standing,
      ...(text === null ? {} : type),
      ...headers,
      ...(authorization === undefined ? {} : { authorization }),
    },
    body: text,
  };
}

/** The target for a path on the origin, or for the URL of an endpoint elsewhere. */
function endpointTarget(target: string, template: string): HttpRequest["target"] {
  if (target.startsWith("/")) return { path: target, template };
  const { origin, pathname, search } = new URL(target);
  return { path: `${pathname}${search}`, template, root: origin };
}

const intentLayer: Layer = (next) => async (request) => {
  const { intent } = request;
  if (intent === undefined) return next(request);
  await intent.beforeSending();
  try {
    const response = await next(request);
    await intent.keepResponse(response.status, response.body);
    return response;
  } catch (error) {
    const received = isFailure(error) ? error.details.received : undefined;
    if (received !== undefined) await intent.keepResponse(received.status, received.body);
    throw error;
  }
};

/** Calls `write` with one line per request, after its response or failure. `now` is in milliseconds. */
function traceLayer(write: (line: string) => void, now: () => number): Layer {
  return (next) => async (request) => {
    const started = now();
    const end = (outcome: string): void => {
      const sent = Buffer.byteLength(request.body ?? "");
      const taken = Math.round(now() - started);
      write(`${request.method} ${request.target.template} → ${outcome}, sent ${sent} B, ${taken} ms`);
    };
    try {
      const response = await next(request);
      end(`${response.status}, received ${response.body.length} B`);
      return response;
    } catch (error) {
      end(`no response${error instanceof Failure ? `: ${error.message}` : ""}`);
      throw error;
    }
  };
}
