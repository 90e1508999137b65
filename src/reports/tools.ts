// The secret scanners whose reports are read, in one table: how to recognise a finding, and its fields. All other fields
// are ignored. Betterleaks writes the report of gitleaks, with other spellings of its fields. And the places of a finding, for
// the field `sources` and for messages. No place shows a secret: the finding's own, other tokens, and the credentials of a
// URL are taken out.
import { isObject, textOf } from "../json.ts";
import { knownFormsIn } from "../token.ts";

type JsonObject = Readonly<Record<string, unknown>>;

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

export interface Finding {
  /** Empty if the report does not have it. */
  readonly secret: string;
  /** Its place as the report has it, which may show secrets of this and of other findings. */
  readonly source: Source;
}

interface Tool {
  readonly name: string;
  /** The field that only its findings have. */
  readonly rule: string;
  /** The other fields of a finding, in it or in its place. */
  readonly fields: Readonly<Record<"secret" | "file" | "line" | "commit" | "url", string>>;
  readonly placeOf: (finding: JsonObject) => unknown;
}

const tools: readonly Tool[] = [
  {
    name: "trufflehog",
    rule: "DetectorName",
    fields: { secret: "Raw", file: "file", line: "line", commit: "commit", url: "link" },
    // The only key of Data is the type of the place (`Git`, `Filesystem`).
    placeOf: (finding) => Object.values(partOf(finding["SourceMetadata"], "Data")).find(isObject),
  },
  {
    name: "gitleaks",
    rule: "RuleID",
    fields: { secret: "Secret", file: "File", line: "StartLine", commit: "Commit", url: "Link" },
    placeOf: () => undefined,
  },
  {
    name: "github-alerts",
    rule: "secret_type",
    fields: { secret: "secret", file: "path", line: "start_line", commit: "commit_sha", url: "html_url" },
    placeOf: (finding) => finding["first_location_detected"],
  },
];

/** The finding of a known tool; null for anything else. */
export function findingOf(value: unknown): Finding | null {
  if (!isObject(value)) return null;
  const tool = tools.find(({ rule }) => fieldOf(value, rule) !== undefined);
  if (tool === undefined) return null;
  const place = tool.placeOf(value);
  const field = (key: string): unknown =>
    fieldOf(value, key) ?? (isObject(place) ? fieldOf(place, key) : undefined);
  const { rule, fields } = tool;
  const line = field(fields.line);
  const secret = textOf(field(fields.secret)) ?? "";
  return {
    secret: value["is_base64_encoded"] === true ? decoded(secret) : secret,
    source: {
      tool: tool.name,
      rule: textOf(field(rule)),
      file: textOf(field(fields.file)),
      line: typeof line === "number" && line > 0 ? line : null,
      commit: textOf(field(fields.commit)),
      url: textOf(field(fields.url)),
    },
  };
}

/** A field, in any spelling of its name: `RuleID`, `ruleid`, `rule_id`. */
export function fieldOf(value: JsonObject, name: string): unknown {
  const key = Object.keys(value).find((each) => plainName(each) === plainName(name));
  return key === undefined ? undefined : value[key];
}

const plainName = (key: string): string => key.replaceAll("_", "").toLowerCase();

function partOf(value: unknown, name: string): JsonObject {
  const part = isObject(value) ? value[name] : undefined;
  return isObject(part) ? part : {};
}

/** The text that is encoded in base64; unchanged if it is not, such as a token of hexadecimal digits. */
function decoded(text: string): string {
  const plain = Buffer.from(text, "base64").toString("latin1").trim();
  return /^[\t\r\n\x20-\x7e]+$/.test(plain) ? plain : text;
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

/** The first place in a few words, and how many more there are; empty without one. */
export function placesInWords([first, ...others]: readonly Source[]): string {
  if (first === undefined) return "";
  const { tool, rule, file, line, url } = first;
  const place = file === null ? (url ?? rule ?? tool) : `${file}${line === null ? "" : `:${line}`}`;
  return ` in ${place}${others.length === 0 ? "" : ` and ${others.length} more`}`;
}
