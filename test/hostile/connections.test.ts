// Connections kept open between requests: unsolicited responses, responses that come too early, connections that die
// when they are used again.
import { expect, test } from "vitest";
import type { Socket } from "node:net";
import { jsonAnswer, startRawServer } from "../support/raw-server.ts";
import { faultsOf, runOn, type Command } from "./hostile-run.ts";

const list: Command = {
  name: "grant list",
  isWrite: false,
  words: ["grant", "list", "--format", "ndjson", "--json", "id", "--concurrency", "1"],
};
const deletes: Command = {
  name: "grant delete",
  isWrite: true,
  words: ["grant", "delete", "1", "2", "3", "--yes", "--concurrency", "1"],
};

function pageOf(request: string): number {
  return Number(/[?&]page=(\d+)/.exec(request)?.[1] ?? 1);
}

/** A page of three with one grant, whose id is the page's number. */
function page(number: number): string {
  const link = number < 3 ? [`Link: <x?page=${number + 1}>; rel="next"`] : [];
  return jsonAnswer(200, [{ id: number }], link);
}

const smuggled = jsonAnswer(200, [{ id: 666 }]);

const unasked: readonly [string, (socket: Socket, request: string) => void][] = [
  ["in the same write", (socket, request) => void socket.write(page(pageOf(request)) + smuggled)],
  [
    "twice in the same write",
    (socket, request) => void socket.write(page(pageOf(request)) + smuggled + smuggled),
  ],
  [
    "behind the end that its length gives",
    (socket, request) => void socket.write(page(pageOf(request)).replace("[{", "[{").concat("x".repeat(50))),
  ],
  [
    "in the trailers of chunks",
    (socket, request) => {
      const number = pageOf(request);
      const text = JSON.stringify([{ id: number }]);
      const link = number < 3 ? `Link: <x?page=${number + 1}>; rel="next"\r\n` : "";
      socket.write(
        `HTTP/1.1 200 X\r\n${link}Transfer-Encoding: chunked\r\nTrailer: Link\r\n\r\n${text.length.toString(16)}\r\n${text}\r\n0\r\nLink: <x?page=9>; rel="next"\r\nContent-Encoding: gzip\r\nX-Service-OTP: required\r\n\r\n${smuggled}`,
      );
    },
  ],
];

test.each(unasked)("a response that nobody asked for, %s, answers nothing", async (_, answer) => {
  const server = await startRawServer(answer);
  const run = await runOn(server, list);
  expect(faultsOf(run)).toEqual([]);
  expect([run.code, run.stdout]).toEqual([0, '{"id":1}\n{"id":2}\n{"id":3}\n']);
  await server.close();
});

test("a response to nothing, while the connection rests, ends that connection and nothing else", async () => {
  // While the service has asked to wait, nothing is on its way.
  let count = 0;
  const server = await startRawServer((socket) => {
    count += 1;
    if (count > 1) {
      socket.write(jsonAnswer(403, { message: "no" }));
      return;
    }
    socket.write("HTTP/1.1 429 X\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n");
    setTimeout(() => socket.write("HTTP/1.1 204 X\r\n\r\n".repeat(3)), 100);
  });
  const command = { ...deletes, words: ["grant", "delete", "1", "2", "--yes", "--concurrency", "1"] };
  const run = await runOn(server, command);
  // An unsolicited response must not count as the deletion of anything.
  expect(run.stdout).toBe("refused\t1\nrefused\t2\n");
  expect(run.code).toBe(9);
  await server.close();
});

test("a 204 with a response inside of it deletes one grant and no other", async () => {
  const server = await startRawServer((socket, request) => {
    socket.write(
      request.includes("/grants/1 ")
        ? "HTTP/1.1 204 X\r\n\r\nHTTP/1.1 204 X\r\n\r\nHTTP/1.1 204 X\r\n\r\n"
        : jsonAnswer(403, { message: "no" }),
    );
  });
  const run = await runOn(server, deletes);
  expect(faultsOf({ ...run, command: { ...deletes, isWrite: false } })).toEqual([]);
  expect(run.code).toBe(9);
  expect(run.stdout.split("\n")).toEqual(["deleted\t1", "refused\t2", "refused\t3", ""]);
  await server.close();
});

test.each([
  ["a read", list],
  ["a write", deletes],
])("%s whose response comes before it was sent is not believed, or not needed", async (_, command) => {
  const server = await startRawServer(
    () => undefined,
    (socket) => {
      socket.write(command.isWrite ? "HTTP/1.1 204 X\r\n\r\n" : jsonAnswer(200, [{ id: 666 }]));
    },
  );
  const run = await runOn(server, command, ["--retries", "0", "--timeout", "1"]);
  expect(run.code).not.toBe(70);
  expect(run.leaks).toEqual([]);
  // No item is done for which no request ever arrived.
  const done = run.stdout.match(/deleted|666/g)?.length ?? 0;
  expect(done).toBeLessThanOrEqual(server.received.length);
  await server.close();
});

/** Answers once on each connection, and closes it when it is used again. */
function dyingOnReuse(answer: (request: string) => string): (socket: Socket, request: string) => void {
  const used = new Set<Socket>();
  return (socket, request) => {
    if (used.has(socket)) {
      socket.resetAndDestroy();
      return;
    }
    used.add(socket);
    socket.write(answer(request));
  };
}

test("a kept connection that dies under a read costs a retry", async () => {
  const server = await startRawServer(dyingOnReuse((request) => page(pageOf(request))));
  const run = await runOn(server, list);
  expect([run.code, run.stdout]).toEqual([0, '{"id":1}\n{"id":2}\n{"id":3}\n']);
  // It is chance if a page finds a kept connection free.
  const pages = server.received.map(pageOf);
  expect([...new Set(pages)]).toEqual([1, 2, 3]);
  expect(pages.length).toBeLessThanOrEqual(5);
  await server.close();
});

test("a kept connection that dies under a write leaves its outcome open, and it is not sent again", async () => {
  const server = await startRawServer(dyingOnReuse(() => "HTTP/1.1 204 X\r\n\r\n"));
  const run = await runOn(server, deletes);
  expect(run.code).toBe(13);
  const lines = server.received.map((request) => request.split("\r\n")[0]);
  expect(new Set(lines).size).toBe(lines.length);
  // It is chance if the second item finds the first one's connection free; the third finds one of the two.
  expect(run.stdout).toMatch(/^deleted\t1\n(?:deleted\t2\n)?unknown\t[23]\n/);
  await server.close();
});

test("a response that comes while the body is still on its way is taken, and the write is not repeated", async () => {
  const server = await startRawServer(
    () => undefined,
    (socket) => {
      socket.once("data", () => {
        socket.end(jsonAnswer(422, { message: "enough" }, ["Connection: close"]));
      });
    },
  );
  const note = "n".repeat(100_000);
  const command: Command = {
    name: "update",
    isWrite: true,
    words: ["authorization", "update", "1", "--note", note],
  };
  const run = await runOn(server, command);
  expect([1, 13]).toContain(run.code);
  expect(server.connections()).toBe(1);
  await server.close();
});
