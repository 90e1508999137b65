// Keeps the secrets that this process knows out of everything it says about itself: messages, notes, the debug
// trace. By value, in the forms a service might send them back in. Results on standard output are not touched.

export interface Redactor {
  /** From now on this value is a secret. */
  add(secret: string): void;
  /** The text with every secret replaced. */
  redact(text: string): string;
}

/** Shorter values would take ordinary words apart. */
const shortest = 4;

/** A redactor that knows nothing yet. */
export function createRedactor(): Redactor {
  const secrets = new Set<string>();
  let forms: readonly string[] | null = null;
  return {
    add(secret) {
      if (secret.length < shortest || secrets.has(secret)) return;
      secrets.add(secret);
      forms = null;
    },
    redact(text) {
      // The longest first, so that a secret inside of another leaves nothing of the other behind.
      forms ??= [...new Set([...secrets].flatMap(formsOf))].toSorted(
        (one, other) => other.length - one.length,
      );
      return forms.reduce((rest, form) => rest.replaceAll(form, "[secret]"), text);
    },
  };
}

/** As it is, in a URL, in JSON, in base64 alone. */
function formsOf(secret: string): readonly string[] {
  const base64 = Buffer.from(secret).toString("base64");
  const json = JSON.stringify(secret).slice(1, -1);
  const url = /\p{Surrogate}/u.test(secret) ? secret : encodeURIComponent(secret);
  const forms = [
    secret,
    json,
    json.replaceAll("/", "\\/"),
    url,
    url.replaceAll("%20", "+"),
    base64,
    base64.replace(/=+$/, ""),
  ];
  return forms.filter((form) => form.length >= shortest);
}
