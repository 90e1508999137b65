// Journals whose files are closed when the test is over. A test leaves one open where it plays a process that was killed;
// from Node 26 on, a file that the garbage collector finds open ends the process.
import { onTestFinished } from "vitest";
import { createJournals, type Journals } from "../../src/journal/journals.ts";

/** As `createJournals`, for the running test. */
export function createClosingJournals(...options: Parameters<typeof createJournals>): Journals {
  const journals = createJournals(...options);
  return {
    ...journals,
    async create(...head) {
      const journal = await journals.create(...head);
      onTestFinished(() => journal.close());
      return journal;
    },
    async reopen(...path) {
      const reopened = await journals.reopen(...path);
      onTestFinished(() => reopened.journal.close());
      return reopened;
    },
  };
}
