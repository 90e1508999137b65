// The items of a run in the order of their turns: those that vouch for the others come last. Without a proof token, such an
// item is looked for before the first change, and again among the items not yet started once the last one is absent itself.
import type { Failure } from "../errors/errors.ts";
import type { Tasks } from "./job.ts";
import type { Proof } from "./proof.ts";

/** The results of the reads before a change. */
export interface WitnessSearch {
  /** To be changed last, because they vouch for the others; empty if nothing does. */
  readonly last: ReadonlySet<string>;
  /** Items that need not be sent, because the server does not find them, or refuses them; with its responses. */
  readonly decided: ReadonlyMap<string, Failure>;
}

/** Reads items, whenever there is no witness, until one is found that vouches for the others. */
export type SearchWitness = (items: readonly string[], isStopped: () => boolean) => Promise<WitnessSearch>;

interface QueueOptions {
  readonly proof: Proof | null;
  readonly searchWitness?: SearchWitness | undefined;
  /** True if `searchWitness` reads all items, once and before the first change, whether or not there is a witness. */
  readonly searchReadsAll?: boolean;
}

export interface Queue {
  /** Each part is over before the next begins. An item leaves its part when it starts. */
  readonly parts: readonly Set<string>[];
  /** The first part, without those that come last. */
  readonly rest: ReadonlySet<string>;
  /** As in `WitnessSearch`, of all searches. */
  readonly decided: ReadonlyMap<string, Failure>;
  /** Searches the items that are not started for a witness, and moves it to the end; false if none of them is one. */
  findWitness(isStopped?: () => boolean): Promise<boolean>;
}

export function createQueue(tasks: Tasks, options: QueueOptions): Queue {
  const { proof, searchWitness, searchReadsAll = false } = options;
  const decided = new Map<string, Failure>();
  const rest = new Set(tasks.keys());
  const last = new Set<string>();
  /** False after a search to the end of the items. */
  let mayFind = true;
  return {
    parts: [rest, last],
    rest,
    decided,
    async findWitness(isStopped = () => false) {
      if (searchWitness === undefined || !mayFind || isStopped()) return false;
      const candidates = [...rest].filter((item) => tasks.get(item) === "change" && !decided.has(item));
      const found = await searchWitness(candidates, isStopped);
      for (const [item, failure] of found.decided) decided.set(item, failure);
      mayFind = found.last.size > 0 && !searchReadsAll;
      if (found.last.size === 0) return false;
      // Those that vouched until now are absent themselves. The loop has not ended, because a candidate was in `rest`.
      for (const item of last) rest.add(item);
      last.clear();
      for (const item of found.last) if (rest.delete(item)) last.add(item);
      proof?.limitWitnesses([...last]);
      return true;
    },
  };
}
