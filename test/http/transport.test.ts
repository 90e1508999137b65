// The transport alone: responses that it accepts, requests that are never sent, and its connections. What broken responses
// mean for a read and for a write is in test/hostile.
import { createServer, type AddressInfo, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { isFailure } from "../../src/errors/errors.ts";
import type { HttpRequest } from "../../src/http/request.ts";
import { createTransport, type Transport, type TransportOptions } from "../../src/http/transport.ts";
import { thrownFailure } from "../support/thrown-failure.ts";
import { jsonAnswer, startRawServer, type RawServer } from "../support/raw-server.ts";
import { makeRequest } from "./doubles.ts";

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean();
});

function openTransport(root: string, more: Partial<TransportOptions> = {}): Transport {
  const transport = createTransport({
    root,
    // Only detects a request that hangs.
    timeoutMs: 100_000,
    tls: {},
    proxy: null,
    concurrency: 8,
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

function send(bytes: string | Buffer, end: "end" | "reset" | "keep" = "end"): Answer {
  return (socket) => {
    socket.write(bytes, () => {
      if (end === "end") socket.end();
      else if (end === "reset") setTimeout(() => socket.resetAndDestroy(), 20);
    });
  };
}

function requestOf(method: HttpRequest["method"]): HttpRequest {
  return makeRequest({ method, body: method === "POST" ? '{"note":"n"}' : null });
}

const methods = ["GET", "POST", "DELETE"] as const;
const fine = jsonAnswer(200, { id: 1 });
const head = "HTTP/1.1 200 X\r\n";

describe("a response", () => {
  test("has its status, its headers in lower case and joined, and its bytes", async () => {
    const server = await serve(
      send(
        'HTTP/1.1 422 X\r\nLINK: <?page=2>; rel="next"\r\nLink: <?page=9>; rel="last"\r\nContent-Length: 3\r\n\r\n[1]',
      ),
    );
    const { status, headers, body } = await openTransport(server.root).send(makeRequest());
    expect([status, headers["link"], body.toString()]).toEqual([
      422,
      '<?page=2>; rel="next", <?page=9>; rel="last"',
      "[1]",
    ]);
  });

  test.each(["HTTP/1.1 102 X\r\n\r\n", "HTTP/1.1 103 X\r\nLink: <?page=7>; rel=next\r\n\r\n"])(
    "after an interim one is the final one: %j",
    async (interim) => {
      const server = await serve(send(`${interim}${interim}${fine}`));
      const { status, headers } = await openTransport(server.root).send(makeRequest());
      expect([status, headers["link"]]).toEqual([200, undefined]);
    },
  );

  test.each([
    "Content-Length: 5\r\n\r\nhello",
    "Content-Length: 5\r\n\r\n",
    "Transfer-Encoding: chunked\r\n\r\n",
  ])("with 204 ends with its head: %j", async (tail) => {
    const server = await serve(send(`HTTP/1.1 204 X\r\n${tail}`));
    const { status, body } = await openTransport(server.root).send(requestOf("DELETE"));
    expect([status, body.length]).toEqual([204, 0]);
  });
});

test("a response that arrived while the process was stopped is read, although its time is over", async () => {
  const server = await serve((socket) => {
    socket.end(fine, () => {
      // Like Ctrl-Z, it stops everything but the kernel.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700);
    });
  });
  const { status } = await openTransport(server.root, { timeoutMs: 500 }).send(requestOf("POST"));
  expect(status).toBe(200);
});

test("the part of a broken answer that arrived is kept", async () => {
  const server = await serve(send(`${head}Content-Length: 900\r\n\r\n{"token":"abc"}`));
  const failure = await thrownFailure(() => openTransport(server.root).send(requestOf("POST")));
  expect(failure.details.received?.body.toString()).toBe('{"token":"abc"}');
});

describe("nothing was sent", () => {
  test("to a closed port: a transient network failure, even for a write", async () => {
    const server = await startRawServer(() => undefined);
    await server.close();
    for (const method of methods) {
      const failure = await thrownFailure(() => openTransport(server.root).send(requestOf(method)));
      expect([failure.kind, failure.exitCode, failure.details.isTransient]).toEqual(["network", 8, true]);
      expect(failure.message).toBe(`could not connect to ${server.root}: connection refused`);
    }
  });

  test("before TLS began within the time limit, and it is not sent later", async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => void sockets.push(socket.on("error", () => undefined).resume()));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    cleanups.push(async () => void server.close());
    const { port } = server.address() as AddressInfo;
    const transport = openTransport(`https://127.0.0.1:${port}`, { timeoutMs: 200 });
    for (const method of methods) {
      const failure = await thrownFailure(() => transport.send(requestOf(method)));
      expect(failure.kind).toBe("network");
      expect(failure.message).toContain("could not connect");
    }
    // Closing ends the connections that are still being opened, for which the process would wait.
    const waiting = openTransport(`https://127.0.0.1:${port}`);
    const { length } = sockets;
    const sent = thrownFailure(() => waiting.send(requestOf("DELETE")));
    await expect.poll(() => sockets.length).toBe(length + 1);
    await Promise.all([transport.close(), waiting.close()]);
    expect((await sent).message).toContain("before the run ended");
    await expect.poll(() => sockets.every(({ destroyed }) => destroyed)).toBe(true);
  });

  test("while the only connection was busy until the time limit, and it is not sent later", async () => {
    const server = await serve((socket) => void setTimeout(() => socket.write(fine), 400));
    const transport = openTransport(server.root, { timeoutMs: 1000, concurrency: 1 });
    const sent = Array.from({ length: 5 }, () =>
      transport.send(requestOf("DELETE")).catch((error: unknown) => error),
    );
    const unsent = (await Promise.all(sent)).filter((end) => isFailure(end, "network"));
    // The end of a request closes its connection; another may be opened before those that wait have ended, too.
    expect(server.connections()).toBeLessThanOrEqual(2);
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect([unsent.length > 0, server.received.length <= 5 - unsent.length]).toEqual([true, true]);
  });

  test("for a header that would split", async () => {
    const server = await serve(send(fine));
    for (const headers of [{ "X-A": "1\r\nX-B: 2" }, { "X-A\r\nX-B": "1" }, { "X-A": "\u0000" }])
      await thrownFailure(() => openTransport(server.root).send(makeRequest({ headers })));
    expect(server.received).toEqual([]);
  });
});

describe("connections", () => {
  test("are at most as many as requests may be in flight, and each request gets its own response", async () => {
    const server = await serve((socket, request) => {
      const id = Number(/\/(\d+) HTTP/.exec(request)?.[1]);
      setTimeout(() => socket.write(jsonAnswer(200, { id })), (id * 7) % 40);
    });
    const { send: sendOne } = openTransport(server.root, { concurrency: 8 });
    const ids = Array.from({ length: 40 }, (_, index) => index);
    const answers = await Promise.all(
      ids.map((id) => sendOne(makeRequest({ target: { path: `/${id}`, template: "/:id" } }))),
    );
    expect(answers.map(({ body }) => JSON.parse(body.toString()) as unknown)).toEqual(
      ids.map((id) => ({ id })),
    );
    expect(server.connections()).toBe(8);
  });

  test("are used again, also after a DELETE with a body", async () => {
    const server = await serve((socket) => socket.write(fine));
    const transport = openTransport(server.root);
    for (const method of [...methods, ...methods]) {
      expect((await transport.send({ ...requestOf(method), body: "{}" })).status).toBe(200);
      await new Promise(setImmediate);
    }
    expect(server.connections()).toBe(1);
  });
});

test("closing cancels what is in flight: a read is not repeated, a write may have taken effect", async () => {
  const server = await serve(() => undefined);
  for (const [method, kind] of [
    ["GET", "network"],
    ["DELETE", "unknown"],
  ] as const) {
    const transport = openTransport(server.root);
    const sent = thrownFailure(() => transport.send(requestOf(method)));
    await expect.poll(() => server.received.some((request) => request.startsWith(method))).toBe(true);
    await transport.close();
    const { kind: actual, message, details } = await sent;
    expect([actual, message.includes("before the run ended"), details.isTransient]).toEqual([
      kind,
      true,
      undefined,
    ]);
    await thrownFailure(() => transport.send(requestOf(method)));
  }
  // undici opens another connection after a cancelled request.
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect([server.received.length, server.connections()]).toEqual([2, 2]);
});
