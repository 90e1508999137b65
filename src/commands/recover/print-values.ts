// Prints kept tokens on standard output: alone on a line, or as JSON.
import type { Context } from "../../run/context.ts";
import { toJson } from "../../json/exact-json.ts";
import type { Presentation } from "../../output/presentation.ts";
import { sanitiseJson } from "../../output/sanitise.ts";
import { outcomePresentation, type KeptValue } from "./outcome-rows.ts";

/** For JSON alone: without it, the token is printed by itself. */
export const keptValuePresentation: Presentation<KeptValue> = {
  fields: outcomePresentation.fields,
  columns: [],
};

/** Prints a single token alone, several as an object a line; or all in the JSON that was asked for. */
export async function printValues(
  values: readonly KeptValue[],
  first: KeptValue,
  isOnlyOne: boolean,
  { printer, stdout }: Context,
): Promise<void> {
  if (printer.isJson && isOnlyOne) await printer.printItem(first, keptValuePresentation);
  else if (printer.isJson) await printer.printList(values, keptValuePresentation);
  else {
    const text = isOnlyOne ? `${first.token}\n` : values.map((value) => `${toJson(value, 0)}\n`).join("");
    await stdout.write(stdout.isTerminal ? sanitiseJson(text) : text);
  }
}
