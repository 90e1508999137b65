// Redacts the secrets of a run in messages, notes, the debug trace, and the reasons in rows. What a server returned as a
// result is not redacted.
//
// The few secrets of logins are searched for in the forms in which they travel or come back: as they are, encoded for a
// URI, for a form and for JSON, and in base64 for Basic authentication. A job may have very many tokens; they are looked up
// word by word. Less than six characters are not redacted: that would tear harmless text apart.
import { encodeFormText, type Credentials } from "./http/authentication.ts";

const shortest = 6;

const replacement = "[secret]";

/** The words of a token, which have the same characters in any encoding. */
const tokenWord = /[\w-]{6,}/g;

/** The words of a text, and the escapes that may stand before them. */
const wordOrEscape = /%[0-9A-Fa-f]{2}|[\w-]{6,}/g;

export type Redactor = ReturnType<typeof createRedactor>;

export function createRedactor() {
  /** The longest first, because one secret may contain another. */
  let forms: readonly string[] = [];
  const knownWords = new Set<string>();
  const addForms = (...added: readonly string[]): void => {
    const all = new Set([...forms, ...added.filter((form) => form.length >= shortest)]);
    forms = [...all].toSorted((first, second) => second.length - first.length);
  };
  const addSecret = (secret: string): void => {
    const encoded = [encodeURIComponent(Buffer.from(secret).toString()), encodeFormText(secret)];
    addForms(
      secret,
      ...encoded,
      // The digits of escapes may be in either case.
      ...encoded.map((form) => form.replaceAll(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase())),
      JSON.stringify(secret).slice(1, -1),
    );
  };
  return {
    /** A secret of a login: a password, a client secret or a one-time password. */
    addSecret,
    /** A user name or client ID and its secret, which are sent together, by OAuth clients encoded as in a form. */
    addLogin: ({ name, secret }: Credentials): void => {
      addSecret(secret);
      const pairs = [`${name}:${secret}`, `${encodeFormText(name)}:${encodeFormText(secret)}`];
      // Without the padding, which may be encoded.
      addForms(...pairs.map((pair) => Buffer.from(pair).toString("base64").replace(/=+$/, "")));
    },
    /** A token of a job. */
    add: (token: string): void => {
      const own = token.match(tokenWord) ?? [];
      for (const word of own) knownWords.add(word);
      // As no server issues them, so these are few.
      if (own.length === 0) addSecret(token);
    },
    redact: (text: string): string =>
      forms
        .reduce((rest, form) => rest.replaceAll(form, replacement), text)
        .replaceAll(wordOrEscape, (word) => (knownWords.has(word) ? replacement : word)),
  };
}
