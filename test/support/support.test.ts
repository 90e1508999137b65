// The suite's own tools: the runner, its clock and the double of a server.
import { expect } from "vitest";
import { test } from "./grantctl.ts";
import { grantJson } from "./resources.ts";
import { cut, json, on, raw, startServer } from "./serve.ts";

const limited = json(429, {}, { "Retry-After": "30" });

test("answers are given in order, and waits take no time", async ({ grantctl, serve, clock }) => {
  const server = await serve(on("GET /applications/grants/:id", limited, cut, json(200, grantJson())));
  const { code, stdout } = await grantctl("grant view 42 --json id");
  expect([code, stdout, server.lines().length]).toEqual([0, '{"id":42}\n', 3]);
  expect(clock.waits[0]).toBeGreaterThanOrEqual(30_000);
});

test("a request that nothing answers is reported", async ({ grantctl }) => {
  const server = await startServer();
  const environment = { GRANTCTL_BASE_URL: server.root, GRANTCTL_USERNAME: "o", GRANTCTL_PASSWORD: "p" };
  await grantctl("grant view 42", { environment });
  await server.close();
  expect(server.unhandled()).toContain("GET /applications/grants/42");
});

test("bytes are sent as they are, to the program as a process", async ({ grantctl, serve }) => {
  const answer = raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{");
  await serve(on("GET /applications/grants/:id", answer, json(404, {})));
  const { code } = await grantctl("grant view 42", { as: "process" });
  expect(code).toBe(3);
});
