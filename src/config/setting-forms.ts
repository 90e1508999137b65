// The forms of settings: each check returns what is wrong with a value, for the end of a message, or null.
import { isAbsolute } from "node:path";
import { isHeaderLine } from "../http/headers.ts";
import { controlCharacter, isBaseUrl, isLoopback, parseUrl } from "../http/urls.ts";
import type { ServerType } from "../server-types.ts";
import { splitCommand } from "./command-words.ts";

export type Check = (value: string) => string | null;

const headerWordForm = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}[A-Za-z0-9])?$/;

/** The path of an endpoint on the origin of the base URL, optionally with a query; no dot segments. */
const endpointPathForm = /^\/(?!\/)(?!(?:[^?]*\/)?(?:\.|%2e){1,2}(?:[/?]|$))[\w.~!$&'()*+,;=:@/?%-]*$/i;

/** Names begin with a letter or digit, followed by up to 63 letters, digits, dots, hyphens or underscores. */
export function isProfileName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name);
}

const when =
  (isRight: (value: string) => boolean, problem: string): Check =>
  (value) =>
    isRight(value) ? null : problem;

export const checks = {
  // Control characters are rejected, because they would be used literally but shown as escapes.
  text: when((value) => !controlCharacter.test(value), "must not contain control characters"),
  url: when(
    (value) => isBaseUrl(withScheme(value)),
    "must be an http or https URL of a host and a path alone",
  ),
  username: when(
    (value) => !value.includes(":") && !controlCharacter.test(value),
    "must not contain a colon or control characters",
  ),
  clientId: when((value) => /^[\x20-\x7e]+$/.test(value), "must be printable ASCII"),
  headerWord: when((value) => headerWordForm.test(value), "may contain only letters, digits and hyphens"),
  endpointOrNone: when(
    (value) => value === "none" || isEndpoint(value),
    "must be a path on the server, such as /oauth/introspect, an https URL, or none",
  ),
  endpoint: when(isEndpoint, "must be a path on the server, such as /oauth/introspect, or an https URL"),
  path: when((value) => isAbsolute(value) && !controlCharacter.test(value), "must be an absolute path"),
  command: when(isCommandForProfile, "must be a command that needs no shell and no current directory"),
  headers: when(
    (value) => value.split("\n").every((line) => line === "" || isHeaderLine(line)),
    "must have the form 'Name: value', and frame no request nor carry credentials",
  ),
  switch: when((value) => /^(?:true|false)$/.test(toSwitch(value)), "must be true or false"),
} as const satisfies Record<string, Check>;

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
 * The base URL that is meant: a bare host is https. For GitHub, the site stands for its API, and a host without a path for
 * that of an Enterprise Server. A name that begins with `api.`, and this machine (the sandbox), get no path.
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
