// The first connection shows if connections can be reused: they cannot if the server closes it without notice, or sends
// more than one response.
import { EventEmitter, once } from "node:events";
import { expect, onTestFinished, test, vi } from "vitest";
import { createTransport, type Transport } from "../../src/http/transport.ts";
import { createReuseCheck } from "../../src/http/connector.ts";
import { jsonAnswer, startRawServer, type RawServer } from "../support/raw-server.ts";
import { makeRequest } from "./doubles.ts";
import type { Socket } from "node:net";

const done = "HTTP/1.1 204 X\r\n\r\n";
const dead = jsonAnswer(404, { message: "Not Found" });
const write = makeRequest({ method: "DELETE" });
const page = makeRequest({ target: { path: "/authorizations?page=2", template: "/authorizations" } });

/** `rest` receives a promise that resolves when the client has seen its first connection close. */
async function openTo(
  answer: (socket: Socket) => void,
  rest: (untilEnded: Promise<void>) => Promise<void>,
): Promise<{ readonly server: RawServer; readonly transport: Transport }> {
  const server = await startRawServer(answer);
  const ended = new EventEmitter();
  const untilEnded = once(ended, "end").then(() => undefined);
  const reuse = createReuseCheck(() => ({ ended: rest(untilEnded), keepProcessAlive: () => undefined }));
  const transport = createTransport({
    root: server.root,
    timeoutMs: 100_000,
    tls: { ca: null, cert: null, key: null },
    now: Date.now,
    reuse: {
      ...reuse,
      monitor: (connect) =>
        reuse.monitor((options, callback) =>
          connect(options, (...[error, socket]: Parameters<typeof callback>) => {
            if (error !== null) callback(error, null);
            else
              callback(
                null,
                socket.once("close", () => ended.emit("end")),
              );
          }),
        ),
    },
  });
  onTestFinished(async () => {
    await transport.close();
    await server.close();
  });
  return { server, transport };
}

test.each<[string, (socket: Socket) => void]>([
  ["closes it", (socket) => void socket.end()],
  ["resets it", (socket) => void socket.resetAndDestroy()],
  ["answers once more on it", (socket) => void socket.write(dead)],
])("if the server %s after its response, each connection is used once", async (_, afterwards) => {
  const { server, transport } = await openTo(
    (socket) => {
      // Written when the first response has been sent; otherwise both would be read at once.
      socket.write(done, () => setImmediate(() => afterwards(socket)));
    },
    (untilEnded) => untilEnded,
  );
  for (let sent = 1; sent <= 4; sent += 1) expect((await transport.send(write)).status).toBe(204);
  expect(server.connections()).toBe(4);
  expect(server.received.map((request) => /^connection: (\S+)/im.exec(request)?.[1])).toEqual([
    "keep-alive",
    "close",
    "close",
    "close",
  ]);
});

test.each([
  ["write", write],
  ["read", makeRequest()],
])("after one breaks under a %s, no connection is reused", async (_, request) => {
  const used = new Set<Socket>();
  const { server, transport } = await openTo(
    (socket) => {
      if (used.has(socket)) socket.resetAndDestroy();
      else socket.write(request === write ? done : jsonAnswer(200, {}));
      used.add(socket);
    },
    () => Promise.resolve(),
  );
  await transport.send(request);
  await expect(transport.send(request)).rejects.toThrow("the connection broke");
  for (let sent = 1; sent <= 3; sent += 1) await transport.send(request);
  expect([server.received.length, server.connections()]).toEqual([5, 4]);
});

test("a connection that stays open is reused", async () => {
  const { server, transport } = await openTo(
    (socket) => void socket.write(done),
    () => Promise.resolve(),
  );
  for (let sent = 1; sent <= 4; sent += 1) await transport.send(write);
  expect([server.received.length, server.connections()]).toEqual([4, 1]);
});

test("the next page of a list does not wait for the check, but a write does", async () => {
  const rest = new EventEmitter();
  const { server, transport } = await openTo(
    (socket) => void socket.write(jsonAnswer(200, [])),
    () => once(rest, "end").then(() => undefined),
  );
  await transport.send(page);
  const waiting = transport.send(write);
  await transport.send(page);
  await transport.send(page);
  expect(server.received.map((request) => request.split(" ")[0])).toEqual(["GET", "GET", "GET"]);
  rest.emit("end");
  await waiting;
  expect(server.received).toHaveLength(4);
});

test("a connection that was idle for a second is closed, and not reused", async () => {
  const { server, transport } = await openTo(
    (socket) => void socket.write(done),
    () => Promise.resolve(),
  );
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  await transport.send(write);
  await transport.send(write);
  expect(server.connections()).toBe(1);
  // undici sets its timer when the connection becomes idle.
  await new Promise((resolve) => setImmediate(resolve));
  await vi.advanceTimersByTimeAsync(1000);
  await transport.send(write);
  expect(server.connections()).toBe(2);
});

/** The timers that keep this process running. */
function countTimers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
}

test("the pause keeps the process running only while a request waits for it", () => {
  const before = countTimers();
  const reuse = createReuseCheck();
  reuse.begin();
  expect(countTimers()).toBe(before);
  void reuse.pauseEnd();
  expect(countTimers()).toBe(before + 1);
});
