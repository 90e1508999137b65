// A sandbox that records the truth: every request, and every change that it made, with the created value. It misbehaves on
// demand: truncates a response, delays, rejects, or closes the connection before it changes anything. Tests compare the
// client's report with the record.
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { on as eventsOf, once } from "node:events";
import { existsSync } from "node:fs";
import { type IncomingMessage, STATUS_CODES } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import type { RequestHook } from "../../src/sandbox/service.ts";
import type { Details, Token } from "../../src/sandbox/store.ts";
import { plainSandbox } from "./account.ts";
import { credentials, environmentAt } from "./grantctl.ts";
import { tokenValue } from "./resources.ts";

type Fields = Readonly<Record<string, unknown>>;

/** By method and path, in which a group is the subject, if it is not in the body. */
const operations = {
  list: /^GET \/authorizations$/,
  view: /^GET \/authorizations\/([^/]+)$/,
  check: /^(?:GET \/applications\/[^/]+\/tokens\/|POST \/applications\/[^/]+\/token$)(.*)/,
  create: /^POST \/authorizations$/,
  "get-or-create": /^PUT \/authorizations\/clients\/(.+)$/,
  reset: /^(?:POST \/applications\/[^/]+\/tokens\/|PATCH \/applications\/[^/]+\/token$)(.*)/,
  revoke: /^DELETE \/applications\/[^/]+\/token(?:s\/|$)(.*)/,
  "revoke-grant": /^DELETE \/applications\/[^/]+\/grant(?:s\/|$)(.*)/,
  delete: /^DELETE \/authorizations\/([^/]+)$/,
  update: /^PATCH \/authorizations\/([^/]+)$/,
  user: /^GET \/user$/,
  "no such route": /^/,
} as const;

export type TruthOperation = keyof typeof operations;
export type TruthServerType = "service" | "github";
export type TruthRequest = ReturnType<typeof readRequest>;

/** A change that was made, with the value of a new token. */
export interface TruthWrite extends Pick<TruthRequest, "operation" | "subject" | "at"> {
  readonly value: string | null;
}

/** The fault of one request. */
export interface Fault {
  /** Delays processing. */
  readonly delayMs?: number;
  /** Delays processing until this file exists. */
  readonly afterFile?: string;
  /** Responds without processing. */
  readonly instead?: ResponseInit & { readonly body?: unknown };
  /** Processes the request and delays the response. */
  readonly delayAnswerMs?: number;
  /** Processes the request and replaces the response's bytes. */
  readonly rewrite?: (answer: Buffer) => Buffer;
  /** Processes the request, sends so many bytes of the response, and closes the connection. */
  readonly cutAt?: number;
}

/** Returns the fault of a request, if any; `position` counts requests from 0. */
export type FaultPlan = (request: TruthRequest, position: number) => Fault | undefined;

/** Plans the same fault for every request of one operation, and none for others. */
export function on(wanted: TruthOperation, fault: Fault): FaultPlan {
  return ({ operation }) => (operation === wanted ? fault : undefined);
}

/** A fault that changes a text in the response. */
export const rewriting = (from: string | RegExp, to: string): Fault => ({
  rewrite: (answer) => Buffer.from(answer.toString("latin1").replaceAll(from, to), "latin1"),
});

/** The plan for all requests but checks of tokens, which it does not count: a read precedes the first write of a token. */
export function ofWrites(plan: FaultPlan): FaultPlan {
  let position = -1;
  return (request) => (request.operation === "check" ? undefined : plan(request, (position += 1)));
}

export type TruthService = Awaited<ReturnType<typeof startTruthService>>;

/** Starts a service; it is closed after the test. */
export async function startTruthService(
  initial: FaultPlan = () => undefined,
  serverType: TruthServerType = "service",
) {
  const requests: TruthRequest[] = [];
  const writes: TruthWrite[] = [];
  const listeners: ((request: TruthRequest) => void)[] = [];
  /** Fields of responses, by ID, that differ from the sandbox's own: it has one person, and correct hashes. */
  const fixed = new Map<unknown, Fields>();
  let [plan, inFlight, added] = [initial, 0, 0];

  const onRequest: RequestHook = async ({ message, body }, inSandbox) => {
    inFlight += 1;
    const request = readRequest(message, body, requests.length);
    requests.push(request);
    const fault = plan(request, requests.length - 1) ?? {};
    for (const listen of listeners) listen(request);
    await sleep(fault.delayMs);
    while (fault.afterFile !== undefined && !existsSync(fault.afterFile)) await sleep(20);
    const { instead } = fault;
    const whole = await bytesOf(
      instead === undefined ? await carryOut(request, inSandbox) : toResponse(instead),
    );
    const bytes = fault.rewrite?.(whole) ?? whole;
    await sleep(fault.delayAnswerMs);
    // Raw bytes, so that truncated and complete responses are identical up to the cut; the connection is not reused.
    message.socket.end(bytes.subarray(0, fault.cutAt));
    inFlight -= 1;
    return RESPONSE_ALREADY_SENT;
  };

  /** Records what a request changed. */
  async function carryOut({ operation, subject, at }: TruthRequest, inSandbox: () => Promise<Response>) {
    const revoked = operation === "revoke-grant" ? store.findByValue(subject) : undefined;
    if (revoked !== undefined) {
      const ofSamePerson = store.tokens().filter(({ id }) => personOf(id) === personOf(revoked.id));
      for (const token of ofSamePerson) store.remove(token);
      writes.push({ operation, subject, at, value: null });
      return new Response(null, { status: 204 });
    }
    const response = await inSandbox();
    const text = await response.text();
    const body = (text === "" ? {} : JSON.parse(text, fix)) as Fields;
    const isFound = operation === "get-or-create" && response.status === 200;
    if (response.ok && !reads.has(operation) && !isFound)
      writes.push({ operation, subject, at, value: textOf(body["token"]) || null });
    return new Response(text === "" ? null : JSON.stringify(body), response);
  }

  const personOf = (id: number): unknown => (fixed.get(id)?.["user"] as Fields | undefined)?.["login"];
  const fix = (_: string, value: unknown): unknown =>
    typeof value === "object" && value !== null && "id" in value
      ? { ...value, ...fixed.get(value.id) }
      : value;

  const { store, server, description } = await startSandbox({
    ...plainSandbox,
    serverType,
    onRequest,
    credentials,
    grants: 0,
    authorizations: 0,
    firstId: 1001,
  });
  const root = description.base_url;
  const port = Number(new URL(root).port);

  async function stop(): Promise<void> {
    server.closeAllConnections();
    if (server.listening) await once(server.close(), "close");
  }
  onTestFinished(stop);

  function find(value: string): Token {
    const token = store.findByValue(value);
    if (token === undefined) throw new Error("not an active token");
    return token;
  }

  return {
    root,
    /** Configures grantctl to use this service, with credentials of the account and of the application. */
    environment: { ...environmentAt(root), GRANTCTL_SERVER_TYPE: serverType } as Readonly<
      Record<string, string>
    >,
    requests: requests as readonly TruthRequest[],
    writes: writes as readonly TruthWrite[],
    /** Creates an active token, of the application unless `app` is another, and returns its value. */
    addToken(fields: Fields = {}, value = tokenValue((added += 1))): string {
      const { note = "nightly backup", note_url = null, fingerprint = null, ...others } = fields;
      const { scopes = ["repo", "user"], app = { client_id: credentials.clientId } } = others;
      const isOwn = (app as Fields | null)?.["client_id"] === credentials.clientId;
      const details = { note, noteUrl: note_url, fingerprint, scopes } as Details;
      const { id } = store.add(value, isOwn ? (store.applications[0] ?? null) : null, details);
      fixed.set(id, others);
      return value;
    },
    isLive: (value: string): boolean => store.findByValue(value) !== undefined,
    idOf: (value: string): number => find(value).id,
    /** Note and fingerprint of an active token. */
    fieldsOf: (value: string): Fields => ({ note: find(value).note, fingerprint: find(value).fingerprint }),
    /** Calls back for every request, before it is processed. */
    onRequest: (listen: (request: TruthRequest) => void): void => void listeners.push(listen),
    /** Replaces the fault plan. */
    plan: (next: FaultPlan): void => void (plan = next),
    /** Resolves when all requests sent so far have been processed, even if their clients have disconnected. */
    async settled(): Promise<void> {
      // Connections are accepted in order, so when this one is accepted, all earlier ones are.
      const accepted = eventsOf(server, "connection");
      const own = connect(port, "127.0.0.1");
      await once(own, "connect");
      for await (const [socket] of accepted) if ((socket as Socket).remotePort === own.localPort) break;
      own.destroy();
      const countConnections = promisify(server.getConnections.bind(server));
      while ((await countConnections()) + inFlight > 0) await sleep(1);
    },
    /** Resolves when nothing comes any more from a run in this process, which does what it can do at once. */
    async quiet(): Promise<void> {
      for (let seen = -1; seen < requests.length; await this.settled()) {
        seen = requests.length;
        await this.settled();
      }
    },
    /** Stops listening and closes all connections. */
    stop,
  };
}

const reads: ReadonlySet<TruthOperation> = new Set(["list", "view", "check", "user"]);

/** Pending timers must not keep the process running. */
async function sleep(milliseconds: number | undefined): Promise<void> {
  if (milliseconds !== undefined) await setTimeout(milliseconds, undefined, { ref: false });
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** `at`: how many requests came before. */
function readRequest(message: IncomingMessage, body: string, at: number) {
  const { method = "", url: path = "", headers } = message;
  const line = `${method} ${path.replace(/\?.*/, "")}`;
  const names = Object.keys(operations) as TruthOperation[];
  const operation = names.find((name) => operations[name].test(line)) ?? "no such route";
  const [, inPath = ""] = operations[operation].exec(line) ?? [];
  const fields = (body === "" || inPath !== "" ? {} : JSON.parse(body)) as Fields;
  const subject =
    operation === "get-or-create"
      ? inPath.split("/").map(decodeURIComponent).join(" ")
      : decodeURIComponent(inPath) || textOf(fields["access_token"] ?? fields["note"]);
  return { operation, method, path, subject, headers, body, at };
}

function toResponse({ body, ...init }: NonNullable<Fault["instead"]>): Response {
  return body === undefined ? new Response(null, init) : Response.json(body, init);
}

async function bytesOf(response: Response): Promise<Buffer> {
  const { status, headers } = response;
  const text = await response.text();
  const length = status === 204 ? [] : [["Content-Length", String(Buffer.byteLength(text))]];
  const lines = [["Connection", "close"], ...headers, ...length].map(([name, value]) => `${name}: ${value}`);
  return Buffer.from([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, "", text].join("\r\n"));
}
