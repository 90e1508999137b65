// What can be completed from this machine alone: profiles and their settings, and what earlier runs left. Asks no
// service and no keychain, and changes nothing: it runs whenever Tab is pressed.
import { readdir } from "node:fs/promises";
import type { Context } from "../../run/context.ts";
import { sanitise } from "../../output/sanitise.ts";
import type { LocalValues } from "./values.ts";
import type { Offer } from "./words.ts";

/** What is found of it, each with what it is, as far as a shell takes it for a word and no more. */
export async function findLocalValues(of: LocalValues, context: Context): Promise<readonly Offer[]> {
  const found = of === "leftovers" ? await leftoverIds(context) : settingValues(of, context);
  const offers = new Map<string, Offer>();
  for (const { word, means } of found) {
    // A value that needs more than quotes on a command line is not worth a surprise.
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

/** By the names of their files: opening them would take away those that have nothing left to tell. */
async function leftoverIds(context: Context): Promise<readonly Offer[]> {
  const names = await readdir(context.stateFolder()).catch(() => []);
  return names
    .flatMap((name) =>
      name.endsWith(".journal") ? [{ word: name.slice(0, -".journal".length), means: "" }] : [],
    )
    .toSorted((one, other) => (one.word < other.word ? -1 : 1));
}
