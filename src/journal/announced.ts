// When a journal was announced as left behind: a small file beside it, which goes with it. In a loop of runs the same
// leftover is said once an hour.
import { readFile, writeFile } from "node:fs/promises";

/** What was announced is not repeated for so long. */
const silenceMs = 3_600_000;

/** The file beside a journal. */
export function announcedPath(journal: string): string {
  return `${journal}.announced`;
}

/** Whether one of these journals was not announced for an hour; notes that all of them are, now. */
export async function isNews(journals: readonly string[], now: number): Promise<boolean> {
  const silent = await Promise.all(
    journals.map(async (journal) => {
      const at = Number(await readFile(announcedPath(journal), "utf8").catch(() => "NaN"));
      return at <= now && now - at < silenceMs;
    }),
  );
  if (silent.every(Boolean)) return false;
  // Where it cannot be noted, it is said each time.
  for (const journal of journals)
    await writeFile(announcedPath(journal), String(now), { mode: 0o600 }).catch(() => undefined);
  return true;
}
