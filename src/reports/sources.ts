// The places where a report found its tokens: collected while it is read, and shown without any secret of the report.
// JSON contains every place (`sources`), a table the first one.
//
// A place may contain the secret of any other finding, even of one that was left out, so secrets are redacted only when
// all of them are known. A token keeps its first 1,000 places and the number of the others.
import type { Presentation } from "../printing/presentation.ts";
import { createRedactor, type Redactor } from "../redaction/redact.ts";
import { tokensIn } from "./token-types.ts";

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

/** The places of a token: those that are kept, and how many more there were. */
export interface TokenSources {
  readonly sources: readonly Source[];
  readonly sources_omitted?: number;
}

/** A row that may have the places where a report found its token. */
export type Placed<T> = T & Partial<TokenSources>;

export interface Places {
  /** The part of a token's row in JSON with its places in the report; empty without a report. */
  readonly sourcesOf: (token: string) => Placed<object>;
  /** The presentation of rows that may have this part. */
  readonly placed: <T extends object>(presentation: Presentation<T>) => Presentation<T>;
}

/** Adds the field `sources`, and a column for it, to a presentation. */
export function withPlaces<T extends object>(
  presentation: Presentation<T>,
  hasColumn: boolean,
): Presentation<T> {
  const column = {
    title: "FOUND IN",
    field: "sources",
    text: (row: T): string => placesInWords(row),
    priority: 2,
  };
  return {
    ...presentation,
    columns: hasColumn ? [...presentation.columns, column] : presentation.columns,
  };
}

/** The maximum number of places per token: a report may contain one token millions of times. */
const mostSources = 1000;

interface SourceKeeper {
  /** Registers a secret of the report, token or not, for redaction of the places. */
  addSecret(secret: string): void;
  add(token: string, source: Source | null): void;
  /** All tokens, in the order of their first places. */
  tokens(): readonly string[];
  readonly count: () => number;
  /** The places of a token without the report's secrets. */
  of(token: string): TokenSources;
}

export function createSourceKeeper(): SourceKeeper {
  const places = new Map<string, { readonly sources: Source[]; omitted: number } | null>();
  const secrets = new Set<string>();
  /** Made when the first place is shown. */
  let redactor: Redactor | null = null;
  const redactorOfAll = (): Redactor => {
    if (redactor !== null) return redactor;
    redactor = createRedactor(() => "");
    for (const secret of secrets) for (const part of partsOf(secret)) redactor.add(part);
    return redactor;
  };
  return {
    addSecret: (secret) => void secrets.add(secret),
    add(token, source) {
      const known = places.get(token);
      if (known === undefined) places.set(token, source === null ? null : { sources: [source], omitted: 0 });
      else if (known !== null && source !== null) {
        if (known.sources.length < mostSources) known.sources.push(source);
        else known.omitted += 1;
      }
    },
    tokens: () => [...places.keys()],
    count: () => places.size,
    of(token) {
      const { sources, omitted } = places.get(token) ?? { sources: [], omitted: 0 };
      const shown = sources.map((source) => withoutSecrets(source, token, redactorOfAll()));
      return { sources: shown, ...(omitted === 0 ? {} : { sources_omitted: omitted }) };
    },
  };
}

/** A secret, the tokens in it, and its lines if they are long enough to be secret. */
function partsOf(secret: string): readonly string[] {
  const lines = /[\r\n]/.test(secret)
    ? secret.split(/[\r\n]+/).filter((line) => line.length >= shortestLine)
    : [];
  return [secret, secret.trim(), ...tokensIn(secret), ...lines].filter((part) => part !== "");
}

/** A shorter line of a multi-line secret may be an ordinary word. */
const shortestLine = 16;

/** The user name and password in a URL (RFC 3986, 3.2.1), after redaction. */
const login = /(?<=:\/\/)(?:\(the token\)|[^/?#\s])*@/g;

/** Redacts secrets in a place, and the credentials in a URL, with which a scanner may have cloned. */
function withoutSecrets(source: Source, token: string, redactor: Redactor): Source {
  const shown = (field: string | null): string | null =>
    field === null
      ? null
      : redactor
          .redactText(field, (found) => (found === token ? "(the token)" : "[secret]"))
          .replaceAll(login, "");
  return {
    ...source,
    rule: shown(source.rule),
    file: shown(source.file),
    commit: shown(source.commit),
    url: shown(source.url),
  };
}

/** The places in a few words: the first, and how many more there are. */
function placesInWords({ sources = [], sources_omitted = 0 }: Placed<object>): string {
  const [first] = sources;
  const others = sources.length - 1 + sources_omitted;
  if (first === undefined) return "";
  const place = first.file === null ? null : endOf(first.file);
  const name = place ?? first.url ?? first.rule ?? first.tool;
  const line = first.file === null || first.line === null ? "" : `:${first.line}`;
  return `${name}${line}${others === 0 ? "" : ` +${others}`}`;
}

/** Longer paths lose their first folders, because the file and its line are more useful. */
const widestPath = 30;

/** The end of a path: the file, with as many of its folders as fit. */
function endOf(path: string): string {
  const parts = path.split("/");
  let end = parts.pop() ?? "";
  if (path.length <= widestPath) return path;
  for (let folder = parts.pop(); folder !== undefined; folder = parts.pop()) {
    if (end.length + folder.length + 3 > widestPath) return `…/${end}`;
    end = `${folder}/${end}`;
  }
  return end;
}
