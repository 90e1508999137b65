// One line at a run's start about the values and journals that earlier runs left, so that none is forgotten. A loop of
// runs shows it once an hour.
import { readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import type { Context } from "./context.ts";
import { counted } from "../errors/words.ts";
import { readPlainFile } from "../files/bounded-reads.ts";
import type { Leftover } from "../journal/leftover.ts";

/** So many of the newest journals are looked at: thousands of them must not slow every command down. */
const mostLookedAt = 50;

/** Announces leftovers. Loads its modules only where there are files to look at; never fails a run. */
export async function announceLeftovers(context: Context, resumed: string | undefined): Promise<void> {
  if (context.options.quiet === true) return;
  const number = countJournals(context.stateFolder());
  if (number === 0) return;
  const journals = await context.journals();
  const { isCommandRunning, summaryOf } = await import("../journal/leftover.ts");
  const leftovers: Leftover[] = [];
  for (const leftover of await journals.leftovers(mostLookedAt).catch(() => [])) {
    const isResumed = resumed === leftover.id || resumed === leftover.path;
    if (!isResumed && !(await isCommandRunning(leftover, context.host.processes))) leftovers.push(leftover);
  }
  const paths = leftovers.map(({ path }) => path);
  if (paths.length === 0 || !(await isNews(paths, context.host.now()))) return;
  const summaries = leftovers.map(summaryOf);
  const count = (name: string, numberOf: (summary: (typeof summaries)[number]) => number): string => {
    const sum = summaries.reduce((total, summary) => total + numberOf(summary), 0);
    return sum === 0 ? "" : counted(sum, name);
  };
  const parts = [
    count("token value", ({ values }) => values),
    count("unknown outcome", ({ unknown }) => unknown),
    count("orphaned token", ({ state }) => Number(state === "orphaned token")),
    count("unfinished job", ({ isJob }) => Number(isJob)),
    count("damaged journal", ({ state }) => Number(state === "damaged")),
  ].filter((part) => part !== "");
  const least = number > mostLookedAt ? "at least " : "";
  context.notices.note(`note: earlier runs left ${least}${parts.join(", ")}: grantctl recover list`);
}

/** How many journals are in the folder, those of running processes included. */
function countJournals(folder: string): number {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(".journal")).length;
  } catch {
    return 0;
  }
}

/** For this time after an announcement, the same leftover is not announced again. */
const silenceMs = 3_600_000;

/** Whether one of these journals was not announced within the last hour; if so, notes that all are announced now. */
async function isNews(journals: readonly string[], now: number): Promise<boolean> {
  const { companionPath } = await import("../journal/state-folder.ts");
  const silent = await Promise.all(
    journals.map(async (journal) => {
      const at = Number(await readPlainFile(companionPath(journal, "announced")).then(String, () => "NaN"));
      return at <= now && now - at < silenceMs;
    }),
  );
  if (silent.every(Boolean)) return false;
  // If the file cannot be written, the leftover is announced each time.
  for (const journal of journals)
    await writeFile(companionPath(journal, "announced"), String(now), { mode: 0o600 }).catch(() => undefined);
  return true;
}
