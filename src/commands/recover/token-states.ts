// The state of each token of an interrupted job whose request was sent and not answered: from the journal and, where it
// was checked at the service, from whether the token is still live.
import type { Entry, Head } from "../../journal/entries.ts";
import { unknownItems, type Leftover } from "../../journal/leftover.ts";
import type { OutcomeRow, TokenState } from "./outcome-rows.ts";

/** Whether the items of an operation are tokens. */
export function isAboutTokens(operation: Head["operation"]): boolean {
  return ["reset", "revoke", "revoke-grant", "report"].includes(operation);
}

/** The rows of unanswered items with the results of earlier checks; sends nothing. */
export function knownItems(leftover: Leftover): readonly OutcomeRow[] {
  return unknownItems(leftover).map((entry) =>
    rowOf(entry, entry.isLost === true ? lostStateOf(entry) : "unknown"),
  );
}

/** The state of an old token whose new one is lost; after a power cut, when it may not have been sent, "dead". */
export function lostStateOf({ state }: Entry): TokenState {
  return state === "planned" ? "dead" : "lost";
}

/** The state after a check; `isLive` is absent where there was none, and false counts with proven credentials alone. */
export function stateOf(
  entry: Entry,
  isLive: boolean | undefined,
  operation: Head["operation"],
  isProven: boolean,
): TokenState {
  if (isLive === undefined) return "unknown";
  if (isLive) return "live";
  if (!isProven) return "unproven";
  return operation === "reset" ? lostStateOf(entry) : "gone";
}

/** The row of a token in this state, without its value. */
export function rowOf({ last_eight: lastEight }: Entry, state: TokenState): OutcomeRow {
  return { token_last_eight_before: lastEight ?? null, token: "", state };
}
