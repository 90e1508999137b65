// How many reads may be on their way at once, as far as the service minds. Where it asks to slow down, all wait as long
// as it says, half as many go on, and with each round that works there is room for one more.

export interface Pace {
  /** Takes a place; null where there is one at once. What waits gets its place in the order in which it came. */
  enter(): Promise<void> | null;
  /** Gives the place back, after an answer that was no request to slow down. */
  leave(): void;
  /** Gives the place back and lets nobody go for so long. Several that were on their way together count as one. */
  slowDown(milliseconds: number): void;
}

/** A pace without limits until the first request to slow down. */
export function createPace(sleep: (milliseconds: number) => Promise<void>): Pace {
  /** Grows by fractions. */
  let places = Infinity;
  let taken = 0;
  let pauses = 0;
  /** How many of those on their way were let go before the latest slowing down: they say nothing new. */
  let old = 0;
  const waiting: (() => void)[] = [];

  const isFree = (): boolean => pauses === 0 && taken < Math.floor(places);
  const admit = (): void => {
    while (waiting.length > 0 && isFree()) {
      taken += 1;
      waiting.shift()?.();
    }
  };

  const pause = async (milliseconds: number): Promise<void> => {
    pauses += 1;
    await sleep(milliseconds);
    pauses -= 1;
    admit();
  };

  return {
    enter() {
      if (waiting.length === 0 && isFree()) {
        taken += 1;
        return null;
      }
      return new Promise((resolve) => {
        waiting.push(resolve);
      });
    },
    leave() {
      taken -= 1;
      if (old > 0) old -= 1;
      else places += 1 / Math.max(1, Math.floor(places));
      admit();
    },
    slowDown(milliseconds) {
      if (old > 0) old -= 1;
      else {
        places = Math.max(1, Math.floor(Math.min(places, taken) / 2));
        old = taken - 1;
      }
      taken -= 1;
      void pause(milliseconds);
    },
  };
}
