// The transport against a server that sends arbitrary bytes: which responses are accepted, how failures are classified,
// and that each request is sent exactly once.
import { createServer, type AddressInfo, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Failure } from "../../src/errors/errors.ts";
import type { RawResponse, HttpRequest } from "../../src/http/request.ts";
import type { Route } from "../../src/http/tunnel.ts";
import { createTransport, type Transport, type TransportOptions } from "../../src/http/transport.ts";
import { jsonAnswer, startRawServer, type RawServer } from "../support/raw-server.ts";
import { runUntilStruck } from "../support/struck.ts";
import { failureOf } from "../support/failure-of.ts";
import { makeRequest } from "./doubles.ts";

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean();
});

/** The limit only detects a request that hangs. */
const longMs = 100_000;

function openTransport(
  root: string,
  timeoutMs = longMs,
  now = Date.now,
  more: Partial<TransportOptions> = {},
): Transport {
  const transport = createTransport({
    root,
    timeoutMs,
    tls: { ca: null, cert: null, key: null },
    now,
    ...more,
  });
  cleanups.push(() => transport.close());
  return transport;
}

type Answer = (socket: Socket, request: string) => void;

async function serve(answer: Answer): Promise<RawServer> {
  const server = await startRawServer(answer);
  cleanups.push(() => server.close());
  return server;
}

/** Answers on a connection only after all earlier ones are closed, like a single-threaded server. */
async function serveOneByOne(onRequest: (socket: Socket) => void): Promise<RawServer> {
  const line: Socket[] = [];
  const asking = new Set<Socket>();
  const serveFirst = (): void => {
    const [first] = line;
    if (first !== undefined && asking.delete(first)) onRequest(first);
  };
  const server = await startRawServer(
    (socket) => {
      asking.add(socket);
      serveFirst();
    },
    (socket) => {
      line.push(socket);
      socket.once("close", () => {
        line.splice(line.indexOf(socket), 1);
        serveFirst();
      });
    },
  );
  cleanups.push(() => server.close());
  return server;
}

/** A server that sends these bytes and then closes, resets or keeps the connection. */
function sending(bytes: string | Buffer, end: "end" | "reset" | "keep" = "end"): Answer {
  return (socket) => {
    socket.write(bytes, () => {
      if (end === "end") socket.end();
      else if (end === "reset") socket.resetAndDestroy();
    });
  };
}

function requestOf(method: HttpRequest["method"], overrides: Partial<HttpRequest> = {}): HttpRequest {
  return makeRequest({
    method,
    body: method === "POST" || method === "PUT" || method === "PATCH" ? '{"note":"n"}' : null,
    ...overrides,
  });
}

function requestTo(path: string): HttpRequest {
  return makeRequest({ target: { path, template: path } });
}

// PUT and PATCH are like POST: error-responses.test.ts and service.test.ts show each method.
const writes = ["POST", "DELETE"] as const;
const anyMethod = ["GET", ...writes] as const;
const fine = jsonAnswer(200, { id: 1 });

/** The result of each method, and its time limit in seconds; each has a fresh server and transport, and sends once. */
async function failures(answer: Answer, seconds = longMs / 1000): Promise<Record<string, Failure>> {
  const ends: Record<string, Failure> = {};
  for (const method of anyMethod) {
    const { failure, received } = await runUntilStruck(
      seconds,
      async (limit) => {
        const server = await serve(answer);
        const transport = openTransport(server.root, limit * 1000);
        const sent = await failureOf(() => transport.send(requestOf(method)));
        return { failure: sent, received: server.received };
      },
      (end) => end.received.length > 0,
    );
    ends[method] = failure;
    expect(received).toHaveLength(1);
  }
  return ends;
}

function kindsOf(ends: Record<string, Failure>): readonly [read: unknown, writes: readonly unknown[]] {
  return [ends["GET"]?.kind, writes.map((method) => ends[method]?.kind)];
}

const allUnknown = writes.map(() => "unknown");

function jsonHead(length: number, encoding: string): string {
  return `HTTP/1.1 200 X\r\nContent-Encoding: ${encoding}\r\nContent-Length: ${length}\r\n\r\n`;
}

/** A server that sends an endless response. */
function drip(text: string, first = ""): Answer {
  return (socket) => {
    socket.write(first);
    const timer = setInterval(() => socket.write(text), 20);
    socket.on("close", () => {
      clearInterval(timer);
    });
  };
}

async function answerTo(bytes: string | Buffer, method: HttpRequest["method"] = "GET"): Promise<RawResponse> {
  const server = await serve(sending(bytes));
  return openTransport(server.root).send(requestOf(method));
}

describe("a response", () => {
  test("returns status, headers in lower case and joined, and the bytes of the body", async () => {
    const answer = await answerTo(
      `HTTP/1.1 422 X\r\nX-One: a\r\nLINK: <?page=2>; rel="next"\r\nLink: <?page=9>; rel="last"\r\nX-High: \u009b\r\nContent-Length: 3\r\n\r\n\u00ff\u00fe\u0000`,
    );
    expect(answer.status).toBe(422);
    expect(answer.headers["link"]).toBe('<?page=2>; rel="next", <?page=9>; rel="last"');
    expect(answer.headers["x-one"]).toBe("a");
    expect(answer.body.length).toBeGreaterThan(0);
  });

  test("in chunks is reassembled, even byte by byte", async () => {
    const text =
      "HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n[1,\r\n2;ext=1\r\n2]\r\n0\r\nTrailer: x\r\n\r\n";
    const server = await serve((socket) => {
      socket.setNoDelay(true);
      let at = 0;
      const timer = setInterval(() => {
        socket.write(text.charAt(at));
        at += 1;
        if (at === text.length) clearInterval(timer);
      }, 1);
    });
    expect((await openTransport(server.root).send(makeRequest())).body.toString()).toBe("[1,2]");
  });

  test.each([
    "HTTP/1.1 103 Early Hints\r\nLink: <?page=7>; rel=next\r\n\r\n",
    "HTTP/1.1 100 Continue\r\n\r\n",
    "HTTP/1.1 101 X\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n",
    "HTTP/1.1 199 X\r\nContent-Length: 5\r\n\r\n",
  ])("after an interim response is the final one: %j", async (interim) => {
    for (const method of anyMethod) {
      const answer = await answerTo(`${interim}${interim}${fine}`, method);
      expect([answer.status, answer.body.toString()]).toEqual([200, '{"id":1}']);
      expect(answer.headers["link"]).toBeUndefined();
    }
  });

  test("with status 204 that declares a body is empty or rejected", async () => {
    for (const tail of [
      "Content-Length: 5\r\n\r\nhello",
      "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    ]) {
      const server = await serve(sending(`HTTP/1.1 204 X\r\n${tail}`, "keep"));
      const outcome = await openTransport(server.root)
        .send(requestOf("DELETE"))
        .then(
          ({ status, body }) => `${status} ${body.length}`,
          (error: unknown) => (error as Failure).kind,
        );
      expect(["204 0", "unknown"]).toContain(outcome);
    }
  });
});

describe("a response that violates the protocol is a protocol failure for a read, and unknown for a write", () => {
  const big = 8 * 1024 * 1024 + 1;
  const head = "HTTP/1.1 200 X\r\n";
  const gzipped = gzipSync("[]");
  test.each<[string, string | Buffer]>([
    ["another protocol", "SSH-2.0-OpenSSH_9.6\r\n"],
    ["two lengths", `${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n[1]`],
    [
      "a length and chunks",
      `${head}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n`,
    ],
    ["a chunk size that is too small", `${head}Transfer-Encoding: chunked\r\n\r\n1\r\n[1]\r\n0\r\n\r\n`],
    ["a line break in a header", `${head}X: a\nb\r\n\r\n`],
    ["more than 8 MiB, by its end", `${head}\r\n${"x".repeat(big)}`],
    [
      "more than 8 MiB, in chunks",
      `${head}Transfer-Encoding: chunked\r\n\r\n${`100000\r\n${"x".repeat(0x100000)}\r\n`.repeat(9)}0\r\n\r\n`,
    ],
    ["a header of more than 16 KiB", `${head}X: ${"x".repeat(17_000)}\r\nContent-Length: 2\r\n\r\n[]`],
    ["gzip", Buffer.concat([Buffer.from(jsonHead(gzipped.length, "gzip")), gzipped])],
    ["an encoding nobody knows", `${jsonHead(2, "x-rot13")}[]`],
    [
      "a transfer coding nobody knows",
      `${head}Transfer-Encoding: x-rot13, chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n`,
    ],
  ])("%s", async (_, bytes) => {
    expect(kindsOf(await failures(sending(bytes)))).toEqual(["protocol", allUnknown]);
  });
});

describe("a connection that breaks", () => {
  const head = "HTTP/1.1 200 X\r\n";
  test.each<[string, Answer]>([
    ["before a byte of the answer", sending("")],
    ["in the status line", sending("HTTP/1.1 20")],
    ["in the headers", sending(`${head}Content-Le`, "reset")],
    ["in the body", sending(`${head}Content-Length: 8\r\n\r\n{"id"`)],
    ["in a chunk", sending(`${head}Transfer-Encoding: chunked\r\n\r\n8\r\n{"id"`)],
  ])("%s: network for a read, which may be retried; unknown for a write", async (_, answer) => {
    const ends = await failures(answer);
    expect(kindsOf(ends)).toEqual(["network", allUnknown]);
    expect(ends["GET"]?.details.transient).toBe(true);
    for (const method of writes) {
      expect(ends[method]?.details.transient).not.toBe(true);
      expect(ends[method]?.message).toContain("was sent");
      expect(ends[method]?.message).toContain("/applications/grants/:grant_id");
    }
  });
});

describe("a body without a length that ends with", () => {
  const bytes = 'HTTP/1.1 200 X\r\nContent-Type: text/plain\r\n\r\n{"token":"abc"}';

  /**
   * Sends a request and ends its connection once the client has the bytes, since a reset would drop those in flight.
   */
  async function send(method: HttpRequest["method"], end: (socket: Socket) => void): Promise<RawResponse> {
    const client: { socket: Socket | null } = { socket: null };
    const server = await serve((socket) => {
      socket.write(bytes);
      const endWhenRead = (): void => {
        if ((client.socket?.bytesRead ?? 0) < bytes.length) setImmediate(endWhenRead);
        else end(socket);
      };
      endWhenRead();
    });
    const route: Route = {
      peerName: server.root,
      wrapConnector: (connect) => (target, callback) => {
        connect(target, (...[error, socket]: Parameters<typeof callback>) => {
          client.socket = socket;
          callback(...([error, socket] as Parameters<typeof callback>));
        });
      },
      close: () => Promise.resolve(),
    };
    return openTransport(server.root, longMs, Date.now, { route }).send(requestOf(method));
  }

  test.each(anyMethod)(
    "a reset is a protocol error for a read and unknown for a write: %s",
    async (method) => {
      const failure = await failureOf(() => send(method, (socket) => socket.resetAndDestroy()));
      expect(failure.kind).toBe(method === "GET" ? "protocol" : "unknown");
      expect(failure.details.transient).toBe(method === "GET" ? true : undefined);
      // A token in the partial body is kept.
      expect(failure.details.received?.body.toString()).toBe('{"token":"abc"}');
    },
  );

  test.each(anyMethod)("an orderly close is complete: %s", async (method) => {
    const { body } = await send(method, (socket) => socket.end());
    expect(body.toString()).toBe('{"token":"abc"}');
  });
});

describe("the time limit", () => {
  test.each<[string, Answer]>([
    ["no answer", () => undefined],
    ["headers that never end", drip("X: 1\r\n", "HTTP/1.1 200 X\r\n")],
    ["a body that drips", drip("x", "HTTP/1.1 200 X\r\nContent-Length: 100000\r\n\r\n")],
    ["chunks that drip", drip("1\r\nx\r\n", "HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n")],
    ["interim answers without end", drip("HTTP/1.1 102 X\r\n\r\n")],
  ])("applies to %s", async (_, answer) => {
    const ends = await failures(answer, 0.3);
    expect(kindsOf(ends)).toEqual(["network", allUnknown]);
    // 0.3 seconds, tripled as often as the machine requires.
    expect(ends["GET"]?.message).toMatch(/within [\d.]+ s/);
    expect(ends["GET"]?.details.transient).not.toBe(true);
  });

  test("that expires before a connection exists means that nothing was sent, even for a write", async () => {
    // Accepts connections and never starts TLS.
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.on("error", () => undefined);
    });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    const { port } = server.address() as AddressInfo;
    const transport = openTransport(`https://127.0.0.1:${port}`, 200);
    for (const method of anyMethod) {
      const failure = await failureOf(() => transport.send(requestOf(method)));
      expect(failure.kind).toBe("network");
      expect(failure.message).toContain("could not connect");
    }
    for (const socket of sockets) socket.destroy();
    server.close();
  });
});

describe("no connection", () => {
  test.each(anyMethod)("%s: kind network, exit code 8, nothing sent", async (method) => {
    const server = await startRawServer(() => undefined);
    await server.close();
    const failure = await failureOf(() => openTransport(server.root).send(requestOf(method)));
    expect([failure.kind, failure.exitCode]).toEqual(["network", 8]);
    expect(failure.message).toContain(server.root);
    expect(failure.message).toContain("connection refused");
    expect(failure.message).not.toContain("was sent");
    expect(failure.details.transient).toBe(true);
  });
});

describe("the request", () => {
  test("consists of the raw path, the headers and the body, sent once", async () => {
    const server = await serve((socket) => socket.write(fine));
    await openTransport(server.root).send(
      makeRequest({
        method: "POST",
        target: { path: "//a/%2e%2e/b%2Fc?q=%20", template: "/a" },
        headers: { "X-Service-OTP": "123456", "User-Agent": "grantctl/test" },
      }),
    );
    expect(server.received).toHaveLength(1);
    const lines = (server.received[0] ?? "").split("\r\n");
    expect(lines[0]).toBe("POST //a/%2e%2e/b%2Fc?q=%20 HTTP/1.1");
    expect(lines).toContain("X-Service-OTP: 123456");
    expect(lines).toContain("User-Agent: grantctl/test");
  });

  test("reuses a keep-alive connection", async () => {
    const ports = new Set<number | undefined>();
    const server = await serve((socket) => {
      ports.add(socket.remotePort);
      socket.write(fine);
    });
    const transport = openTransport(server.root);
    for (const method of [...anyMethod, ...anyMethod]) {
      expect((await transport.send(requestOf(method))).status).toBe(200);
      await new Promise(setImmediate);
    }
    expect(server.received).toHaveLength(2 * anyMethod.length);
    expect(ports.size).toBe(1);
  });

  describe("with a server that handles one connection at a time", () => {
    const beatMs = 250;
    beforeEach(() => {
      vi.useFakeTimers({ toFake: ["setInterval"] });
      cleanups.push(() => Promise.resolve(void vi.useRealTimers()));
    });

    test("a waiting request gets its turn, although others continue", async () => {
      const server = await serveOneByOne((socket) => socket.write(fine));
      const transport = openTransport(server.root);
      await transport.send(requestOf("POST"));
      await new Promise(setImmediate);
      const early = Array.from({ length: 8 }, () => transport.send(requestOf("POST")));
      const answers: RawResponse[] = [];
      for (const one of early) void one.then((answer) => answers.push(answer));
      await Promise.race(early);
      let later = 0;
      for (; answers.length < early.length && later < 200; later += 1) {
        await new Promise(setImmediate);
        await transport.send(requestOf("POST"));
        vi.advanceTimersByTime(beatMs);
      }
      expect(answers).toHaveLength(early.length);
      expect(server.received).toHaveLength(1 + early.length + later);
    });
  });

  test("runs concurrently with others, and each gets its own response", async () => {
    const server = await serve((socket, request) => {
      const id = Number(/\/(\d+) HTTP/.exec(request)?.[1]);
      setTimeout(() => socket.write(jsonAnswer(200, { id })), (id * 7) % 40);
    });
    const transport = openTransport(server.root);
    const ids = Array.from({ length: 40 }, (_, index) => index);
    const answers = await Promise.all(
      ids.map((id) => transport.send(makeRequest({ target: { path: `/${id}`, template: "/:id" } }))),
    );
    expect(answers.map(({ body }) => (JSON.parse(body.toString()) as { readonly id: number }).id)).toEqual(
      ids,
    );
    // Each uses its own connection: a break under one request must not affect another.
    expect(server.connections()).toBe(ids.length);
  });

  test("fails at once, and with a Failure, if it could split a header", async () => {
    const server = await serve(sending(fine));
    const transport = openTransport(server.root);
    for (const headers of [{ "X-A": "1\r\nX-B: 2" }, { "X-A\r\nX-B": "1" }, { "X-A": "\u0000" }]) {
      await failureOf(() => transport.send(makeRequest({ headers })));
    }
    expect(server.received).toEqual([]);
  });
});

test("at exit, idle connections stay open, but all are closed if one has no response", async () => {
  const closed: string[] = [];
  const server = await serve((socket, request) => {
    const path = request.split(" ")[1] ?? "";
    socket.on("close", () => void closed.push(path));
    if (path !== "/silent") socket.write(path === "/cut" ? fine.slice(0, -1) : fine);
  });
  const transport = openTransport(server.root, longMs, Date.now, { endsWithRun: true });
  await transport.send(requestTo("/idle"));
  await transport.close();
  await failureOf(() => transport.send(requestTo("/late")));
  expect(server.received).toHaveLength(1);

  for (const path of ["/silent", "/cut"]) {
    const other = openTransport(server.root, longMs, Date.now, { endsWithRun: true });
    await other.send(requestTo("/beside"));
    const sent = failureOf(() =>
      Promise.all([other.send(requestTo(path)), other.send(requestTo("/beside"))]),
    );
    await expect.poll(() => server.received.filter((request) => request.includes(path))).toHaveLength(1);
    await other.close();
    await sent;
    await expect.poll(() => closed).toContain(path);
  }
  expect(closed).not.toContain("/idle");
});

test("closing cancels requests in flight: a read is not retried, a write may have taken effect", async () => {
  const arrived: string[] = [];
  const server = await serve((_, request) => void arrived.push(request));
  for (const [method, kind] of [
    ["GET", "network"],
    ["DELETE", "unknown"],
  ] as const) {
    const transport = openTransport(server.root);
    const sent = failureOf(() => transport.send(requestOf(method)));
    await expect.poll(() => arrived.some((request) => request.startsWith(method))).toBe(true);
    await transport.close();
    const { kind: actual, details } = await sent;
    expect([actual, details.noResponse, details.transient]).toEqual([kind, "cancelled", undefined]);
  }
});
