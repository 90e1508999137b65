// undici's agent, replaced when its connections may do harm. After the process was stopped or the machine slept, the
// server may have closed them, and a write on a closed one gets no answer. undici does not notice, because its own timer
// stands still with the process. While a request waits long, an idle one may be the reason: a server that serves one
// connection at a time answers no other before that one is closed.
import type { Agent } from "undici";
import { createUnderWay } from "./under-way.ts";

/** How often the clock is read, and how late a reading has to be to show that the process stood still. */
const beatMs = 250;
const lateMs = 500;

/**
 * How many beats a request waits before its agent is replaced. Where even the quickest answer took some, they are a
 * multiple of that, because opening a connection takes such a time, too.
 */
const patience = { least: 4, timesQuickest: 8 };

export interface Turn {
  /** The agent for this request. Requests under way with an earlier agent go on. */
  readonly agent: Agent;
  /** To be called when the request is over, with its whole answer or without. */
  end(isAnswered: boolean): void;
}

export interface FreshAgents {
  /** For the next request. */
  begin(): Turn;
  /** Ends all connections. */
  destroy(): Promise<unknown>;
}

/**
 * Agents that `create` makes. `now` is in milliseconds since the epoch, and goes on while the machine sleeps.
 * `countConnecting` counts the connections that are being opened.
 */
export function createFreshAgents(
  create: () => Agent,
  now: () => number,
  countConnecting: () => number,
): FreshAgents {
  let agent = create();
  let seenAt = now();
  let beats = 0;
  /** The fewest beats that a whole answer took. */
  let quickest = Infinity;
  /** `since` is the beat since which a request waits beside this agent's connections. */
  const underWay = createUnderWay<{ since: number }>();
  const left = new Set<Agent>();
  const leave = async (old: Agent): Promise<void> => {
    left.add(old);
    await old.close().catch(() => undefined);
    left.delete(old);
  };
  const renew = (): void => {
    void leave(agent);
    agent = create();
    for (const request of underWay) request.since = beats;
  };
  const look = (): void => {
    const time = now();
    if (time - seenAt > beatMs + lateMs) renew();
    seenAt = time;
  };
  const beat = setInterval(() => {
    look();
    beats += 1;
    const longest = Math.max(patience.least, patience.timesQuickest * quickest);
    const late = [...underWay].filter(({ since }) => beats - since >= longest).length;
    // A server with a short queue drops connections that are opened at once. They are tried again after a second, and
    // opening all others anew would only fill the queue again.
    if (late > countConnecting()) renew();
  }, beatMs).unref();
  return {
    begin() {
      look();
      const sentAt = beats;
      const request = { since: sentAt };
      underWay.add(request);
      return {
        agent,
        end(isAnswered) {
          underWay.remove(request);
          if (isAnswered) quickest = Math.min(quickest, beats - sentAt);
        },
      };
    },
    destroy() {
      clearInterval(beat);
      return Promise.all([agent, ...left].map((one) => one.destroy()));
    },
  };
}
