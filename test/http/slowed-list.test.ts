// The number of concurrent page requests after the server throttles, over a real socket.
import { onTestFinished, expect, test } from "vitest";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { runMain } from "../support/test-host.ts";

/** One round of requests: this many are in flight before any is answered. */
interface Round {
  readonly together: number;
  readonly isRefused: boolean;
}

/** The first page names the last one; then two rounds at full concurrency; then rounds at half. */
const rounds: readonly Round[] = [
  { together: 1, isRefused: false },
  { together: 8, isRefused: false },
  { together: 8, isRefused: true },
  { together: 4, isRefused: false },
];

test("a list continues with half the concurrency after rejections, and is complete", async () => {
  const pages = 40;
  const held: (() => void)[] = [];
  const most: number[] = [];
  let round = 0;
  let refusedAt = 0;
  const early: number[] = [];
  const answerHeld = (): void => {
    most.push(held.length);
    round += 1;
    for (const answer of held.splice(0)) answer();
  };
  const server = createServer((request, response) => {
    const page = Number(/[?&]page=(\d+)/.exec(request.url ?? "")?.[1] ?? 1);
    const { together, isRefused } = rounds[round] ?? { together: 1, isRefused: false };
    // The limit does not depend on slow responses.
    if (refusedAt > 0 && Date.now() - refusedAt < 900) early.push(page);
    held.push(() => {
      if (isRefused) {
        refusedAt = Date.now();
        response.writeHead(429, { "Retry-After": "1" }).end();
        return;
      }
      const links =
        page < pages
          ? `<x?page=${page + 1}>; rel="next", <x?page=${pages}>; rel="last"`
          : `<x?page=1>; rel="first"`;
      response
        .writeHead(200, { "Content-Type": "application/json", Link: links })
        .end(JSON.stringify([{ id: page }]));
    });
    // Gives an excess request time to arrive.
    if (held.length === together) setTimeout(answerHeld, together === 1 ? 0 : 100);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const run = await runMain(["authorization", "list", "--json", "id", "--jq", "[.[].id]"], {
    environment: {
      GRANTCTL_BASE_URL: `http://127.0.0.1:${port}`,
      GRANTCTL_USERNAME: "octavia",
      GRANTCTL_PASSWORD: "a password",
    },
  });
  expect([run.code, run.stderr]).toEqual([0, ""]);
  expect(JSON.parse(run.stdout)).toEqual(Array.from({ length: pages }, (_, index) => index + 1));
  expect(most.slice(0, rounds.length)).toEqual(rounds.map(({ together }) => together));
  expect(early).toEqual([]);
});
