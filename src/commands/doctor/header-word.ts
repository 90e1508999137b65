// The doctor's check of the header word: the word in X-<Word>-OTP with which the service asks for a one-time password,
// or else the word in its other headers.
import { asOperatorsWrite } from "../../http/one-time-password.ts";
import { fine, note, wrong, type Finding } from "./finding.ts";

type Headers = Readonly<Record<string, string>>;

function isSame(first: string, second: string): boolean {
  return first.toLowerCase() === second.toLowerCase();
}

/** The word in an operator's other headers; null where there is none. */
function guessWord(headers: Headers): string | null {
  const words = Object.keys(headers).map(
    (name) => /^x-([a-z0-9-]+)-(?:request-id|media-type)$/.exec(name)?.[1],
  );
  const word = words.find((found) => found !== undefined);
  return word === undefined ? null : asOperatorsWrite(word);
}

/** Checks the configured word against those with which the service asked for a one-time password. */
export function checkHeaderWord(words: readonly string[], configured: string, headers: Headers): Finding {
  const [word] = words;
  if (word === undefined) {
    const guess = guessWord(headers);
    if (guess !== null && !isSame(guess, configured)) {
      return note(
        "header word",
        `${configured}; other headers of the service begin with X-${guess}-`,
        `grantctl config set header_word ${guess}`,
      );
    }
    return note(
      "header word",
      `${configured}; the service did not ask for a one-time password, which would show its own`,
    );
  }
  if (words.some((other) => isSame(other, configured))) return fine("header word", configured);
  const asked = asOperatorsWrite(word);
  return wrong(
    "header word",
    "usage",
    `the service asks with X-${asked}-OTP, and the header word is ${configured}`,
    `grantctl config set header_word ${asked}`,
  );
}
