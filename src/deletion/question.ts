// What is asked before a deletion: what, called what, where, and what goes with it; first of all whether it is what this
// very run, or another on this machine, lives on.
import { foreign } from "../errors/foreign.ts";
import { sanitise } from "../output/sanitise.ts";
import { shorten } from "../output/shorten.ts";

/** One thing to delete, in the words of a person. */
export interface NamedItem {
  readonly id: string;
  /** The name first, then whose it is; empty where the service said nothing. */
  readonly names: readonly string[];
  /** What it is to this machine, as in "the token in GRANTCTL_TOKEN"; null for nothing. */
  readonly inUse: string | null;
}

/** What is deleted. */
export interface Words {
  /** In the singular. */
  readonly name: string;
  /** What goes with it; continues "delete grant 42, …" and "delete 2 grants, …". */
  readonly effect: { readonly ofOne: string; readonly ofMany: string };
}

/** More names than these say less than their number. */
const mostNamed = 10;
const longestName = 40;

/** The question. */
export function deletionQuestion(items: readonly NamedItem[], address: string, words: Words): string {
  const [only] = items;
  const isOne = items.length === 1;
  const own = items.filter(({ inUse }) => inUse !== null);
  const warnings = own
    .slice(0, mostNamed)
    .map(({ id, inUse }) => `${isOne ? "This" : `${words.name} ${id}`} is ${inUse ?? ""}. `)
    .map((text) => text.charAt(0).toUpperCase() + text.slice(1));
  const what = isOne ? `${words.name} ${only?.id ?? ""}` : `${items.length} ${words.name}s`;
  const effect = isOne ? words.effect.ofOne : words.effect.ofMany;
  return `${warnings.join("")}Delete ${what}${namesInBrackets(items)} at ${address}, ${effect}?`;
}

/** The plan of a dry run. */
export function deletionPlan(items: readonly NamedItem[], address: string, words: Words): string {
  const [only] = items;
  const what = items.length === 1 ? `${words.name} ${only?.id ?? ""}` : `${items.length} ${words.name}s`;
  return `would delete ${what}${namesInBrackets(items, foreign)} at ${address}`;
}

/** Up to ten names, behind a blank, each marked as others' words; nothing where there is none to tell. */
function namesInBrackets(
  items: readonly NamedItem[],
  mark: (text: string) => string = (text) => text,
): string {
  if (items.every(({ names }) => names.length === 0)) return "";
  const shown = items.slice(0, mostNamed).map(({ id, names }) => {
    // Made safe before it is cut: an escape is longer than what it stands for.
    const quoted = names.map((name) => `"${mark(shorten(sanitise(name), longestName))}"`);
    return quoted.length === 0 ? id : quoted.join(" of ");
  });
  const more = items.length - shown.length;
  return ` (${shown.join(", ")}${more === 0 ? "" : `, and ${more} more`})`;
}
