// The places where a scanner found a token: the field `sources` in JSON, and a column that shows the first one. No place
// shows a secret: the finding's own, other tokens, and the credentials of a URL are taken out.
import type { Presentation } from "../output/presentation.ts";
import { knownFormsIn } from "../token.ts";
import type { Source } from "./tools.ts";

/** Adds a column for the first place of a token to a presentation. */
export function withPlaces<T extends { readonly sources?: readonly Source[] }>(
  presentation: Presentation<T>,
): Presentation<T> {
  const column = {
    title: "FOUND IN",
    field: "sources",
    text: ({ sources = [] }: T): string => placesInWords(sources),
    isWhole: true,
    priority: 2,
  } as const;
  return { ...presentation, columns: [...presentation.columns, column] };
}

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

/** Longer paths lose their beginning, because the file and its line are more useful. */
const widestPath = 20;

/** The places in a few words: the first, and how many more there are. */
export function placesInWords([first, ...others]: readonly Source[]): string {
  if (first === undefined) return "";
  const { tool, rule, file, line, url } = first;
  const path = file === null || file.length <= widestPath ? file : `…${file.slice(-widestPath)}`;
  const place = path === null ? (url ?? rule ?? tool) : `${path}${line === null ? "" : `:${line}`}`;
  return `${place}${others.length === 0 ? "" : ` +${others.length}`}`;
}
