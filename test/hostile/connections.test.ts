// Reused connections: unsolicited and early responses, and connections that break on reuse.
import { describe, expect, test } from "vitest";
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

/** A page of three with one grant, whose id is the page number. */
function page(number: number): string {
  const link = number < 3 ? [`Link: <x?page=${number + 1}>; rel="next"`] : [];
  return jsonAnswer(200, [{ id: number }], link);
}

const smuggled = jsonAnswer(200, [{ id: 666 }]);

const unasked: readonly [string, (socket: Socket, request: string) => void][] = [
  ["in the same write", (socket, request) => void socket.write(page(pageOf(request)) + smuggled)],
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

test.each(unasked)("an unsolicited response, %s, is ignored", async (_, answer) => {
  const server = await startRawServer(answer);
  const run = await runOn(server, list);
  expect(faultsOf(run)).toEqual([]);
  expect([run.code, run.stdout]).toEqual([0, '{"id":1}\n{"id":2}\n{"id":3}\n']);
  await server.close();
});

test("an unsolicited response on an idle connection only closes that connection", async () => {
  // Nothing is in flight while grantctl waits for the Retry-After of the server.
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
  // An unsolicited response must not count as a deletion.
  expect(run.stdout).toBe("failed\t1\nfailed\t2\n");
  expect(run.code).toBe(1);
  await server.close();
});

test("a 204 that contains more responses deletes only one grant", async () => {
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
  expect(run.stdout.split("\n")).toEqual(["deleted\t1", "failed\t2", "failed\t3", ""]);
  await server.close();
});

test.each([
  ["a read", list],
  ["a write", deletes],
])("of %s whose response precedes its request, no more is counted than was requested", async (_, command) => {
  const server = await startRawServer(
    () => undefined,
    (socket) => {
      socket.write(command.isWrite ? "HTTP/1.1 204 X\r\n\r\n" : jsonAnswer(200, [{ id: 666 }]));
    },
  );
  const run = await runOn(server, command, ["--timeout", "1"]);
  expect(run.code).not.toBe(1);
  expect(run.leaks).toEqual([]);
  // The output must not count more items than the server received requests.
  const done = run.stdout.match(/deleted|666/g)?.length ?? 0;
  expect(done).toBeLessThanOrEqual(server.received.length);
  await server.close();
});

/** Responds once per connection, and resets the connection on reuse. */
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

test("a kept connection that breaks during a read costs a retry", async () => {
  const server = await startRawServer(dyingOnReuse((request) => page(pageOf(request))));
  const run = await runOn(server, list);
  expect([run.code, run.stdout]).toEqual([0, '{"id":1}\n{"id":2}\n{"id":3}\n']);
  // Reuse of an idle connection depends on timing.
  const pages = server.received.map(pageOf);
  expect([...new Set(pages)]).toEqual([1, 2, 3]);
  expect(pages.length).toBeLessThanOrEqual(5);
  await server.close();
});

describe.each(["end", "resetAndDestroy"] as const)("answers cut off by %s", (cut) => {
  test.each([
    ["with a length", 2],
    ["with a length", 3],
    ["in chunks", 2],
    ["in chunks", 3],
    ["with a length, on connections to be closed", 3],
    ["in chunks, on connections to be closed", 3],
  ])("%s, %i in a row: the list is whole", async (framing, count) => {
    const close = framing.endsWith("closed") ? "Connection: close\r\n" : "";
    const measure = framing.startsWith("in chunks") ? "Transfer-Encoding: chunked" : "Content-Length: 10";
    const start = framing.startsWith("in chunks") ? 'a\r\n[{"id"' : '[{"id"';
    const half = `HTTP/1.1 200 X\r\n${close}${measure}\r\n\r\n${start}`;
    let left = count;
    const server = await startRawServer((socket, request) => {
      const number = pageOf(request);
      if (number !== 2 || left === 0) {
        socket.write(page(number));
        return;
      }
      left -= 1;
      // A reset discards what the receiver has not read.
      socket.write(half, () => setTimeout(() => socket[cut](), 30));
    });
    const run = await runOn(server, list);
    expect([run.code, run.stdout]).toEqual([0, '{"id":1}\n{"id":2}\n{"id":3}\n']);
    expect(server.received.map(pageOf)).toEqual([1, ...Array.from({ length: count }, () => 2), 2, 3]);
    await server.close();
  });
});

test("a kept connection that breaks during a write leaves its outcome unknown, and it is not sent again", async () => {
  const server = await startRawServer(dyingOnReuse(() => "HTTP/1.1 204 X\r\n\r\n"));
  const run = await runOn(server, deletes);
  expect(run.code).toBe(13);
  const lines = server.received.map((request) => request.split("\r\n")[0]);
  expect(new Set(lines).size).toBe(lines.length);
  // The second item may or may not reuse the first one's connection; the third reuses one of the two.
  expect(run.stdout).toMatch(/^deleted\t1\n(?:deleted\t2\n)?unknown\t[23]\n/);
  await server.close();
});
