// The pages of all commands, which the build writes beside the code (build.mjs), a line of JSON each: where nothing but
// help is asked for, no command has to be loaded and defined to be described.
import type { CommandEntry } from "../lazy-commands.ts";
import type { Page } from "./page.ts";

/**
 * The name of the page that these words ask for, as in `grantctl token reset`; null where they ask for anything else
 * besides, or for no page of a command by its full name.
 */
export function pageAskedFor(words: readonly string[], entries: readonly CommandEntry[]): string | null {
  const path = pathIn(words);
  if (path === null || path.length > 2) return null;
  const [noun, verb] = path;
  if (noun === undefined) return "grantctl";
  const entry = entries.find(({ name, aliases = [] }) => name === noun || aliases.includes(noun));
  if (entry === undefined) return null;
  if (verb === undefined) return `grantctl ${entry.name}`;
  return typeof entry.load === "object" && Object.hasOwn(entry.load, verb)
    ? `grantctl ${entry.name} ${verb}`
    : null;
}

/** The words of the command in `token reset --help` and in `help token reset`. */
function pathIn(words: readonly string[]): readonly string[] | null {
  const last = words.at(-1);
  if (last === "--help" || last === "-h") return words.slice(0, -1);
  return words[0] === "help" ? words.slice(1) : null;
}

/** The page of this name; null where it was not kept. */
export function findPage(kept: string, name: string): Page | null {
  const begin = kept.indexOf(`{"name":${JSON.stringify(name)},`);
  return begin === -1 ? null : (JSON.parse(kept.slice(begin, kept.indexOf("\n", begin))) as Page);
}
