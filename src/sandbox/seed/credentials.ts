// The credentials of a seeded sandbox, and the form of their file beside the store. Only this file and the description
// show them in readable form.
import { SandboxUnavailable } from "../sandbox-unavailable.ts";

export interface SeededApplication {
  readonly name: string;
  readonly url: string;
  readonly client_id: string;
  readonly client_secret: string;
}

export interface SeededCredentials {
  readonly username: string;
  readonly password: string;
  /** Base32. Made in every mode, so that a restart may choose the mode `app`. */
  readonly totp_secret: string;
  readonly applications: readonly [SeededApplication, ...SeededApplication[]];
  /** Token values of the first application, by ascending id. */
  readonly tokens: readonly string[];
}

/** The text of the file. */
export function formatCredentials(credentials: SeededCredentials): string {
  return `${JSON.stringify(credentials, null, 2)}\n`;
}

/** Reads the file's text. Throws SandboxUnavailable when it is not there or not what was written. */
export function parseCredentials(text: string | null): SeededCredentials {
  const credentials = text === null ? null : parseOrNull(text);
  if (!isCredentials(credentials)) {
    const problem = text === null ? "missing" : "damaged";
    throw new SandboxUnavailable(
      `credentials.json is ${problem}, so nobody can log in to the store beside it: remove the data folder to start over`,
    );
  }
  return credentials;
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isCredentials(value: unknown): value is SeededCredentials {
  return (
    isRecord(value) &&
    hasTexts(value, "username", "password", "totp_secret") &&
    Array.isArray(value["applications"]) &&
    value["applications"].length > 0 &&
    value["applications"].every(
      (application) =>
        isRecord(application) && hasTexts(application, "name", "url", "client_id", "client_secret"),
    ) &&
    Array.isArray(value["tokens"]) &&
    value["tokens"].every((token) => typeof token === "string")
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function hasTexts(value: Readonly<Record<string, unknown>>, ...names: readonly string[]): boolean {
  return names.every((name) => typeof value[name] === "string");
}
