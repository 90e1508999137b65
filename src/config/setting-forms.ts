// The forms of settings: what is right for a value, and how it is used, shown, and kept in the configuration file.
import { isAbsolute } from "node:path";
import { isHeaderLine } from "../http/headers.ts";
import { controlCharacter, isBaseUrl, isLoopback, parseUrl } from "../http/origin.ts";
import type { ServerType } from "../server-types.ts";
import { splitCommand } from "./command-words.ts";

/** What depends on the form of a value. It is a text everywhere but in the file. */
export interface Form {
  /** What is wrong with a value, for the end of a message, or null. */
  readonly check: (value: string) => string | null;
  readonly choices?: readonly string[];
  /** The value as it is used: a URL with its scheme, a switch as true or false. */
  readonly normalise: (value: string, serverType: ServerType) => string;
  /** The value in a list of settings. */
  readonly listed: (value: string) => string;
  /** To and from the type that it has in the file, if that is no text. */
  readonly toFile?: (value: string) => unknown;
  readonly fromFile?: (written: unknown) => unknown;
  /** The path of a file, which may be relative on the command line. */
  readonly isPath?: true;
  /** A command that prints a secret. */
  readonly isCommand?: true;
}

const headerWordForm = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}[A-Za-z0-9])?$/;

/** The path of an endpoint on the origin of the base URL, optionally with a query; no dot segments. */
const endpointPathForm = /^\/(?!\/)(?!(?:[^?]*\/)?(?:\.|%2e){1,2}(?:[/?]|$))[\w.~!$&'()*+,;=:@/?%-]*$/i;

/** Names begin with a letter or digit, followed by up to 63 letters, digits, dots, hyphens or underscores. */
export function isProfileName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name);
}

function form(isRight: (value: string) => boolean, problem: string, more: Partial<Form> = {}): Form {
  return {
    check: (value) => (isRight(value) ? null : problem),
    normalise: (value) => value,
    listed: (value) => value,
    ...more,
  };
}

export function oneOf(choices: readonly string[]): Form {
  return form((value) => choices.includes(value), `must be one of ${choices.join(", ")}`, { choices });
}

export const forms = {
  // Control characters are rejected, because they would be used literally but shown as escapes.
  text: form((value) => !controlCharacter.test(value), "must not contain control characters"),
  url: form(
    (value) => isBaseUrl(withScheme(value)),
    "must be an http or https URL of a host and a path alone",
    { normalise: toBaseUrl },
  ),
  username: form(
    (value) => !value.includes(":") && !controlCharacter.test(value),
    "must not contain a colon or control characters",
  ),
  clientId: form((value) => /^[\x20-\x7e]+$/.test(value), "must be printable ASCII"),
  headerWord: form((value) => headerWordForm.test(value), "may contain only letters, digits and hyphens"),
  endpointOrNone: form(
    (value) => value === "none" || isEndpoint(value),
    "must be a path on the server, such as /oauth/introspect, an https URL, or none",
  ),
  endpoint: form(isEndpoint, "must be a path on the server, such as /oauth/introspect, or an https URL"),
  path: form((value) => isAbsolute(value) && !controlCharacter.test(value), "must be an absolute path", {
    isPath: true,
  }),
  command: form(isCommandForProfile, "must be a command that needs no shell and no current directory", {
    isCommand: true,
  }),
  headers: form(
    (value) => value.split("\n").every((line) => line === "" || isHeaderLine(line)),
    "must have the form 'Name: value', and frame no request nor carry credentials",
    {
      // A header may hold a secret, such as a gateway's key.
      listed: (value) => value.replaceAll(/:.*/g, ": …"),
      toFile: (value) => value.split("\n"),
      fromFile: (written) => (Array.isArray(written) ? written.join("\n") : written),
    },
  ),
  switch: form((value) => /^(?:true|false)$/.test(toSwitch(value)), "must be true or false", {
    normalise: toSwitch,
    toFile: (value) => toSwitch(value) === "true",
  }),
} as const;

/** True if a line may be saved in a profile: its program is on the PATH or absolute, and it needs no shell. */
function isCommandForProfile(line: string): boolean {
  try {
    const [program] = splitCommand(line);
    return isAbsolute(program) || !/[\\/]/.test(program);
  } catch {
    return false;
  }
}

/** A path, or an absolute https URL, at another origin too. */
function isEndpoint(value: string): boolean {
  const [, path = value] = /^https:\/\/[a-z\d.-]+(?::\d+)?(\/.*)$/i.exec(value) ?? [];
  return endpointPathForm.test(path) && (path === value || parseUrl(value) !== null);
}

/**
 * The base URL that is meant: a bare host is https. For GitHub, the site stands for its API, and a host without a path
 * for the API of an Enterprise Server, unless its name begins with `api.`, or it is this machine, as the sandbox is.
 */
export function toBaseUrl(text: string, { isGithub }: Pick<ServerType, "isGithub">): string {
  const url = withScheme(text);
  const [, scheme = "", host = ""] = /^(https?:\/\/)([^/?#@\\\s]+)\/*$/i.exec(url) ?? [];
  const name = parseUrl(url)?.hostname ?? "";
  if (!isGithub || host === "" || name.startsWith("api.") || isLoopback(name)) return url;
  return /^(?:www\.)?github\.com$|^[a-z\d-]+\.ghe\.com$/.test(name)
    ? `${scheme}api.${host.replace(/^www\./i, "")}`
    : `${scheme}${host}/api/v3`;
}

/** Adds https to a bare host, with or without port and path. */
function withScheme(text: string): string {
  return /^[a-z\d](?:[a-z\d.-]*[a-z\d])?(?::\d+)?(?:\/|$)/i.test(text) ? `https://${text}` : text;
}

/** As true or false; anything else as it is. */
export function toSwitch(text: string): string {
  if (/^(?:1|yes|on|true)$/i.test(text)) return "true";
  return /^(?:0|no|off|false)$/i.test(text) ? "false" : text;
}
