// The format of a token, its name in places that must not show its value, and its form, which tells a whole token from a
// part of one. A server says "not found" of any text, so a text counts as gone only if it has a form that is known, or
// that of a token that the server accepted.
//
//   known form     GitHub's prefixes with their lengths, 40 lower-case hexadecimal digits, a lower-case UUID, a JWT whose
//                  parts decode and whose signature has the length of its algorithm
//   accepted form  the length and the alphabet of a token that was accepted
import { hash } from "node:crypto";
import { isObject, parseOrNull } from "./json.ts";

/** Placeholders that a server or a gateway sends instead of a hidden value: `****`, `ghp_****`, `[FILTERED]`. */
const hidden = /\*{3}|^\[.*\]$|^<.*>$/;

/** True for one word of printable ASCII, at most 128 KiB, that is not a placeholder. */
export function isTokenValue(value: unknown): value is string {
  return typeof value === "string" && /^[\x21-\x7e]{1,131072}$/.test(value) && !hidden.test(value);
}

/** The last eight characters, as in `token_last_eight`; at most half of a short token. */
export function lastEight(token: string): string {
  const shown = Math.min(8, Math.floor(token.length / 2));
  return shown === 0 ? "" : token.slice(-shown);
}

/** In lower-case hexadecimal digits. Unsalted: a token is too random to be guessed from its hash. */
export function hashOf(text: string): string {
  return hash("sha256", text);
}

/** A token in messages. */
export function tokenName(token: string): string {
  return token.length < 2 ? "the token of one character" : `the token ending in ${lastEight(token)}`;
}

/** GitHub's tokens: the prefix of each kind, and the lengths of the parts that follow it. */
const kinds = [
  { prefix: "gho_", kind: "application", lengths: [36] },
  { prefix: "ghu_", kind: "app-user", lengths: [36] },
  { prefix: "ghs_", kind: "app-installation", lengths: [36] },
  { prefix: "ghr_", kind: "app-refresh", lengths: [76] },
  { prefix: "ghp_", kind: "personal", lengths: [36] },
  { prefix: "github_pat_", kind: "personal-fine-grained", lengths: [22, 59] },
];

/** The kind of a token with one of GitHub's prefixes; null for any other. */
export function kindOf(token: string): string | null {
  return kinds.find(({ prefix }) => token.startsWith(prefix))?.kind ?? null;
}

const forms = kinds.map(
  ({ prefix, lengths }) => prefix + lengths.map((length) => `[A-Za-z0-9]{${length}}`).join("_"),
);
const prefixed = `(?:${forms.join("|")})`;
const hex = "[0-9a-f]{40}";
const uuid = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const knownForm = new RegExp(`^(?:${prefixed}|${hex}|${uuid})$`);

/** True for a text with the form of a whole token, whatever the server. */
export function hasKnownForm(text: string): boolean {
  return knownForm.test(text) || isWholeJwt(text);
}

/** A token of a known form within a longer text. What has no prefix must not be part of a word, nor, in a URL, a commit. */
const within = new RegExp(
  String.raw`${prefixed}(?![A-Za-z0-9])|(?<![\w.+~-]|[^/]\/)${hex}(?![\w.+/~-])|(?<![\w-])${uuid}(?![\w-])`,
  "g",
);

const jwtsWithin = /(?<![\w-])eyJ[\w-]*\.[\w-]+\.[\w-]+(?![\w.-])/g;

/** The tokens of known forms in a text, such as a URL or an assignment. */
export function knownFormsIn(text: string): readonly string[] {
  return [...(text.match(within) ?? []), ...(text.match(jwtsWithin) ?? []).filter(isWholeJwt)];
}

/** True for a text with a prefix of GitHub's tokens, of unknown kinds as well, or with the form of its old ones. */
export function isOfGitHub(text: string): boolean {
  return /^(?:gh[a-z]_|github_pat_)|^[0-9a-f]{40}$/.test(text);
}

/** From the narrowest: a token of hexadecimal digits says nothing of texts with other characters. */
const alphabets = [/^[0-9a-f]*$/, /^[A-Za-z0-9_-]*$/, /^[A-Za-z0-9._~+/-]*=*$/];
const alphabetOf = (token: string): RegExp | undefined => alphabets.find((each) => each.test(token));

/** True for a text that is a whole token: its form is known, or it looks like one of these, which the server accepted. */
export function isWholeToken(text: string, accepted: readonly string[]): boolean {
  const isLike = (token: string): boolean =>
    token.length === text.length && alphabetOf(token)?.test(text) === true;
  return hasKnownForm(text) || accepted.some(isLike);
}

/**
 * The type of a token at an OAuth 2.0 server, as far as its text shows it; null for an opaque one, which may be an access
 * token or a refresh token. JWTs say it, others may have a prefix: `ory_at_` at Hydra, `authelia_rt_` at Authelia.
 */
export function typeInText(text: string): string | null {
  return jwtType(text) ?? /^(?:[a-z]+_)?[ar]t_/.exec(text)?.[0] ?? null;
}

/** The payload of a token that is a JWT; null for any other. */
export function readPayload(text: string): Readonly<Record<string, unknown>> | null {
  return isWholeJwt(text) ? decodeObject(text.split(".")[1] ?? "") : null;
}

/**
 * Keycloak names the type of a token in its payload, Amazon Cognito as well. A server may hide the tokens of other clients
 * and for other audiences.
 */
function jwtType(text: string): string | null {
  if (!isWholeJwt(text)) return null;
  const [head, payload] = text.split(".").map(decodeObject);
  const { typ, token_use, iss, azp, client_id, aud } = payload ?? {};
  return JSON.stringify([head?.["alg"], head?.["typ"], typ, token_use, iss, azp ?? client_id, aud]);
}

/** The lengths of signatures in bytes (RFC 7518, 8037); RSA with keys of 2,048, 3,072 and 4,096 bits. */
const signatureLengths: ReadonlyMap<string, readonly number[]> = new Map([
  ["HS256", [32]],
  ["HS384", [48]],
  ["HS512", [64]],
  ["ES256", [64]],
  ["ES384", [96]],
  ["ES512", [132]],
  ["EdDSA", [64, 114]],
]);
const rsaLengths = [256, 384, 512];

function isWholeJwt(text: string): boolean {
  const parts = text.split(".");
  const [head = "", payload = "", signature = ""] = parts;
  if (parts.length !== 3 || parts.some((part) => !isBase64url(part))) return false;
  const algorithm = decodeObject(head)?.["alg"];
  if (typeof algorithm !== "string" || decodeObject(payload) === null) return false;
  const lengths = /^[RP]S(?:256|384|512)$/.test(algorithm) ? rsaLengths : signatureLengths.get(algorithm);
  return lengths?.includes(Buffer.from(signature, "base64url").length) === true;
}

/** True for base64url in its only spelling, so that no other text decodes to the same bytes. */
function isBase64url(part: string): boolean {
  return Buffer.from(part, "base64url").toString("base64url") === part;
}

function decodeObject(part: string): Readonly<Record<string, unknown>> | null {
  const decoded = parseOrNull(Buffer.from(part, "base64url").toString("utf8"));
  return isObject(decoded) ? decoded : null;
}
