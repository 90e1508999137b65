// The doctor's look at the account's credentials, and with them at the header word: a request without a one-time
// password shows which header the service asks for one with.
import type { Context } from "../../run/context.ts";
import type { BasicCredentials } from "../../http/basic.ts";
import { findingOf, fine, note, wrong, type Finding } from "./finding.ts";

/** Asks the service with the account's credentials, if they can be had without asking a person. */
export async function checkCredentials(headerWord: string, context: Context): Promise<readonly Finding[]> {
  let credentials: BasicCredentials | null;
  try {
    credentials = await findCredentials(context);
  } catch (error) {
    return [findingOf("account", error)];
  }
  if (credentials === null) {
    return [
      note("account", "no user name and password to try", "grantctl auth login"),
      note("header word", `${headerWord}, not tried: that takes the account's credentials`),
    ];
  }
  try {
    const { status, headers } = await context.address.connections.askBare(credentials);
    const words = askedWords(headers);
    return [
      checkStatus(status, words.length > 0, credentials.username),
      checkHeaderWord(words, headerWord, headers),
    ];
  } catch (error) {
    return [findingOf("account", error)];
  }
}

type Headers = Readonly<Record<string, string>>;

async function findCredentials({ address: { logins }, settings }: Context): Promise<BasicCredentials | null> {
  const username = settings.username?.value;
  if (username === undefined) return null;
  const source = logins.secretSources("password", username).find(({ state }) => state === "set");
  return source === undefined || source.source === "prompt"
    ? null
    : { username, password: await source.read() };
}

/** The operators' words in what asks for a one-time password. */
function askedWords(headers: Headers): readonly string[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    const [, word] = /^x-([a-z0-9-]+)-otp$/.exec(name) ?? [];
    return word !== undefined && /^required\b/i.test(value) ? [asOperatorsWrite(word)] : [];
  });
}

function checkStatus(status: number, wantsCode: boolean, username: string): Finding {
  if (status === 200) return fine("account", `the service takes the password of ${username}`);
  if (wantsCode)
    return fine("account", `the service takes the password of ${username}, and asks for a one-time password`);
  const hint = "grantctl auth login, or see where the password comes from: grantctl auth status";
  if (status === 401)
    return wrong("account", "authentication", `the service refuses the password of ${username}`, hint);
  if (status === 404)
    return wrong("account", "not-found", `the service does not know ${username} with this password`, hint);
  return note("account", `the service answered ${username} with status ${status}`);
}

/** Header names arrive in lower case; the word in the case that people know it in. */
function asOperatorsWrite(word: string): string {
  return word === "github" ? "GitHub" : word.replace(/^./, (first) => first.toUpperCase());
}

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

function checkHeaderWord(words: readonly string[], configured: string, headers: Headers): Finding {
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
  return wrong(
    "header word",
    "usage",
    `the service asks with X-${word}-OTP, and the header word is ${configured}`,
    `grantctl config set header_word ${word}`,
  );
}
