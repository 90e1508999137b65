// The secret scanners whose reports are read, in one table: how to recognise a finding, and its fields. All other fields
// are ignored. Betterleaks writes the report of gitleaks, with other spellings of its fields. Also the rules that find
// tokens, because other vendors' secrets are never sent to the server unasked; and the places of a finding, for the field
// `sources` and for messages. No place shows a secret: the finding's own, other tokens, and the credentials of a URL are
// taken out.
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

export interface ScanFinding {
  /** Empty if the report does not have it. */
  readonly secret: string;
  /** Its place as the report has it, which may show secrets of this and of other findings. */
  readonly source: Source;
}

/** The name, then the fields of a finding: the rule, which only this tool has, the secret, file, line, commit and URL. */
const tools = [
  ["trufflehog", "DetectorName", "Raw", "file", "line", "commit", "link"],
  ["gitleaks", "RuleID", "Secret", "File", "StartLine", "Commit", "Link"],
  ["github-alerts", "secret_type", "secret", "path", "start_line", "commit_sha", "html_url"],
] as const;

/**
 * Rules whose findings may be tokens of the server: general ones, and those for GitHub's tokens. All others are for other
 * vendors' secrets, as far as anybody can tell, or somebody's own for any secret, as trufflehog's `CustomRegex`.
 */
export const ownRules = /^(?:generic|jwt|github|curl|http_|oauth2?(?![a-z])|uri$)/i;

/** The finding of a known tool; null for anything else. */
export function findingOf(value: unknown): ScanFinding | null {
  if (!isObject(value)) return null;
  const found = tools.find(([, name]) => fieldInAnyCase(value, name) !== undefined);
  if (found === undefined) return null;
  const [tool, ...names] = found;
  const place = placeOf(value);
  const [rule, raw, file, line, commit, url] = names.map(
    (name) => fieldInAnyCase(value, name) ?? fieldInAnyCase(place, name),
  );
  const secret = textOf(raw) ?? "";
  return {
    secret: value["is_base64_encoded"] === true ? decoded(secret) : secret,
    source: {
      tool,
      rule: textOf(rule),
      file: textOf(file),
      line: typeof line === "number" && line > 0 ? line : null,
      commit: textOf(commit),
      url: textOf(url),
    },
  };
}

/** The object with the place of a finding. trufflehog's has the type of the place as its only key (`Git`, `Filesystem`). */
function placeOf({ first_location_detected: location, SourceMetadata: metadata }: JsonObject): JsonObject {
  const data = isObject(metadata) && isObject(metadata["Data"]) ? Object.values(metadata["Data"]) : [];
  return [location, ...data].find(isObject) ?? {};
}

/** A field, in any spelling of its name: `RuleID`, `ruleid`, `rule_id`. */
export function fieldInAnyCase(value: JsonObject, name: string): unknown {
  const key = Object.keys(value).find((each) => plainName(each) === plainName(name));
  return key === undefined ? undefined : value[key];
}

const plainName = (key: string): string => key.replaceAll("_", "").toLowerCase();

/** The text that is encoded in base64; unchanged if it is not, such as a token of hexadecimal digits. */
function decoded(text: string): string {
  const plain = Buffer.from(text, "base64").toString("latin1").trim();
  return /^[\t\r\n\x20-\x7e]+$/.test(plain) ? plain : text;
}

/** The user name and password in a URL (RFC 3986, 3.2.1). */
const login = /(?<=:\/\/)[^/?#\s]*@/g;

/** A word long enough to be a token. */
const words = /[\w.~+-]{8,}/g;

/** The place without its own secrets, without the others of the same report, and without tokens whose form is known. */
export function shownPlace(
  { tool, rule, file, line, commit, url }: Source,
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
  return { tool, rule: shown(rule), file: shown(file), line, commit: shown(commit), url: shown(url) };
}

/** The first place in a few words, and how many more there are; empty without one. */
export function placesInWords([first, ...others]: readonly Source[]): string {
  if (first === undefined) return "";
  const { tool, rule, file, line, url } = first;
  const place = file === null ? (url ?? rule ?? tool) : `${file}${line === null ? "" : `:${line}`}`;
  return ` in ${place}${others.length === 0 ? "" : ` and ${others.length} more`}`;
}
