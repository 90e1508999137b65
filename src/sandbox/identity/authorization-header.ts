// Parses the `Authorization` header: Basic credentials (RFC 7617, in UTF-8) and tokens. authentication.ts checks them.

export type Credentials =
  | { readonly kind: "basic"; readonly username: string; readonly password: string }
  | { readonly kind: "token"; readonly token: string };

/** The credentials in the header, with the scheme in any case; null where there are none that are understood. */
export function readAuthorizationHeader(value: string | undefined): Credentials | null {
  const [, scheme = "", rest = ""] = /^([a-z]+) +(\S+)\s*$/i.exec(value ?? "") ?? [];
  switch (scheme.toLowerCase()) {
    case "basic":
      return readBasic(rest);
    case "token":
    case "bearer":
      return { kind: "token", token: rest };
    default:
      return null;
  }
}

function readBasic(encoded: string): Credentials | null {
  const decoded = Buffer.from(encoded, "base64").toString("utf8");
  const colon = decoded.indexOf(":");
  if (colon === -1) return null;
  return { kind: "basic", username: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
}
