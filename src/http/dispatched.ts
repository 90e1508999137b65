// One request that is handed to undici: keeps what arrives of its answer, ends it when its time is over, and settles it
// once. Follows no redirect and trusts no compressed answer.
import type { Dispatcher } from "undici";
import { Failure, type Received } from "../errors/errors.ts";
import type { FreshAgents, Turn } from "./fresh-agents.ts";
import type { HttpAnswer, HttpRequest } from "./request.ts";
import {
  brokenAnswer,
  brokenConnection,
  cancelled,
  failedConnection,
  timedOut,
} from "./transport-failure.ts";
import type { UnderWay } from "./under-way.ts";

/** A timer that fires later than this shows that the whole process stood still. */
const lateMs = 50;
/** The most time that a request gets again after the process stood still. */
const onceMoreMs = 10_000;

/** What the requests of a transport share. */
export interface Line {
  readonly agents: FreshAgents;
  /** `https://host:port` of the service. */
  readonly root: string;
  /** Where the connections lead, for messages: `root`, or the proxy. */
  readonly place: string;
  readonly timeoutMs: number;
  /** Milliseconds since the epoch. Node's own measure of time, `performance`, is loaded only when it is first used. */
  readonly now: () => number;
  /** Whether each connection is closed behind its first answer. */
  readonly usesOnce: () => boolean;
  readonly underWay: UnderWay<Dispatched>;
}

/** Sends a request; resolves with its whole answer, or rejects with a Failure that holds what arrived of it. */
export function dispatch(request: HttpRequest, line: Line): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    new Dispatched(request, line, resolve, reject).start();
  });
}

/** A request on its way; settles the promise whose functions it gets. */
export class Dispatched implements Dispatcher.DispatchHandler {
  readonly #request: HttpRequest;
  readonly #line: Line;
  readonly #resolve: (answer: HttpAnswer) => void;
  readonly #reject: (failure: Error) => void;
  readonly #turn: Turn;
  readonly #due: number;
  #timer: NodeJS.Timeout;
  /** Null until the request is sent: before that, nothing can have changed, so even the outcome of a write is known. */
  #sent: Dispatcher.DispatchController | null = null;
  #isSettled = false;
  #status = 0;
  #headers: Readonly<Record<string, string>> = {};
  /** The content codings of the body; null where it has none. */
  #codings: string | null = null;
  #chunks: Buffer[] = [];

  constructor(
    request: HttpRequest,
    line: Line,
    resolve: (answer: HttpAnswer) => void,
    reject: (failure: Error) => void,
  ) {
    this.#request = request;
    this.#line = line;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#turn = line.agents.begin();
    this.#due = line.now() + line.timeoutMs;
    this.#timer = setTimeout(() => this.#endInTime(), line.timeoutMs);
    line.underWay.add(this);
  }

  start(): void {
    const { target, method, headers, body } = this.#request;
    try {
      // Otherwise undici closes the connection after every DELETE with a body, too.
      const reset = method === "HEAD" || this.#line.usesOnce();
      this.#turn.agent.dispatch(
        { origin: this.#line.root, path: target.path, method, headers, body, reset },
        this,
      );
    } catch (error) {
      this.#settle(false);
      this.#reject(
        error instanceof Error ? error : new Error("undici refused the request", { cause: error }),
      );
    }
  }

  /** Ends the request because the run is over. */
  cancel(): void {
    this.#endWith(cancelled(this.#request, this.#sent !== null));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // It was ended while it waited for its connection: it must not be sent any more.
    if (this.#isSettled) controller.abort(this.#timedOut());
    else this.#sent = controller;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    this.#status = status;
    this.#headers = joinHeaders(headers);
    this.#codings = packingOf(this.#headers);
    if (isTransferCoded(this.#headers))
      controller.abort(brokenAnswer(this.#request, "is transferred in a coding that nobody asked for"));
    // With an intent, the answer may hold a new token, so it is read to its end for the journal.
    else if (this.#codings !== null && this.#request.intent === undefined)
      controller.abort(this.#compressed());
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (this.#codings !== null) return this.#fail(this.#compressed());
    this.#settle(true);
    const [only] = this.#chunks;
    // A body that came in one piece is not copied.
    const body = this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks);
    this.#resolve({ status: this.#status, headers: this.#headers, body });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    // A 204 ends with its head (RFC 9112, 6.3), whatever length it names: what breaks behind it is no part of it.
    if (this.#status === 204 && !(error instanceof Failure)) this.onResponseEnd();
    else this.#fail(error);
  }

  /**
   * Called when the time is over. After the process was stopped and continued, the timer is due at once, although the
   * answer may have arrived already, or the request was not sent yet: it gets its time again, but at most ten seconds.
   */
  #endInTime(): void {
    if (this.#line.now() - this.#due < lateMs) this.#endLate();
    else this.#timer = setTimeout(() => this.#endLate(), Math.min(this.#line.timeoutMs, onceMoreMs));
  }

  #endLate(): void {
    if (!this.#isSettled) this.#endWith(this.#timedOut());
  }

  /** Ends the request with its connection, which undici forgets in an agent that was replaced. */
  #endWith(failure: Failure): void {
    if (this.#sent === null) this.#fail(failure);
    else this.#sent.abort(failure);
  }

  #fail(error: Error): void {
    this.#settle(false);
    const failure = error instanceof Failure ? error : this.#failureOf(error);
    this.#reject(this.#status === 0 ? failure : failure.with({ received: this.#received() }));
  }

  #settle(isAnswered: boolean): void {
    this.#isSettled = true;
    clearTimeout(this.#timer);
    this.#line.underWay.remove(this);
    this.#turn.end(isAnswered);
  }

  #failureOf(error: Error): Failure {
    return this.#sent === null
      ? failedConnection(error, this.#line.place)
      : brokenConnection(error, this.#request, this.#status !== 0 && !hasLength(this.#headers));
  }

  #timedOut(): Failure {
    const { timeoutMs, place } = this.#line;
    return timedOut(this.#request, timeoutMs, this.#sent !== null, place);
  }

  #compressed(): Failure {
    return brokenAnswer(this.#request, "is compressed, which nobody asked for");
  }

  #received(): Received {
    const codings = this.#codings;
    return {
      status: this.#status,
      body: Buffer.concat(this.#chunks),
      ...(codings === null ? {} : { codings }),
    };
  }
}

/** The content codings of a body, as in `gzip` (RFC 9110, 8.4); null where it has none. */
function packingOf(headers: Readonly<Record<string, string>>): string | null {
  const codings = headers["content-encoding"] ?? "";
  return /^(?:\s|,|identity(?=[\s,]|$))*$/i.test(codings) ? null : codings;
}

/** Whether the body has another transfer coding than `chunked`, although none was asked for (RFC 9112, 6.1). */
function isTransferCoded(headers: Readonly<Record<string, string>>): boolean {
  return (headers["transfer-encoding"] ?? "chunked").toLowerCase() !== "chunked";
}

/** Whether the response says where its body ends (RFC 9112, 6.3). */
function hasLength(headers: Readonly<Record<string, string>>): boolean {
  return "content-length" in headers || "transfer-encoding" in headers;
}

function joinHeaders(raw: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const headers: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(raw)) {
    if (value !== undefined) headers[name.toLowerCase()] = Array.isArray(value) ? value.join(", ") : value;
  }
  return headers;
}
