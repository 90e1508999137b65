// The places where a scanner found a token, for the field `sources` and for messages. No place shows a secret: the finding's
// own, other tokens, and the credentials of a URL are taken out.
import { knownFormsIn } from "../token.ts";
import type { Source } from "./tools.ts";

/** The user name and password in a URL (RFC 3986, 3.2.1). */
const login = /(?<=:\/\/)[^/?#\s]*@/g;

/** A word long enough to be a token. */
const words = /[\w.~+-]{8,}/g;

/** No path is longer; a longer text may be a copy of the file. */
const longestText = 4096;

/** The place without its own secrets, without the others of the same report, and without tokens whose form is known. */
export function shownPlace(
  { tool, rule, file, line, commit, url }: Source,
  secrets: readonly string[],
  isSecret: (text: string) => boolean,
): Source {
  const own = secrets.filter((secret) => secret.length >= 8);
  const shown = (field: string | null): string | null => {
    if (field === null || field.length > longestText) return null;
    const hidden = own.reduce((text, secret) => text.replaceAll(secret, "(the token)"), field);
    // 40 hexadecimal digits or a UUID alone may as well be a commit or a name.
    const others = knownFormsIn(hidden).filter((found) => found.length > 40 || found.includes("_"));
    return others
      .reduce((text, found) => text.replaceAll(found, "[secret]"), hidden)
      .replaceAll(words, (word) => (isSecret(word) ? "[secret]" : word))
      .replaceAll(login, "");
  };
  return { tool, rule: shown(rule), file: shown(file), line, commit: shown(commit), url: shown(url) };
}

/** The first place in a few words, and how many more there are; empty without one. */
export function placesInWords([first, ...others]: readonly Source[]): string {
  if (first === undefined) return "";
  const { tool, rule, file, line, url } = first;
  const place = file === null ? (url ?? rule ?? tool) : `${file}${line === null ? "" : `:${line}`}`;
  return ` in ${place}${others.length === 0 ? "" : ` and ${others.length} more`}`;
}
