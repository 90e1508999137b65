// When the transport replaces its agent, counted in agents. transport.test.ts shows the effect on requests.
import type { Agent } from "undici";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createAgentPool } from "../../src/http/connector.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval"] });
});
afterEach(() => {
  vi.useRealTimers();
});

test.each([
  [1, 0, 2],
  [1, 1, 1],
  [2, 1, 2],
  [2, 2, 1],
])(
  "with %i slow requests, %i of them waiting for a connection, there are %i agents",
  (late, connecting, agents) => {
    const closing = { close: () => Promise.resolve(), destroy: () => Promise.resolve() };
    const create = vi.fn<() => Agent>(() => closing as unknown as Agent);
    const fresh = createAgentPool(
      create,
      () => 0,
      () => connecting,
    );
    fresh.acquire().release(true);
    for (let count = 0; count < late; count += 1) fresh.acquire();
    vi.advanceTimersByTime(1000);
    expect(create).toHaveBeenCalledTimes(agents);
    void fresh.destroy();
  },
);
