// The places where a scanner found a token: the field `sources` in JSON, and a column that shows the first one. No place
// shows a secret: the finding's own, other tokens, and the credentials of a URL are taken out.
import type { Presentation } from "../output/presentation.ts";
import { knownFormsIn } from "../token.ts";

/** A place where a scanner found the token. Fields that its report does not have are null. */
export interface Source {
  readonly tool: string;
  /** The tool's name for this type of secret. */
  readonly rule: string | null;
  readonly file: string | null;
  /** Counted from 1. */
  readonly line: number | null;
  readonly commit: string | null;
  /** The URL of the place or of the alert. */
  readonly url: string | null;
}

/** A row that may have the places where a report found its token. */
export type Placed<T> = T & { readonly sources?: readonly Source[] };

export interface Places {
  /** The part of a token's row in JSON with its places in the report; empty without a report. */
  readonly sourcesOf: (token: string) => Placed<object>;
  /** The presentation of rows that may have this part. */
  readonly placed: <T extends object>(presentation: Presentation<T>) => Presentation<T>;
}

/** Adds a column for the first place of a token to a presentation. */
export function withPlaces<T extends object>(
  presentation: Presentation<T>,
  hasColumn: boolean,
): Presentation<T> {
  if (!hasColumn) return presentation;
  const column = {
    title: "FOUND IN",
    field: "sources",
    text: (row: T): string => placesInWords(row),
    isWhole: true,
    priority: 2,
  } as const;
  return { ...presentation, columns: [...presentation.columns, column] };
}

/** The user name and password in a URL (RFC 3986, 3.2.1). */
const login = /(?<=:\/\/)[^/?#\s]*@/g;

/** A word long enough to be a token. */
const words = /[\w.~+-]{8,}/g;

/** The place without its own secrets, without the others of the same report, and without tokens whose form is known. */
export function shownPlace(
  source: Source,
  secrets: readonly string[],
  isSecret: (text: string) => boolean,
): Source {
  const own = secrets.filter((secret) => secret.length >= 8);
  const shown = (field: string | null): string | null => {
    if (field === null) return null;
    const hidden = own.reduce((text, secret) => text.replaceAll(secret, "(the token)"), field);
    // 40 hexadecimal digits or a UUID alone may as well be a commit or a name.
    const others = knownFormsIn(hidden).filter((found) => found.length > 40 || found.includes("_"));
    return others
      .reduce((text, found) => text.replaceAll(found, "[secret]"), hidden)
      .replaceAll(words, (word) => (isSecret(word) ? "[secret]" : word))
      .replaceAll(login, "");
  };
  const { tool, rule, file, line, commit, url } = source;
  return { tool, rule: shown(rule), file: shown(file), line, commit, url: shown(url) };
}

/** The places in a few words: the first, and how many more there are. */
function placesInWords({ sources = [] }: Placed<object>): string {
  const [first] = sources;
  if (first === undefined) return "";
  const place = first.file === null ? null : endOf(first.file);
  const name = place ?? first.url ?? first.rule ?? first.tool;
  const line = first.file === null || first.line === null ? "" : `:${first.line}`;
  return `${name}${line}${sources.length === 1 ? "" : ` +${sources.length - 1}`}`;
}

/** Longer paths lose their first folders, because the file and its line are more useful. */
const widestPath = 30;

/** The end of a path: the file, with as many of its folders as fit. */
function endOf(path: string): string {
  if (path.length <= widestPath) return path;
  const parts = path.split("/");
  let end = parts.pop() ?? "";
  for (let folder = parts.pop(); folder !== undefined; folder = parts.pop()) {
    if (end.length + folder.length + 3 > widestPath) return `…/${end}`;
    end = `${folder}/${end}`;
  }
  return end;
}
