// Whether a secret is an ordinary word of the program's messages, such as `wrong` or `status`. In our own text it is
// then not hidden: the gap would reveal the secret. The program's text is searched only when a secret occurs in a
// message.

/** Numbers in our messages are counts; a longer one may be a one-time password. */
const longestCount = 5;

/** Longer than every word of our messages. */
const longestWord = 32;

/** A function that tells whether a value consists of words of our own text. `ownText` is called once at most. */
export function createOwnWords(ownText: () => string): (value: string) => boolean {
  let own: string | null = null;
  const isOwn = (run: string): boolean => {
    // A token is no word, and our text is not searched for each of many.
    if (run.length > longestWord) return false;
    own ??= ownText();
    return own.includes(run);
  };
  const isOrdinary = (value: string): boolean => {
    const runs = value.match(/[\p{L}\p{N}]+/gu);
    if (runs === null) return isOwn(value);
    return runs.every((run) => {
      if (/^\p{N}+$/u.test(run)) return run.length <= longestCount;
      // Two or three characters with a digit occur in any text and are no word.
      return (run.length > 3 || !/\p{N}/u.test(run)) && isOwn(run);
    });
  };
  return isOrdinary;
}
