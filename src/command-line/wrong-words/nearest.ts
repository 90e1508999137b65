// Guesses which known words were meant by an unknown one: those that need the fewest edits. Used for flags, commands,
// topics and the arguments of `grantctl schema`.

/** A word that needs more edits than this was not meant. */
const mostEdits = 3;
/** At least this part of the longer word has to be right. */
const leastAlike = 0.4;

/** The nearest words, in alphabetical order; none where all are too far away. Flags come without their two dashes. */
export function nearestWords(typed: string, words: readonly string[]): readonly string[] {
  const near = [...new Set(words)].flatMap((word) => {
    const edits = countEdits(typed, word);
    const length = Math.max(typed.length, word.length);
    return word.length > 1 && edits <= mostEdits && (length - edits) / length > leastAlike
      ? [{ word, edits }]
      : [];
  });
  const fewest = Math.min(...near.map(({ edits }) => edits));
  return near
    .flatMap(({ word, edits }) => (edits === fewest ? [word] : []))
    .toSorted((one, other) => one.localeCompare(other));
}

/**
 * How many letters have to be added, removed, replaced, or swapped with their neighbour (the optimal string alignment
 * distance). Time grows with the product of both lengths, so words whose lengths differ by more than `mostEdits` are
 * not compared.
 */
function countEdits(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > mostEdits) return Infinity;
  // The last two rows of the table of distances between the beginnings of both words.
  let before: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: from.length + 1 }, (_, index) => index);
  for (let made = 1; made <= to.length; made += 1) {
    const next = [made];
    for (let used = 1; used <= from.length; used += 1) {
      const isSame = from[used - 1] === to[made - 1];
      const areSwapped = from[used - 1] === to[made - 2] && from[used - 2] === to[made - 1];
      next.push(
        Math.min(
          (next[used - 1] ?? Infinity) + 1,
          (last[used] ?? Infinity) + 1,
          (last[used - 1] ?? Infinity) + (isSame ? 0 : 1),
          areSwapped ? (before[used - 2] ?? Infinity) + 1 : Infinity,
        ),
      );
    }
    [before, last] = [last, next];
  }
  return last[from.length] ?? Infinity;
}

/** As in `a, b or c`. */
export function either(words: readonly string[]): string {
  return joined(words, "or");
}

/** As in `a, b and c`. */
export function list(words: readonly string[]): string {
  return joined(words, "and");
}

function joined(words: readonly string[], conjunction: string): string {
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} ${conjunction} ${last}`;
}
