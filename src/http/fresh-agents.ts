// undici's agent, replaced after the process was stopped or the machine slept: the server may have closed the old
// connections meanwhile, and a write on a closed one gets no answer. undici does not notice, because its own timer
// stands still with the process.
import type { Agent } from "undici";

/** How often the clock is read, and how late a reading has to be to show that the process stood still. */
const beatMs = 250;
const lateMs = 500;

export interface FreshAgents {
  /** The agent for the next request. Requests under way with an earlier agent go on. */
  current(): Agent;
  /** Ends all connections. */
  destroy(): Promise<unknown>;
}

/** Agents that `create` makes. `now` is in milliseconds since the epoch, and goes on while the machine sleeps. */
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
