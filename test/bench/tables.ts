// Tables: the cost of drawing compared with the same rows in another format, and its growth with the length.
import type { Program } from "./child.ts";
import { compare } from "./compare.ts";
import type { Measure } from "./measure.ts";
import { grantctl } from "./programs.ts";
import { withDouble } from "./servers.ts";

const list = ["authorization", "list"];
const table = [...list, "--format", "table"];

interface Drawing {
  readonly pages: number;
  readonly says: (rows: number) => string;
  /** Arguments of the command that a table is compared with. */
  readonly besideWords: (rows: number) => readonly string[];
  readonly isShort?: boolean;
}

function measureTable(name: string, { pages: all, says, besideWords, isShort = false }: Drawing): Measure {
  return {
    name,
    run(surroundings) {
      const pages = surroundings.isQuick ? Math.ceil(all / 10) : all;
      const rows = pages * 100;
      return withDouble(surroundings, { pages }, (baseUrl) => {
        const words = besideWords(rows);
        const beside: Program = grantctl(surroundings, words, baseUrl);
        return compare({
          name,
          says: says(rows),
          ours: grantctl(surroundings, table, baseUrl),
          floor: { ...beside, name: ["grantctl", ...words.slice(list.length)].join(" ") },
          rounds: isShort ? surroundings.runs : 3,
        });
      });
    },
  };
}

export const tableMeasures: readonly Measure[] = [
  measureTable("table-json", {
    pages: 1,
    says: () => "one page of 100 as a table, relative to JSON",
    besideWords: () => [...list, "--json"],
    isShort: true,
  }),
  measureTable("table-tsv", {
    pages: 200,
    says: (rows) => `a table of ${rows} rows, relative to tsv`,
    besideWords: () => [...list, "--format", "tsv"],
  }),
  measureTable("table-length", {
    pages: 1000,
    says: (rows) => `a table of ${rows} rows, relative to ${rows / 10} rows`,
    besideWords: (rows) => [...table, "--limit", String(rows / 10)],
  }),
];
