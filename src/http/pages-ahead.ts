// Fetches the pages of a list before they are read: `concurrency` at once, in order. While the reader waits for a slow one,
// as many again may come before it, so that one slow answer does not hold back the others.
import { untilFree } from "./free-connections.ts";

export interface PagesAhead<Page> {
  /** Resolves with the next page in order, which is fetched if it is not under way. */
  take(): Promise<Page>;
  /**
   * Fetches pages up to `furthest` from now on. Resolves when as many requests are made as may be under way; false
   * where there are none.
   */
  fetchTo(furthest: number): Promise<boolean>;
  /** From now on, no page is fetched ahead. */
  end(): void;
}

/** The pages from `first` on. */
export function createPagesAhead<Page>(
  fetchPage: (page: number) => Promise<Page>,
  concurrency: number,
  first: number,
): PagesAhead<Page> {
  /** The pages that were asked for and not taken yet. */
  const ahead: Promise<Page>[] = [];
  let asked = first - 1;
  let underWay = 0;
  let furthest = 0;
  let isWaitedFor = false;
  let isOver = false;
  let filling: Promise<void> | null = null;

  const ask = (): Promise<Page> => {
    asked += 1;
    underWay += 1;
    const page = fetchPage(asked);
    // Awaited when its turn comes; until then a failure must not count as unhandled. The list ends with it, so that it
    // makes no room.
    page.then(makeRoom, () => undefined);
    return page;
  };
  const isToAsk = (): boolean =>
    !isOver &&
    asked < furthest &&
    underWay < concurrency &&
    ahead.length < (isWaitedFor ? 2 * concurrency - 1 : concurrency);
  const askMore = async (): Promise<void> => {
    while (isToAsk()) {
      // The first takes the connection of the page that came, and is on its way before the others open theirs.
      await untilFree();
      if (isToAsk()) ahead.push(ask());
    }
    filling = null;
  };
  /** To be called where a page is to be asked for. */
  const fill = (): Promise<void> => (filling ??= askMore());
  const makeRoom = (): void => {
    underWay -= 1;
    if (isToAsk()) void fill();
  };

  return {
    async take() {
      const page = ahead.shift() ?? ask();
      // Where it is there already, this is over before the next one is asked for.
      isWaitedFor = true;
      if (isToAsk()) void fill();
      try {
        return await page;
      } finally {
        isWaitedFor = false;
      }
    },
    async fetchTo(page) {
      furthest = page;
      if (isToAsk()) await fill();
      return ahead.length > 0;
    },
    end() {
      isOver = true;
    },
  };
}
