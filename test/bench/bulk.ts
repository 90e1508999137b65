// Jobs over many tokens: the cost of the journal, the checks and the report compared with a minimal script. A reset
// is compared with a script that writes and syncs as much, because a value must not be lost; a revocation with one
// that writes nothing. The results show both scripts for each.
import { join } from "node:path";
import { findInstalled, type Program } from "./child.ts";
import { compare } from "./compare.ts";
import type { Measure, Surroundings } from "./measure.ts";
import { concurrency, floor, grantctl } from "./programs.ts";
import { withDouble } from "./servers.ts";

function tokens(count: number): string {
  return Array.from({ length: count }, (_, index) => `f${index.toString(16).padStart(39, "0")}\n`).join("");
}

/** One process per token: so slow that a twentieth of the tokens is enough. */
function xargsOf(baseUrl: string, count: number): readonly Program[] {
  if (findInstalled("xargs") === null || findInstalled("curl") === null) return [];
  const some = count / 20;
  const words = ["-P", String(concurrency), "-I", "{}", "curl", "-s", "-X", "DELETE"];
  return [
    {
      name: `xargs -P ${concurrency} curl, of ${some} tokens`,
      command: "xargs",
      words: [...words, `${baseUrl}/applications/c/tokens/{}`],
      input: tokens(some),
    },
  ];
}

function measureJob(
  name: string,
  verb: string,
  method: string,
  words: readonly string[],
  isSynced: boolean,
  peersOf: typeof xargsOf,
): Measure {
  const run = (surroundings: Surroundings): ReturnType<Measure["run"]> => {
    const count = surroundings.isQuick ? 1000 : 10_000;
    const input = tokens(count);
    return withDouble(surroundings, {}, (baseUrl) => {
      const scriptOf = (title: string, ...file: string[]): Program => ({
        ...floor(surroundings, title, "bulk-floor", [baseUrl, method, String(concurrency), ...file]),
        input,
      });
      const plain = scriptOf("undici script without a journal");
      const synced = scriptOf(
        "undici script with the same syncs",
        join(surroundings.folder, "floor.journal"),
      );
      return compare({
        name,
        says: `${count} tokens ${verb}, ${concurrency} at a time`,
        ours: { ...grantctl(surroundings, words, baseUrl), input },
        floor: isSynced ? synced : plain,
        peers: [isSynced ? plain : synced, ...peersOf(baseUrl, count)],
        rounds: Math.max(3, Math.ceil(surroundings.runs / 2)),
      });
    });
  };
  return { name, run };
}

export const bulkMeasures: readonly Measure[] = [
  measureJob("bulk-revoke", "revoked", "DELETE", ["token", "revoke", "--yes"], false, xargsOf),
  measureJob("bulk-reset", "reset", "POST", ["token", "reset", "--yes"], true, () => []),
];
