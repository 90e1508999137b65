// What is known of the tokens of an interrupted job that were sent and not answered: a state a token, from what the
// journal says and, where the service was asked, whether the token is still live.
import type { Entry, Head } from "../../journal/entries.ts";
import { unknownItems, type Leftover } from "../../journal/leftover.ts";
import type { OutcomeRow, TokenState } from "./outcome-rows.ts";

/** Whether the items of an operation are tokens. */
export function isAboutTokens(operation: Head["operation"]): boolean {
  return (
    operation === "reset" || operation === "revoke" || operation === "revoke-grant" || operation === "report"
  );
}

/** The rows of items without an answer, as earlier checks left them; sends nothing. */
export function knownItems(leftover: Leftover): readonly OutcomeRow[] {
  return unknownItems(leftover).map((entry) =>
    rowOf(entry, entry.isLost === true ? lostStateOf(entry) : "unknown"),
  );
}

/** The state of a token whose new value is lost. Only after a power cut does nobody know whether the request was sent. */
export function lostStateOf({ state }: Entry): TokenState {
  return state === "planned" ? "dead" : "lost";
}

/** The state after a look: `isLive` is absent where none was taken; "not found" counts where the credentials are proven. */
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

export function rowOf({ last_eight: lastEight }: Entry, state: TokenState): OutcomeRow {
  return { token_last_eight_before: lastEight ?? null, token: "", state };
}
