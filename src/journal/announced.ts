// Remembers when a leftover was last announced, in a small file beside its journal, so that commands in a loop announce
// the same leftover once an hour. The file is deleted with its journal.
import { writeFile } from "node:fs/promises";
import { readPlainFile } from "../files/bounded-reads.ts";

/** For this time after an announcement, the same leftover is not announced again. */
const silenceMs = 3_600_000;

/** The path of that file beside a journal. */
export function announcedPath(journal: string): string {
  return `${journal}.announced`;
}

/** Whether one of these journals was not announced within the last hour; if so, notes that all are announced now. */
export async function isNews(journals: readonly string[], now: number): Promise<boolean> {
  const silent = await Promise.all(
    journals.map(async (journal) => {
      const at = Number(await readPlainFile(announcedPath(journal)).then(String, () => "NaN"));
      return at <= now && now - at < silenceMs;
    }),
  );
  if (silent.every(Boolean)) return false;
  // Where the file cannot be written, the leftover is announced each time.
  for (const journal of journals)
    await writeFile(announcedPath(journal), String(now), { mode: 0o600 }).catch(() => undefined);
  return true;
}
