// undici's agent, with connections that are still good: after the process was stopped or the machine slept, those of
// before are left, because the server may have closed them meanwhile, and a write on such a one has no answer. undici
// counts the ticks of its own timer, which stands still then.
import type { Agent } from "undici";

/** The clock is looked at so often; what comes this much later was kept from running. */
const beatMs = 250;
const lateMs = 500;

export interface FreshAgents {
  /** The agent for the next request. What is under way with one of before goes on. */
  current(): Agent;
  /** Ends all connections. */
  destroy(): Promise<unknown>;
}

/** Agents as `create` makes them. `now` is in milliseconds since the epoch, and goes on while the machine sleeps. */
export function createFreshAgents(create: () => Agent, now: () => number): FreshAgents {
  let agent = create();
  let seenAt = now();
  const left = new Set<Agent>();
  const leave = async (old: Agent): Promise<void> => {
    left.add(old);
    await old.close().catch(() => undefined);
    left.delete(old);
  };
  const look = (): void => {
    const time = now();
    if (time - seenAt > beatMs + lateMs) {
      void leave(agent);
      agent = create();
    }
    seenAt = time;
  };
  const beat = setInterval(look, beatMs).unref();
  return {
    current() {
      look();
      return agent;
    },
    destroy() {
      clearInterval(beat);
      return Promise.all([agent, ...left].map((one) => one.destroy()));
    },
  };
}
