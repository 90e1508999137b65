// Says for `grantctl recover show` which step of a rotation its items are at.
import { foreign } from "../../errors/foreign.ts";
import type { Entry } from "../../journal/entries.ts";
import type { Leftover } from "../../journal/leftover.ts";
import { shorten } from "../../output/shorten.ts";

/** The most items to name. */
const mostNamed = 5;
const longestName = 60;

/** For each step that an item has reached, a sentence with the notes of its tokens; none where no token was created. */
export function rotationSteps({ contents }: Leftover): readonly string[] {
  const entries = [...contents.items.values()].filter(({ state }) => state !== "done");
  const at = (step: Entry["step"]): readonly string[] =>
    entries
      .filter((entry) => entry.state === "answered" && entry.step === step)
      .map(({ old }) => old?.note ?? "without a note");
  const unanswered = entries.flatMap(({ state, interim, lost = [] }) => [
    ...lost,
    ...(state === "sent" && interim?.note !== undefined && interim.note !== null ? [interim.note] : []),
  ]);
  const said = [
    [at("delivered"), "delivered, and not proven alive yet"],
    [at("proven"), "delivered and alive, and the old one is not deleted yet"],
    [at("gone"), "delivered and alive, the old one is gone, and its note is not handed on yet"],
    [[...new Set(unanswered)], "perhaps made, and its value is not kept"],
  ] as const;
  return said.filter(([notes]) => notes.length > 0).map(([notes, what]) => `${named(notes)}: ${what}`);
}

function named(notes: readonly string[]): string {
  const names = notes.slice(0, mostNamed).map((note) => `"${foreign(shorten(note, longestName))}"`);
  const more = notes.length - names.length;
  return more > 0 ? `${names.join(", ")} and ${more} more` : names.join(", ");
}
