// A loopback service that records the truth: every request, and every change that it really made, with the created
// value. It misbehaves on demand: truncates a response, delays, rejects, or closes the connection before it changes
// anything. Tests compare the client's report with the record.
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { credentials, environmentAt } from "./recording-server.ts";
import { authorizationJson, checkedJson, tokenValue } from "./resources.ts";

export type TruthOperation =
  | "list"
  | "view"
  | "check"
  | "create"
  | "get-or-create"
  | "reset"
  | "revoke"
  | "revoke-grant"
  | "delete"
  | "update"
  | "user"
  | "no such route";

export interface TruthRequest {
  readonly operation: TruthOperation;
  readonly method: string;
  /** Path and query as sent. */
  readonly path: string;
  /** The token or ID in the request; for a new token its note, or client ID and fingerprint. */
  readonly subject: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** A change that was made. */
export interface TruthWrite {
  readonly operation: TruthOperation;
  readonly subject: string;
  /** The value of a new token, or null. */
  readonly value: string | null;
  readonly at: number;
}

/** The fault of one request. */
export interface Fault {
  /** Delays processing. */
  readonly delayMs?: number;
  /** Delays processing until this file exists. */
  readonly afterFile?: string;
  /** Closes the connection without processing. */
  readonly drop?: true;
  /** Responds without processing. */
  readonly instead?: {
    readonly status: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
  };
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

/** The plan for all requests but checks of tokens, which it does not count: a read precedes the first write of a token. */
export function ofWrites(plan: FaultPlan): FaultPlan {
  let position = -1;
  return (request) => {
    if (request.operation === "check") return undefined;
    position += 1;
    return plan(request, position);
  };
}

export interface TruthService {
  readonly root: string;
  /** Configures grantctl to use this service, with credentials of the account and of the application. */
  readonly environment: Readonly<Record<string, string>>;
  readonly requests: readonly TruthRequest[];
  /** The changes made, in order. */
  readonly writes: readonly TruthWrite[];
  /** Creates an active token of the application and returns its value. */
  addToken(changes?: Readonly<Record<string, unknown>>, value?: string): string;
  isLive(token: string): boolean;
  /** The fields stored beside an active token. */
  fieldsOf(token: string): Readonly<Record<string, unknown>>;
  /** Removes all authorizations, without a record. */
  clear(): void;
  /** The ID of an active token's authorization. */
  idOf(token: string): number;
  /** The bytes of the latest response, before truncation. */
  lastAnswer(): Buffer;
  /** Calls back for every request, before it is processed. */
  onRequest(listen: (request: TruthRequest) => void): void;
  /** Replaces the fault plan. */
  plan(next: FaultPlan): void;
  /** Resolves when all requests sent so far have been processed, even if their clients have disconnected. */
  settled(): Promise<void>;
  /** Stops listening and closes all connections; `start` restarts it on the same port. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

interface StoredAuthorization {
  readonly id: number;
  token: string;
  fields: Readonly<Record<string, unknown>>;
  /** The key for get-or-create. */
  readonly mark: string | null;
  /** ISO 8601. */
  readonly createdAt: string;
}

interface RawAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

function isOfSamePerson(one: StoredAuthorization, other: StoredAuthorization): boolean {
  const [first, second] = [one, other].map(
    ({ fields }) => (fields["user"] as { readonly login: string } | undefined)?.login,
  );
  return first === second;
}

/** The operator, which determines the position of the token: in the path for `service`, in the body for `github`. */
export type TruthOperator = "service" | "github";

/** Starts a service; it is closed after the test. */
export async function startTruthService(
  initial: FaultPlan = () => undefined,
  operator: TruthOperator = "service",
): Promise<TruthService> {
  const requests: TruthRequest[] = [];
  const writes: TruthWrite[] = [];
  const byId = new Map<number, StoredAuthorization>();
  const byToken = new Map<string, StoredAuthorization>();
  const listeners: ((request: TruthRequest) => void)[] = [];
  const sockets = new Set<Socket>();
  let faults = initial;
  let made = 0;
  let stored = 0;
  let lastAnswer: Buffer = Buffer.alloc(0);
  let port = 0;

  const makeValue = (): string => {
    made += 1;
    const digits = createHash("sha1").update(`value ${made}`).digest("hex");
    return operator === "github" ? `gho_${digits.slice(0, 36)}` : digits;
  };

  const store = (
    token: string,
    fields: Readonly<Record<string, unknown>>,
    mark: string | null = null,
  ): StoredAuthorization => {
    stored += 1;
    const createdAt = `${new Date().toISOString().slice(0, 19)}Z`;
    const authorization = { id: 1000 + stored, token, fields, mark, createdAt };
    byId.set(authorization.id, authorization);
    byToken.set(token, authorization);
    return authorization;
  };

  const show = (
    { id, token, fields, createdAt }: StoredAuthorization,
    withValue: boolean,
  ): Record<string, unknown> =>
    (withValue ? checkedJson : (_: string, changes: object) => authorizationJson({ ...changes }))(token, {
      id,
      url: `http://127.0.0.1:${port}/authorizations/${id}`,
      hashed_token: createHash("sha256").update(token).digest("hex"),
      token_last_eight: token.slice(-8),
      created_at: createdAt,
      ...fields,
    });

  const note = (operation: TruthOperation, subject: string, value: string | null): void => {
    writes.push({ operation, subject, value, at: Date.now() });
  };

  const remove = ({ id, token }: StoredAuthorization): void => {
    byId.delete(id);
    byToken.delete(token);
  };

  /** Notes and fingerprints are unique. */
  const isUsed = (fields: Readonly<Record<string, unknown>>, self?: StoredAuthorization): boolean =>
    ["note", "fingerprint"].some(
      (name) =>
        fields[name] !== undefined &&
        [...byId.values()].some((other) => other !== self && other.fields[name] === fields[name]),
    );

  const carryOut = (request: TruthRequest): RawAnswer => {
    const { operation, subject } = request;
    const ofToken = byToken.get(subject);
    const ofId = byId.get(Number(subject));
    switch (operation) {
      case "list":
        return listPage(
          request.path,
          [...byId.values()].map((each) => show(each, false)),
        );
      case "view":
        return ofId === undefined ? notFound : { status: 200, body: show(ofId, false) };
      case "check":
        return ofToken === undefined ? notFound : { status: 200, body: show(ofToken, true) };
      case "reset": {
        if (ofToken === undefined) return notFound;
        byToken.delete(ofToken.token);
        ofToken.token = makeValue();
        byToken.set(ofToken.token, ofToken);
        note(operation, subject, ofToken.token);
        return { status: 200, body: show(ofToken, true) };
      }
      case "revoke":
      case "revoke-grant":
        if (ofToken === undefined) return notFound;
        remove(ofToken);
        if (operation === "revoke-grant")
          for (const other of byId.values()) if (isOfSamePerson(other, ofToken)) remove(other);
        note(operation, subject, null);
        return { status: 204 };
      case "delete":
        if (ofId === undefined) return notFound;
        remove(ofId);
        note(operation, subject, null);
        return { status: 204 };
      case "user": {
        const token = /^token (.+)$/.exec(String(request.headers.authorization))?.[1] ?? "";
        return byToken.has(token)
          ? { status: 200, body: { login: credentials.username } }
          : { status: 401, body: { message: "Bad credentials" } };
      }
      case "update": {
        if (ofId === undefined) return notFound;
        const changes = fieldsOf(request.body);
        if (isUsed(changes, ofId)) return alreadyUsed;
        ofId.fields = { ...ofId.fields, ...changes };
        note(operation, subject, null);
        return { status: 200, body: show(ofId, false) };
      }
      case "create": {
        if (isUsed(fieldsOf(request.body))) return alreadyUsed;
        const { client_id, client_secret: _, ...fields } = fieldsOf(request.body);
        const created = store(makeValue(), { ...fields, ...(client_id === undefined ? personalApp : {}) });
        note(operation, subject, created.token);
        return { status: 201, body: show(created, true) };
      }
      case "get-or-create": {
        const existing = [...byId.values()].find(({ mark }) => mark === subject);
        if (existing !== undefined) return { status: 200, body: show(existing, false) };
        const { client_secret: _, ...fields } = fieldsOf(request.body);
        const fingerprint = subject.split(" ").slice(1).join(" ");
        const created = store(makeValue(), { note: "", ...fields, fingerprint }, subject);
        note(operation, subject, created.token);
        return { status: 201, body: show(created, true) };
      }
      case "no such route":
        return notFound;
      default:
        throw new Error(`no operation: ${String(operation satisfies never)}`);
    }
  };

  const serve = async (message: IncomingMessage): Promise<void> => {
    const { socket } = message;
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk as Buffer);
    const request = recordOf(message, Buffer.concat(chunks).toString("utf8"), operator);
    requests.push(request);
    const fault = faults(request, requests.length - 1) ?? {};
    for (const listen of listeners) listen(request);
    if (fault.delayMs !== undefined) await sleep(fault.delayMs);
    while (fault.afterFile !== undefined && !existsSync(fault.afterFile)) await sleep(20);
    if (fault.drop === true) {
      socket.destroy();
      return;
    }
    const answer = fault.instead ?? carryOut(request);
    const whole = bytesOf(answer);
    const bytes = fault.rewrite === undefined ? whole : fault.rewrite(whole);
    lastAnswer = bytes;
    if (fault.delayAnswerMs !== undefined) await sleep(fault.delayAnswerMs);
    // Raw bytes, so that truncated and complete responses are identical up to the cut; the connection is not reused.
    socket.end(bytes.subarray(0, fault.cutAt ?? bytes.length));
  };

  /** Requests in progress, including those whose clients have disconnected. */
  let inFlight = 0;
  const server = createServer((message) => {
    inFlight += 1;
    serve(message)
      .catch(() => message.socket.destroy())
      .finally(() => (inFlight -= 1));
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
  });
  const start = (): Promise<void> =>
    new Promise((resolve) => {
      server.listen(port, "127.0.0.1", () => {
        ({ port } = server.address() as AddressInfo);
        resolve();
      });
    });
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      for (const socket of sockets) socket.destroy();
      server.close(() => resolve());
    });
  await start();
  onTestFinished(stop);

  let added = 0;
  const root = `http://127.0.0.1:${port}`;
  return {
    root,
    environment: { ...environmentAt(root), GRANTCTL_SERVER_TYPE: operator },
    requests,
    writes,
    addToken(changes = {}, value) {
      added += 1;
      return store(value ?? tokenValue(added), changes).token;
    },
    isLive: (token) => byToken.has(token),
    fieldsOf: (token) => byToken.get(token)?.fields ?? {},
    clear() {
      byId.clear();
      byToken.clear();
    },
    idOf(token) {
      const found = byToken.get(token);
      if (found === undefined) throw new Error("not a live token");
      return found.id;
    },
    lastAnswer: () => lastAnswer,
    onRequest: (listen) => void listeners.push(listen),
    plan(next) {
      faults = next;
    },
    async settled() {
      // Connections are accepted in order, so when this one is accepted, all earlier ones are.
      const own = connect(port, "127.0.0.1");
      await once(own, "connect");
      while (![...sockets].some(({ remotePort }) => remotePort === own.localPort)) await sleep(1);
      own.destroy();
      while (sockets.size + inFlight > 0) await sleep(1);
    },
    stop,
    start,
  };
}

const notFound: RawAnswer = { status: 404, body: { message: "Not Found" } };

const alreadyUsed: RawAnswer = {
  status: 422,
  body: {
    message: "Validation Failed",
    errors: [{ resource: "OauthAccess", code: "already_exists", field: "description" }],
  },
};

const personalApp = { app: { name: "personal", url: "", client_id: "0".repeat(20) } };

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    // Pending timers must not keep the process running.
    setTimeout(resolve, milliseconds).unref();
  });
}

function listPage(path: string, all: readonly unknown[]): RawAnswer {
  const { searchParams } = new URL(path, "http://service.test");
  const perPage = Number(searchParams.get("per_page") ?? "30");
  const page = Number(searchParams.get("page") ?? "1");
  const last = Math.max(1, Math.ceil(all.length / perPage));
  const link = (number: number, rel: string): string =>
    `<http://service.test/authorizations?page=${number}&per_page=${perPage}>; rel="${rel}"`;
  return {
    status: 200,
    body: all.slice((page - 1) * perPage, page * perPage),
    ...(page < last ? { headers: { Link: `${link(page + 1, "next")}, ${link(last, "last")}` } } : {}),
  };
}

function fieldsOf(body: string): Record<string, unknown> {
  return JSON.parse(body) as Record<string, unknown>;
}

function recordOf(message: IncomingMessage, body: string, operator: TruthOperator): TruthRequest {
  const { method = "", url = "", headers } = message;
  const [, first, second, third, fourth] = (url.split("?")[0] ?? "").split("/").map(decodeURIComponent);
  const request = { method, path: url, headers, body, at: Date.now() };
  const about = (operation: TruthOperation, subject = ""): TruthRequest => ({
    ...request,
    operation,
    subject,
  });
  if (first === "user" && method === "GET") return about("user");
  if (first === "authorizations") {
    if (second === "clients" && method === "PUT")
      return about("get-or-create", [third, fourth].filter((part) => part !== undefined).join(" "));
    if (second === undefined && method === "GET") return about("list");
    if (second === undefined && method === "POST") return about("create", String(fieldsOf(body)["note"]));
    if (method === "GET") return about("view", second);
    if (method === "DELETE") return about("delete", second);
    if (method === "PATCH") return about("update", second);
  }
  if (first === "applications" && operator === "github") {
    const token = body === "" ? "" : String(fieldsOf(body)["access_token"]);
    const operations = {
      "POST token": "check",
      "PATCH token": "reset",
      "DELETE token": "revoke",
      "DELETE grant": "revoke-grant",
    } as const;
    const operation = operations[`${method} ${third}` as keyof typeof operations];
    return operation === undefined || fourth !== undefined
      ? about("no such route", url)
      : about(operation, token);
  }
  if (first === "applications" && third === "tokens") {
    if (method === "GET") return about("check", fourth);
    if (method === "POST") return about("reset", fourth);
    if (method === "DELETE") return about("revoke", fourth);
  }
  if (first === "applications" && third === "grants" && method === "DELETE")
    return about("revoke-grant", fourth);
  return about("no such route", url);
}

function bytesOf({ status, headers = {}, body }: RawAnswer): Buffer {
  const text = body === undefined ? "" : JSON.stringify(body);
  const lines = [
    `HTTP/1.1 ${status} ${status < 300 ? "Fine" : "Refused"}`,
    "Connection: close",
    ...(body === undefined ? [] : ["Content-Type: application/json; charset=utf-8"]),
    ...(status === 204 ? [] : [`Content-Length: ${Buffer.byteLength(text)}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${text}`);
}
