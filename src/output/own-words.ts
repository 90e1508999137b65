// Tells whether a secret is made of words that the program says by itself, such as `wrong` or `status`: in our own words
// such a one is no secret, and hiding it there would tell it. The words are the program's own text, looked at only when a
// secret really stands in a message.

/** Longer numbers are one-time passwords, and no counts. */
const longestCount = 5;

/** A question about values; `ownText` is asked for once, if ever. */
export function createOwnWords(ownText: () => string): (value: string) => boolean {
  let own: string | null = null;
  const answers = new Map<string, boolean>();
  const isOwn = (run: string): boolean => {
    own ??= ownText();
    return own.includes(run);
  };
  const isOrdinary = (value: string): boolean => {
    const runs = value.match(/[\p{L}\p{N}]+/gu);
    if (runs === null) return isOwn(value);
    return runs.every((run) => {
      if (/^\p{N}+$/u.test(run)) return run.length <= longestCount;
      // Two or three characters with a digit among them are in any text, and say nothing in any language.
      return (run.length > 3 || !/\p{N}/u.test(run)) && isOwn(run);
    });
  };
  return (value) => {
    let answer = answers.get(value);
    if (answer === undefined) {
      answer = isOrdinary(value);
      answers.set(value, answer);
    }
    return answer;
  };
}
