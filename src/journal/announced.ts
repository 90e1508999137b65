// Remembers when the user was last told of a journal that was left behind, in a small file beside it. That way,
// commands in a loop tell of the same leftover once an hour. The file is deleted with its journal.
import { readFile, writeFile } from "node:fs/promises";

/** So long after it was announced, a leftover is not announced again. */
const silenceMs = 3_600_000;

/** The path of that file beside a journal. */
export function announcedPath(journal: string): string {
  return `${journal}.announced`;
}

/** Whether one of these journals was not announced within the last hour; notes that all of them are announced now. */
export async function isNews(journals: readonly string[], now: number): Promise<boolean> {
  const silent = await Promise.all(
    journals.map(async (journal) => {
      const at = Number(await readFile(announcedPath(journal), "utf8").catch(() => "NaN"));
      return at <= now && now - at < silenceMs;
    }),
  );
  if (silent.every(Boolean)) return false;
  // Where the file cannot be written, the leftover is announced each time.
  for (const journal of journals)
    await writeFile(announcedPath(journal), String(now), { mode: 0o600 }).catch(() => undefined);
  return true;
}
