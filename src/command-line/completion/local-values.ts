// What can be completed from this machine alone: profiles and their settings, and what earlier runs left. Asks no
// service and no keychain, and changes nothing: it runs whenever Tab is pressed.
import { readdir } from "node:fs/promises";
import type { Context } from "../../run/context.ts";
import { sanitise } from "../../output/sanitise.ts";
import type { LocalValues } from "./values.ts";
import type { Offer } from "./offers.ts";

/** The values of one kind with their descriptions, without those that a shell would split into several words. */
export async function findLocalValues(of: LocalValues, context: Context): Promise<readonly Offer[]> {
  const found = of === "leftovers" ? await leftoverIds(context) : settingValues(of, context);
  const offers = new Map<string, Offer>();
  for (const { word, means } of found) {
    // A value with control characters or blanks is not offered.
    if (word === "" || sanitise(word) !== word || /\s/.test(word)) continue;
    offers.set(word, { word, means: sanitise(means).replaceAll(/\s+/g, " ") });
  }
  return [...offers.values()];
}

function settingValues(of: Exclude<LocalValues, "leftovers">, context: Context): readonly Offer[] {
  const profiles = [...context.configured.configuration.profiles];
  if (of === "profiles") {
    return profiles.map(([name, values]) => ({ word: name, means: values.base_url ?? "" }));
  }
  return profiles.map(([, values]) => ({ word: values[of] ?? "", means: "" }));
}

/**
 * The ids of leftovers, from the names of their files: `leftovers()` would delete journals that hold nothing any more.
 */
async function leftoverIds(context: Context): Promise<readonly Offer[]> {
  const names = await readdir(context.stateFolder()).catch(() => []);
  return names
    .flatMap((name) =>
      name.endsWith(".journal") ? [{ word: name.slice(0, -".journal".length), means: "" }] : [],
    )
    .toSorted((one, other) => (one.word < other.word ? -1 : 1));
}
