// Journals whose files are closed after the test. A test leaves a journal open to simulate a killed process, and since
// Node 26 a file handle that is garbage-collected while open ends the process.
import { onTestFinished } from "vitest";
import { createJournals, type Journals } from "../../src/journal/journals.ts";

/** Like `createJournals`, for the running test. */
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
