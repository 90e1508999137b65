// The report formats of secret scanners: how to recognise each, which field of a finding contains the secret, and which
// fields describe its place. All other fields are ignored. A new tool is a new entry of the table.
import { isObject } from "../json/exact-json.ts";
import type { Source } from "./sources.ts";

export interface Finding {
  /** Empty if the report does not have it. */
  readonly secret: string;
  /** The name of the rule or detector; empty if the report has none. */
  readonly detector: string;
  /** Its place as the report has it, which may show secrets of this and of other findings. */
  readonly source: Source;
}

export interface ScannerTool {
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

const gitleaks: ScannerTool = {
  name: "gitleaks",
  report: "gitleaks report",
  howToGetSecrets: "Run gitleaks without --redact.",
  isFinding: (value) => Object.hasOwn(value, "RuleID") && Object.hasOwn(value, "Secret"),
  read: (value) => ({
    secret: textOf(value["Secret"]),
    place: {
      rule: value["RuleID"],
      file: value["File"],
      line: value["StartLine"],
      commit: value["Commit"],
      url: value["Link"],
    },
  }),
};

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

/** The tool that writes findings like this one, or null if it is unknown. */
export function toolOf(value: unknown): ScannerTool | null {
  return isObject(value) ? (tools.find((tool) => tool.isFinding(value)) ?? null) : null;
}

export function readFinding(tool: ScannerTool, value: unknown): Finding {
  const finding = isObject(value) ? value : {};
  const { secret, place } = tool.read(finding);
  const source = {
    tool: tool.name,
    rule: carriedText(place.rule),
    file: carriedText(place.file),
    line: lineNumber(place.line),
    commit: carriedText(place.commit),
    url: carriedText(place.url),
  };
  return { secret, detector: textOf(place.rule), source };
}

/** The maximum length of a field. No path is longer; a longer text may be a copy of the file. */
const longestText = 4096;

/** A string from a report; null if it is empty, too long or not a string. */
function carriedText(value: unknown): string | null {
  return typeof value === "string" && value !== "" && value.length <= longestText ? value : null;
}

/** A line number; null for anything else, and for 0, which means unknown. */
function lineNumber(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : null;
}

/** True if this text only replaces a secret: the word REDACTED, asterisks or dots, or a text that was cut off. */
export function isRedacted(secret: string): boolean {
  if (secret.trim() === "") return true;
  if (/^\W*redacted\W*$/i.test(secret)) return true;
  return /\*{3}|\.{3}$|[…•]/.test(secret) || /^x{4,}$/i.test(secret);
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
