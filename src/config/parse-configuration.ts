// Parses and validates the text of the configuration file. Loaded only if the file exists or is edited.
import { isAbsolute } from "node:path";
import {
  createScanner,
  findNodeAtLocation,
  getNodeValue,
  parseTree,
  type Node,
  type ParseError,
} from "jsonc-parser";
import * as v from "valibot";
import { usageFailure, type Failure } from "../errors/errors.ts";
import { parseUrl } from "../parse-url.ts";
import { foreign } from "../errors/foreign.ts";
import { isCommandForProfile, quoteCommand } from "./command-words.ts";
import { secretKinds, secretStores, type Configuration } from "./configuration.ts";
import {
  endpointForm,
  headerForm,
  isProfileName,
  namesOfObjects,
  profileKeyNames,
  profileKeys,
  type ProfileKey,
  type ProfileValues,
} from "./profile-keys.ts";
import { headerWordForm } from "./settings.ts";
import { defaultServerType, findServerType } from "../server-types.ts";

const text = v.pipe(v.string("must be text"), v.nonEmpty("is empty"));
// Control characters are rejected, because they would be used literally but shown as escapes.
const plainText = v.pipe(text, v.regex(/^\P{Cc}*$/u, "must not contain control characters"));

const shapes = {
  address: v.pipe(plainText, v.check(isBaseUrl, "must be an http or https URL with nothing after its path")),
  user: v.pipe(plainText, v.regex(/^[^:]*$/, "must not contain a colon")),
  "client ID": v.pipe(text, v.regex(/^[\x20-\x7e]+$/, "must be printable ASCII")),
  endpoint: v.pipe(text, v.regex(endpointForm, "must be a path on the server, such as /oauth/introspect")),
  "header word": v.pipe(text, v.regex(headerWordForm, "may contain only letters, digits and hyphens")),
  path: v.pipe(
    plainText,
    v.check((path) => isAbsolute(path), "must be an absolute path"),
  ),
  switch: v.pipe(
    v.union([v.boolean(), v.picklist(["true", "false"])], "must be true or false"),
    v.transform(String),
  ),
  headers: v.pipe(
    v.union([text, v.array(text)], "must be a list of headers"),
    v.transform((headers) => (typeof headers === "string" ? headers.split("\n") : headers)),
    v.check((lines) => lines.every((line) => headerForm.test(line)), "must have the form 'Name: value'"),
    v.transform((lines) => lines.join("\n")),
  ),
  command: v.pipe(
    v.union([text, v.pipe(v.array(text), v.minLength(1))], "must be a command, or a list of its words"),
    v.transform((command) => (typeof command === "string" ? command : quoteCommand(command))),
    v.check(isCommandForProfile, "must be a command that needs no shell and no current directory"),
  ),
};

/** The schema for the value of a key. It turns a list of words into one command line. */
function profileValueShape(key: ProfileKey): v.GenericSchema<unknown, string> {
  const { type } = profileKeys[key];
  return typeof type === "string" ? shapes[type] : v.picklist(type, `must be one of ${type.join(", ")}`);
}

/** An object but not an array, which valibot would accept as an object without keys. */
const object = v.custom<Record<string, unknown>>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  "must be an object",
);

const profile = v.pipe(
  object,
  v.strictObject(Object.fromEntries(profileKeyNames.map((key) => [key, v.optional(profileValueShape(key))]))),
  v.forward(v.check(hasFittingClientId, "must have exactly 20 characters"), ["client_id"]),
);

function hasFittingClientId({
  client_id,
  server_type,
}: Readonly<Record<string, string | undefined>>): boolean {
  const { clientIdLength } = findServerType(server_type ?? "") ?? defaultServerType;
  return client_id === undefined || clientIdLength === null || /^[^ ]{20}$/.test(client_id);
}

const profileName = v.pipe(v.string(), v.check(isProfileName, "is not a valid profile name"));

const file = v.pipe(
  object,
  v.strictObject({
    default_profile: v.optional(profileName),
    profiles: v.optional(v.pipe(object, v.record(profileName, profile)), {}),
    stored_secrets: v.optional(
      v.array(
        v.pipe(
          object,
          v.strictObject({
            origin: text,
            kind: v.picklist(secretKinds),
            user: text,
            store: v.picklist(secretStores),
          }),
        ),
        "must be a list",
      ),
      [],
    ),
  }),
);

/** Validates a value for a key; returns it in the form used in the file. Throws a usage failure. */
export function checkProfileValue(key: ProfileKey, value: string): string {
  const parsed = v.safeParse(profileValueShape(key), value);
  if (!parsed.success) throw usageFailure(`${key} ${parsed.issues[0].message}`);
  return parsed.output;
}

/** Reads the text of the file at `path`. Throws a usage failure with the line and the key of the first mistake. */
export function parseConfiguration(path: string, source: string): Configuration {
  const parsed = v.safeParse(file, readTree(path, source));
  if (!parsed.success) {
    const [issue] = parsed.issues;
    const keys = issue.path?.map(({ key }) => key as string | number) ?? [];
    throw configurationFailure(path, source, keys, describeIssue(issue, keys.at(-1)));
  }
  const { default_profile, profiles, stored_secrets } = parsed.output;
  return {
    path,
    defaultProfile: default_profile ?? null,
    profiles: new Map(Object.entries(profiles as Record<string, ProfileValues>)),
    storedSecrets: stored_secrets,
  };
}

const maxDepth = 100;

const secretKeys = new Set(["password", "client_secret", "secret", "token", "otp", "totp_secret"]);

function describeIssue(issue: v.BaseIssue<unknown>, key: unknown): readonly [what: string, hint?: string] {
  // For a key that is not in the schema, valibot reports "never" as the expected type.
  if (issue.expected !== "never")
    return [issue.message.startsWith("Invalid") ? "is not an allowed value" : issue.message];
  if (typeof key === "string" && secretKeys.has(key))
    return [
      "is not allowed: the configuration cannot contain secrets",
      "Run `grantctl auth login` to store a secret.",
    ];
  return ["is not a setting", `A profile may contain ${profileKeyNames.join(", ")}.`];
}

/** Parses the text; throws a usage failure if it is not JSON or has a duplicate key. */
function readTree(path: string, source: string): unknown {
  if (source.trim() === "") return {};
  if (isTooDeep(source)) throw usageFailure(`${foreign(path)} is nested too deep`);
  const errors: ParseError[] = [];
  const tree = parseTree(source, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (tree === undefined || error !== undefined) {
    throw usageFailure(
      `${foreign(path)}:${lineNumberAt(source, error?.offset ?? 0)}: invalid JSON`,
      "Fix it in an editor. Run `grantctl doctor` to see its path.",
    );
  }
  checkKeys(path, source, tree, []);
  return getNodeValue(tree) as unknown;
}

/** True if the text is nested too deeply for the recursive parser. A configuration has at most five levels. */
function isTooDeep(source: string): boolean {
  const scanner = createScanner(source, true);
  let depth = 0;
  for (scanner.scan(); scanner.getTokenLength() > 0; scanner.scan()) {
    const first = source.charAt(scanner.getTokenOffset());
    if (first === "{" || first === "[") depth += 1;
    if (first === "}" || first === "]") depth -= 1;
    if (depth > maxDepth) return true;
  }
  return false;
}

function checkKeys(path: string, source: string, node: Node, keys: readonly (string | number)[]): void {
  const seen = new Set<string>();
  for (const [index, child] of (node.children ?? []).entries()) {
    if (child.type !== "property") {
      checkKeys(path, source, child, [...keys, index]);
      continue;
    }
    const [name, value] = child.children ?? [];
    const key = String(name?.value);
    if (seen.has(key) || namesOfObjects.has(key)) {
      const line = lineNumberAt(source, child.offset);
      throw usageFailure(
        `${foreign(path)}:${line}: ${[...keys, key].join(".")} ${seen.has(key) ? "appears here twice" : "is a name that cannot be used"}`,
      );
    }
    seen.add(key);
    if (value !== undefined) checkKeys(path, source, value, [...keys, key]);
  }
}

function configurationFailure(
  path: string,
  source: string,
  keys: readonly (string | number)[],
  [what, hint]: readonly [what: string, hint?: string],
): Failure {
  const tree = parseTree(source, [], { allowTrailingComma: true });
  const node = tree === undefined ? undefined : nearestNode(tree, keys);
  // The node is a value; report the line of its key, which precedes it.
  const offset = node?.parent?.type === "property" ? node.parent.offset : (node?.offset ?? 0);
  const name = keys.length === 0 ? "the configuration" : keys.join(".");
  return usageFailure(`${foreign(path)}:${lineNumberAt(source, offset)}: ${name} ${what}`, hint);
}

/** The node at these keys; if a key is missing, the node of the object that lacks it. */
function nearestNode(tree: Node, keys: readonly (string | number)[]): Node {
  return (
    findNodeAtLocation(tree, [...keys]) ?? (keys.length === 0 ? tree : nearestNode(tree, keys.slice(0, -1)))
  );
}

function isBaseUrl(value: string): boolean {
  const url = parseUrl(value);
  return (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    `${url.username}${url.password}${url.search}${url.hash}` === ""
  );
}

function lineNumberAt(source: string, offset: number): number {
  return source.slice(0, offset).split("\n").length;
}
