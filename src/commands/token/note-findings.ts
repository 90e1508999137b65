// Notes on the input of a token command: which scanner's report it is and what of it was left out, or how many tokens
// of a list were repeats. A report of which nothing is left, although it has findings, is a failure: exit code 0 would
// say that there was no leak.
//
//   nothing left, because                                    exit code
//   the report has no findings, or none is verified          0
//   the scanner could not verify some of them                9
//   the findings are no tokens, or secrets of another kind   2
import { noteRepeats } from "../../bulk/read-items.ts";
import type { Findings, LeftOut } from "../../reports/read-report.ts";
import type { Context } from "../../run/context.ts";
import { counted } from "../../errors/words.ts";
import { Failure, usageFailure } from "../../errors/errors.ts";

/** Writes the notes; throws if findings were left out and none remains. */
export function noteFindings(
  { tool, tokens, count, unverified, unverifiable, noTokens, otherKinds }: Findings,
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
  if (noTokens.count > 0) {
    notices.warn(
      `left out ${counted(noTokens.count, "finding")} that cannot be a token (${placesOf(noTokens)}): several lines, an address, a connection string, or text beyond ASCII`,
    );
  }
  if (otherKinds.count > 0) {
    notices.warn(
      `left out ${counted(otherKinds.count, "finding")} of detectors for other secrets (${otherKinds.kinds.join(", ")}); to include them: --all-findings`,
    );
  }
  if (unverifiable > 0) {
    const verb = unverifiable === 1 ? "is" : "are";
    notices.warn(
      `${counted(unverifiable, "finding")} could not be verified by the scanner and ${verb} left out`,
    );
  }
  if (tokens.length > 0) return;
  if (unverifiable > 0) {
    throw new Failure("incomplete", "no verified token is left in the report: nothing was sent", {
      hint: "run the scanner again, or leave --only-verified out",
    });
  }
  if (noTokens.count + otherKinds.count > 0) {
    const hint =
      otherKinds.count > 0 ? "to include the findings of all detectors: --all-findings" : undefined;
    throw usageFailure("no finding in the report can be a token: nothing was sent", hint);
  }
}

/** `items 3, 7 and 12 more`. */
function placesOf({ count, places }: LeftOut): string {
  const noun = /^\w+/.exec(places[0] ?? "")?.[0] ?? "";
  const numbers = places.map((place) => place.slice(noun.length + 1)).join(", ");
  const rest = count > places.length ? ` and ${count - places.length} more` : "";
  return `${noun}${count === 1 ? "" : "s"} ${numbers}${rest}`;
}
