// The description of a sandbox: its address, the credentials for it, and its live tokens. Scripts read it from
// `sandbox start --json`.
import { organizations } from "./fixtures/organizations.ts";
import { hashToken } from "./identity/secrets.ts";
import type { SeededApplication, SeededCredentials } from "./seed/credentials.ts";
import type { Store } from "./store/store.ts";

interface DescribedToken {
  readonly id: number;
  readonly token: string;
  readonly token_last_eight: string;
  readonly scopes: readonly string[];
  readonly fingerprint: string;
}

interface DescribedOrganization {
  readonly id: number;
  readonly login: string;
  /** Whether personal tokens need an approval for it. */
  readonly enforces_sso: boolean;
}

/** Everything that is needed to use a sandbox. */
export interface SandboxDescription {
  readonly base_url: string;
  readonly username: string;
  readonly password: string;
  readonly otp: "none" | "app" | "sms";
  /** Base32, for SHA-1, six digits and 30 seconds. Null but in mode app. */
  readonly totp_secret: string | null;
  /** Null in mode none. */
  readonly otp_command: string | null;
  /** The client ID of the first application, whose secret is `client_secret`. */
  readonly client_id: string;
  readonly client_secret: string;
  readonly applications: readonly SeededApplication[];
  /** Seeded tokens of the first application that are still live. */
  readonly tokens: readonly DescribedToken[];
  /** The organizations that the account is a member of, by ascending ID. */
  readonly organizations: readonly DescribedOrganization[];
  /** The address of the account's settings for a browser. It holds a key, which changes with every start. */
  readonly settings_url: string;
}

/** The description of a sandbox that is ready. */
export function describeSandbox(
  options: {
    readonly otp: SandboxDescription["otp"];
    readonly otpCommand: (baseUrl: string) => string;
  },
  store: Store,
  credentials: SeededCredentials,
  settingsUrl: string,
  baseUrl: string,
): SandboxDescription {
  const [first] = credentials.applications;
  return {
    base_url: baseUrl,
    username: credentials.username,
    password: credentials.password,
    otp: options.otp,
    totp_secret: options.otp === "app" ? credentials.totp_secret : null,
    otp_command: options.otp === "none" ? null : options.otpCommand(baseUrl),
    client_id: first.client_id,
    client_secret: first.client_secret,
    applications: credentials.applications,
    tokens: credentials.tokens.flatMap((token) => describeToken(store, token)),
    organizations: organizations.map(({ id, login, enforcesSso }) => ({
      id,
      login,
      enforces_sso: enforcesSso,
    })),
    settings_url: settingsUrl,
  };
}

/** The token as it is now; an empty list when it is no longer live. */
function describeToken(store: Store, token: string): readonly DescribedToken[] {
  const authorization = store.authorizations.findByTokenHash(hashToken(token));
  if (authorization === undefined) return [];
  const { id, tokenLastEight, scopes, fingerprint } = authorization;
  return [{ id, token, token_last_eight: tokenLastEight, scopes, fingerprint: fingerprint ?? "" }];
}
