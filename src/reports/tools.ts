// The report formats of secret scanners: how to recognise each, which field of a finding contains the secret, and which
// fields describe its place. All other fields are ignored. A new tool is a new entry of the table.
import { isObject } from "../json.ts";
import type { Source } from "./places.ts";

export interface Finding {
  /** Empty if the report does not have it. */
  readonly secret: string;
  /** The name of the rule or detector; empty if the report has none. */
  readonly detector: string;
  /** Its place as the report has it, which may show secrets of this and of other findings. */
  readonly source: Source;
  /** The name of its report in messages. */
  readonly report: string;
  /** The command that makes a report with the secrets in it. */
  readonly howToGetSecrets: string;
}

interface ScannerTool {
  readonly name: "trufflehog" | "gitleaks" | "github-alerts";
  /** The name of its report in messages. */
  readonly report: string;
  /** The command that makes a report with the secrets in it. */
  readonly howToGetSecrets: string;
  isFinding(value: JsonObject): boolean;
  /** The parts of a finding as the tool writes them. */
  read(value: JsonObject): {
    readonly secret: string;
    readonly place: Readonly<Record<Exclude<keyof Source, "tool">, unknown>>;
  };
}

type JsonObject = Readonly<Record<string, unknown>>;

const trufflehog: ScannerTool = {
  name: "trufflehog",
  report: "trufflehog report",
  howToGetSecrets: "Use trufflehog's own report, which contains the secrets: trufflehog ... --json.",
  isFinding: (value) =>
    Object.hasOwn(value, "DetectorName") &&
    (Object.hasOwn(value, "Raw") || Object.hasOwn(value, "RawV2") || Object.hasOwn(value, "Redacted")),
  read(value) {
    // RawV2 has the token joined with other parts of the credential, so it is taken only if there is no Raw.
    const secret = textOf(value["Raw"]) || textOf(value["RawV2"]);
    const place = onlyPart(partOf(partOf(value, "SourceMetadata"), "Data"));
    return {
      secret,
      place: {
        rule: value["DetectorName"],
        file: place["file"],
        line: place["line"],
        commit: place["commit"],
        url: place["link"],
      },
    };
  },
};

/** Gitleaks, and betterleaks, which may write the same fields in lower case or with underscores. */
const gitleaks: ScannerTool = {
  name: "gitleaks",
  report: "gitleaks report",
  howToGetSecrets: "Run gitleaks without --redact.",
  isFinding: (value) => field(value, "ruleid") !== undefined && field(value, "secret") !== undefined,
  read: (value) => ({
    secret: textOf(field(value, "secret")),
    place: {
      rule: field(value, "ruleid"),
      file: field(value, "file"),
      line: field(value, "startline"),
      commit: field(value, "commit"),
      url: field(value, "link"),
    },
  }),
};

/** A field, whatever the case of its name. */
function field(value: JsonObject, name: string): unknown {
  const key = Object.keys(value).find((each) => each.replaceAll("_", "").toLowerCase() === name);
  return key === undefined ? undefined : value[key];
}

const githubAlerts: ScannerTool = {
  name: "github-alerts",
  report: "list of GitHub secret scanning alerts",
  howToGetSecrets: "Request the alerts without hide_secret, as a user who may see the secrets.",
  isFinding: (value) => Object.hasOwn(value, "secret_type"),
  read(value) {
    const found = textOf(value["secret"]);
    const secret = value["is_base64_encoded"] === true ? decoded(found) : found;
    const place = partOf(value, "first_location_detected");
    return {
      secret,
      place: {
        rule: value["secret_type"],
        file: place["path"],
        line: place["start_line"],
        commit: place["commit_sha"],
        url: value["html_url"],
      },
    };
  },
};

const tools: readonly ScannerTool[] = [trufflehog, gitleaks, githubAlerts];

/** The finding of a known tool; null for anything else. */
export function findingOf(value: unknown): Finding | null {
  if (!isObject(value)) return null;
  const tool = tools.find((each) => each.isFinding(value));
  if (tool === undefined) return null;
  const { secret, place } = tool.read(value);
  const source = {
    tool: tool.name,
    rule: carriedText(place.rule),
    file: carriedText(place.file),
    line: lineNumber(place.line),
    commit: commitOf(place.commit),
    url: carriedText(place.url),
  };
  const { report, howToGetSecrets } = tool;
  return { secret, detector: textOf(place.rule), source, report, howToGetSecrets };
}

/** The maximum length of a field. No path is longer; a longer text may be a copy of the file. */
const longestText = 4096;

/** A string from a report; null if it is empty, too long or not a string. */
function carriedText(value: unknown): string | null {
  return typeof value === "string" && value !== "" && value.length <= longestText ? value : null;
}

/** A commit's hash; null for anything else. */
function commitOf(value: unknown): string | null {
  return typeof value === "string" && /^[0-9a-f]{7,64}$/i.test(value) ? value : null;
}

/** A line number; null for anything else, and for 0, which means unknown. */
function lineNumber(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : null;
}

/** The text that is encoded in base64; unchanged if it is not, such as a token of hexadecimal digits. */
function decoded(text: string): string {
  const bytes = Buffer.from(text, "base64");
  const isBase64 = bytes.toString("base64").replace(/=+$/, "") === text.trim().replace(/=+$/, "");
  const plain = bytes.toString("latin1");
  return isBase64 && /^[\t\r\n\x20-\x7e]+$/.test(plain) ? plain.trim() : text;
}

function partOf(value: JsonObject, name: string): JsonObject {
  const part = value[name];
  return isObject(part) ? part : {};
}

/** The value of the object's only key, which is the type of place (`Git`, `Filesystem`). */
function onlyPart(value: JsonObject): JsonObject {
  return Object.values(value).find(isObject) ?? {};
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
