// A body that ends too early is a broken connection, which costs a read a retry, however often and however it ends.
import { expect } from "vitest";
import { jsonAnswer, startRawServer } from "../support/raw-server.ts";
import { environmentAt, test } from "../support/grantctl.ts";

const framings = {
  "with its length": (text: string, more: string) =>
    `HTTP/1.1 200 X\r\n${more}Content-Length: ${text.length + 9}\r\n\r\n${text}`,
  "in chunks": (text: string, more: string) =>
    `HTTP/1.1 200 X\r\n${more}Transfer-Encoding: chunked\r\n\r\n${text.length.toString(16)}\r\n${text}\r\n`,
} as const;

const cases = Object.entries(framings).flatMap(([framing, frame]) =>
  ["end", "reset"].flatMap((end) =>
    ["", "Connection: close\r\n"].flatMap((more) =>
      [1, 2, 3].map((times) => ({ framing, frame, end, more, times })),
    ),
  ),
);

test.for(cases)(
  "$times bodies in a row that end too early, $framing, by $end $more",
  async ({ frame, end, more, times }, { grantctl }) => {
    let broken = 0;
    const server = await startRawServer((socket, request) => {
      const page = Number(/[?&]page=(\d+)/.exec(request)?.[1] ?? 1);
      if (page === 2 && broken < times) {
        broken += 1;
        socket.write(frame('[{"id":2', more), () => {
          if (end === "end") socket.end();
          else setTimeout(() => socket.resetAndDestroy(), 10);
        });
        return;
      }
      const link = page < 4 ? [`Link: <x?page=${page + 1}>; rel="next", <x?page=4>; rel="last"`] : [];
      socket.write(jsonAnswer(200, [{ id: page }], link));
    });
    const run = await grantctl("grant list --json id --jq .[].id", {
      environment: environmentAt(server.root),
    });
    expect([run.code, run.stdout, run.stderr]).toEqual([0, "1\n2\n3\n4\n", ""]);
    await server.close();
  },
);
