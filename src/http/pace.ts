// How many reads may be under way at once. When the service asks to slow down, all reads wait as long as it says, and
// then only half as many run side by side; each round of reads that succeeds allows one more.

export interface Pace {
  /** Takes a place: null where one is free at once, else a promise for one. Places are given in order of arrival. */
  enter(): Promise<void> | null;
  /** Gives the place back after any answer but a request to slow down. */
  leave(): void;
  /**
   * Gives the place back and stops all reads for this time. Several requests to slow down in one round count once.
   */
  slowDown(milliseconds: number): void;
}

/** A pace without limits until the first request to slow down. */
export function createPace(sleep: (milliseconds: number) => Promise<void>): Pace {
  /** The number of places, which grows by fractions. */
  let places = Infinity;
  let taken = 0;
  let pauses = 0;
  /**
   * How many reads under way were started before the latest request to slow down: one more for these changes nothing.
   */
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
