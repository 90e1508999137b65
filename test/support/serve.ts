// The suite's one double of a server: msw handlers behind a loopback socket, because grantctl brings its own HTTP client and
// must not know that it is tested. Every request is recorded. A request that no handler answers gets a 500 and fails the
// test, and so nothing that grantctl sends goes unnoticed.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { getResponse, http, HttpResponse, type HttpHandler } from "msw";
import { parseJson } from "../../src/json.ts";

export interface ServedRequest {
  readonly method: string;
  /** Path and query as sent, not decoded. */
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  /** Requests that were in flight at the same time have the same number; their order is not fixed. */
  readonly batch: number;
  /** Who sent it: a user name, a client ID, `token …12345678` or `nobody`. */
  readonly sender: string;
  /** The status that was answered; null without an answer. */
  status: number | null;
  json(): unknown;
}

export interface Server {
  /** `http://127.0.0.1:port`. */
  readonly root: string;
  readonly requests: readonly ServedRequest[];
  /** Method and path of each request, in order. */
  lines(): readonly string[];
  /** The requests that may change something. */
  writes(): readonly ServedRequest[];
  /** Answers with these handlers only, and forgets the recorded requests. */
  reset(...handlers: readonly HttpHandler[]): void;
  /** Requests that no handler answered. */
  unhandled(): readonly string[];
  close(): Promise<void>;
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "ALL";
type Respond = (request: ServedRequest, position: number) => Response | Promise<Response>;

const methods = {
  GET: http.get,
  POST: http.post,
  PUT: http.put,
  PATCH: http.patch,
  DELETE: http.delete,
  ALL: http.all,
} as const;

/** The recorded request of each request that msw sees. */
const recorded = new WeakMap<Request, ServedRequest>();

/**
 * A handler of one operation: `on("GET /authorizations/:id", json(200, {...}), …)`, of one page with "GET /authorizations?page=2", or of all with "ALL /*". Several answers are given in order, and
 * the last one again; a function gets the request and how many came before it.
 */
export function on(
  operation: `${Method} /${string}`,
  ...answers: readonly [Response | Respond, ...(Response | Respond)[]]
): HttpHandler {
  const [method = "", path = "", query = ""] = operation.split(/[ ?]/);
  const asked = [...new URLSearchParams(query)];
  let position = 0;
  return methods[method as Method](`*${path}`, ({ request }) => {
    const { searchParams } = new URL(request.url);
    if (asked.some(([name, value]) => searchParams.get(name) !== value)) return undefined;
    const answer = answers[Math.min(position, answers.length - 1)];
    const original = recorded.get(request);
    if (answer === undefined || original === undefined) return undefined;
    position += 1;
    return typeof answer === "function" ? answer(original, position - 1) : answer.clone();
  });
}

/** An answer with JSON. */
export function json(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return plain(status, JSON.stringify(body), { "Content-Type": "application/json", ...headers });
}

/** An answer with a text, by default none and no type. */
export function plain(status: number, body = "", headers: Readonly<Record<string, string>> = {}): Response {
  const response = new HttpResponse(body === "" ? null : body, { status, headers });
  if (headers["Content-Type"] === undefined) response.headers.delete("content-type");
  return response;
}

const wireHeader = "x-wire";

/** Closes the connection without an answer. */
export const cut = (): Response => new HttpResponse(null, { headers: { [wireHeader]: "cut" } });

/** Never answers. */
export const silent = (): Response => new HttpResponse(null, { headers: { [wireHeader]: "silent" } });

/** Starts a server; the caller closes it. */
export async function startServer(...initial: readonly HttpHandler[]): Promise<Server> {
  let handlers = [...initial];
  const requests: ServedRequest[] = [];
  const unhandled: string[] = [];
  let inFlight = 0;
  let batch = 0;
  const server = createServer((message, response) => {
    if (inFlight === 0) batch += 1;
    inFlight += 1;
    response.once("close", () => (inFlight -= 1));
    const own = batch;
    response.sendDate = false;
    void (async () => {
      const request = await record(message, own);
      requests.push(request);
      const seen = new Request(`${root}${request.path}`, {
        method: request.method,
        headers: headersOf(message),
        body:
          request.body === "" || request.method === "HEAD" || request.method === "GET" ? null : request.body,
      });
      recorded.set(seen, request);
      const answer = await getResponse(handlers, seen);
      if (answer !== undefined && !answer.headers.has(wireHeader)) request.status = answer.status;
      if (answer === undefined) unhandled.push(`${request.method} ${request.path}`);
      await send(answer ?? json(500, { message: "no handler answers this request" }), response);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    root,
    requests,
    lines: () => requests.map(({ method, path }) => `${method} ${path}`),
    writes: () => requests.filter(({ method }) => method !== "GET" && method !== "HEAD"),
    reset(...others) {
      handlers = [...others];
      requests.length = 0;
      unhandled.length = 0;
    },
    unhandled: () => unhandled,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function record(message: IncomingMessage, batch: number): Promise<ServedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString("utf8");
  return {
    method: message.method ?? "",
    path: message.url ?? "",
    headers: message.headers,
    body,
    batch,
    sender: senderOf(message.headers.authorization),
    status: null,
    json: () => parseJson(body),
  };
}

function senderOf(authorization = ""): string {
  const [scheme = "", value = ""] = authorization.split(" ");
  if (scheme === "Basic") return Buffer.from(value, "base64").toString("utf8").split(":")[0] ?? "";
  return value === "" ? "nobody" : `token …${value.slice(-8)}`;
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
  return headers;
}

async function send(answer: Response, response: ServerResponse): Promise<void> {
  const kind = answer.headers.get(wireHeader);
  if (kind === "silent") return;
  if (kind === "cut") response.socket?.destroy();
  else {
    const body = Buffer.from(await answer.arrayBuffer());
    response.writeHead(answer.status, [...answer.headers].flat());
    response.end(body);
  }
}
