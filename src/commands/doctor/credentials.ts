// The doctor's check of the account's credentials and of the header word: the answer to a request without a one-time
// password shows which header asks for one.
import type { Context } from "../../run/context.ts";
import type { BasicCredentials } from "../../http/authorization.ts";
import { challengingWords } from "../../http/one-time-password.ts";
import { findingOf, fine, note, wrong, type Finding } from "./finding.ts";
import { checkHeaderWord } from "./header-word.ts";
import { otherAddressHint, signOfOtherServer } from "./other-server.ts";

/** Sends a request with the account's credentials, if they are available without asking the user. */
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
    const answer = await context.address.connections.askBare(credentials);
    const sign = signOfOtherServer(answer);
    if (sign !== null) return [wrong("account", "protocol", sign, otherAddressHint)];
    const words = challengingWords(answer.headers);
    return [
      checkStatus(answer.status, words.length > 0, credentials.username),
      checkHeaderWord(words, headerWord, answer.headers),
    ];
  } catch (error) {
    return [findingOf("account", error)];
  }
}

async function findCredentials({ address: { logins }, settings }: Context): Promise<BasicCredentials | null> {
  const username = settings.username?.value;
  if (username === undefined) return null;
  const source = logins.secretSources("password", username).find(({ state }) => state === "set");
  return source === undefined || source.source === "prompt"
    ? null
    : { username, password: await source.read() };
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
