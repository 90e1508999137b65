// Whether connections can be used again. Some servers close each connection behind its answer without saying so: a
// request that was already on its way on it has no outcome then. Some send a second answer behind the first: the next
// request would get that one. So connections rest for a moment after the first answer, and where one of them breaks
// meanwhile, each is used once.
import type { Connector } from "./connector.ts";

/** How long connections rest: such servers close them, or say more, within a few milliseconds. */
const restMs = 10;

export interface Trial {
  /** The same connector, whose connections are watched. */
  watching(connect: Connector): Connector;
  /** To be called with each answer; the rest begins with the first. */
  begin(): void;
  /** Resolves when the rest is over; null where it is over, or has not begun. */
  untilOver(): Promise<void> | null;
  /** To be called when a connection broke under a request: from then on, each is used once. */
  fail(): void;
  /** Whether each connection is to be used once. */
  isFailed(): boolean;
}

/** A rest that has begun. */
export interface Rest {
  /** Resolves when connections have rested for long enough. */
  readonly over: Promise<void>;
  /** Keeps the process until then: a run that sends nothing more does not wait for it. */
  hold(): void;
}

export function createTrial(startRest: () => Rest = restShortly): Trial {
  let isOver = false;
  let isFailed = false;
  let rest: Rest | null = null;
  const noteOver = async (over: Promise<void>): Promise<void> => {
    await over;
    isOver = true;
  };
  const noteEnd = (): void => {
    isFailed ||= !isOver;
  };
  return {
    watching: (connect) => (options, callback) =>
      connect(options, (...[error, socket]: Parameters<typeof callback>) => {
        if (error !== null) {
          callback(error, null);
          return;
        }
        socket.once("end", noteEnd).on("error", (cause: NodeJS.ErrnoException) => {
          // undici itself ends a connection in this way when the server has said that it will close it.
          if (cause.code !== "UND_ERR_INFO") noteEnd();
        });
        callback(null, socket);
      }),
    begin() {
      if (rest !== null) return;
      rest = startRest();
      void noteOver(rest.over);
    },
    untilOver() {
      if (rest === null || isOver) return null;
      rest.hold();
      return rest.over;
    },
    fail() {
      isFailed = true;
    },
    isFailed: () => isFailed,
  };
}

function restShortly(): Rest {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, restMs).unref();
  });
  return { over, hold: () => void timer?.ref() };
}
