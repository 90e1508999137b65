// Notes on the input of a token command: which scanner's report it is and what of it was left out, or how many tokens
// of a list were repeats.
import { noteRepeats } from "../../bulk/read-items.ts";
import type { Findings } from "../../reports/read-report.ts";
import type { Context } from "../../run/context.ts";
import { counted } from "../../errors/counted.ts";

/** Writes the notes; none where nothing was left out of a list. */
export function noteFindings(
  { tool, tokens, count, unverified, otherSecrets }: Findings,
  { notices }: Context,
): void {
  if (tool === null) {
    if (tokens.length < count) noteRepeats("token", notices)(count - tokens.length);
    else if (count === 0) notices.note("the list is empty: no findings");
    return;
  }
  notices.note(
    `read a ${tool.report} (--from ${tool.name}): ${counted(count, "finding")}, ${counted(tokens.length, "token")}`,
  );
  if (unverified > 0) notices.note(`left out ${counted(unverified, "finding")} that nobody has verified`);
  if (otherSecrets > 0) {
    notices.warn(
      `left out ${counted(otherSecrets, "finding")} that can be no token: several lines, an address, a connection string, or text beyond ASCII`,
    );
  }
}
