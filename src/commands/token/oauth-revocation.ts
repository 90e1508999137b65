// The revocation of a token at an OAuth 2.0 server, which is asked about it before and after: only the two introspections
// around a revocation tell its effect:
//
//   before             revocation    after        outcome
//   active, ours       2xx           inactive     revoked
//   active, ours       2xx           active       refused
//   not inactive       4xx, or a no  -            refused
//   inactive           any           inactive     not found: inactive before and after
//   any                2xx           unavailable  accepted: not verified
//   unavailable        2xx           -            accepted: not verified
//   active, another's  not sent      -            refused
//   any                2xx           failed       unknown
//   any                no response   -            unknown
//
// Introspections are reads without an intent, so only the revocation can leave an unknown outcome.
//
// Some servers end all tokens of a person if a revoked token is sent again. So within a job, a revocation
// that was answered is repeated only if it had no effect and the token is active now; one without a response, unless the
// token is inactive.
import { introspect, requireEndpoint, sendRevocation } from "../../api/oauth-tokens.ts";
import type { Form, IntrospectedToken, Introspection } from "../../api/oauth-tokens.ts";
import { Failure, isFailure } from "../../errors/errors.ts";
import type { Intent } from "../../http/request.ts";
import type { Service } from "../../http/service.ts";
import type { EntryHandle } from "../../jobs/item-runner.ts";
import type { EarlierRevocation } from "../../jobs/leftover.ts";
import { tokenName } from "../../token.ts";

/** The state that the revocations of a run share. */
export interface RevocationState {
  /** Tokens that this run found active, with the form that showed them. */
  readonly active: Map<string, Form>;
  /** False if inactive tokens are not sent: the user turned it off, or the server has refused to revoke one. */
  sendsInactive: boolean;
  /** Called with the reason if a revocation cannot be verified. */
  readonly onUnverified: (reason: Failure) => void;
}

interface RevocationAttempt {
  readonly shared: RevocationState;
  readonly intent: Intent;
  readonly earlier: EarlierRevocation;
  /** Gets what a later run must know of a revocation that was answered. */
  readonly entry: Pick<EntryHandle, "mark" | "markUnsynced">;
}

/**
 * The reads of `revokeVerified`, without a change: the active token, or null if its revocation could not be verified.
 * Throws what `revokeVerified` would throw before it sends anything, and "not found" for an inactive token.
 */
export async function previewRevocation(
  service: Service,
  clientId: string,
  token: string,
  { onUnverified }: RevocationState,
): Promise<IntrospectedToken | null> {
  await requireEndpoint(service, "revocation");
  const before = await introspect(service, clientId, token);
  if (before.state === "active") return before.token;
  if (before.state !== "unavailable") throw before.failure;
  onUnverified(before.failure);
  return null;
}

/** Revokes a token and verifies the effect by introspection; resolves with "accepted" if it cannot be verified. */
export async function revokeVerified(
  service: Service,
  clientId: string,
  token: string,
  revocation: RevocationAttempt,
): Promise<"revoked" | "accepted"> {
  const { shared, earlier, intent } = revocation;
  await requireEndpoint(service, "revocation");
  const before = await introspect(service, clientId, token, shared.active.get(token));
  if (before.state === "foreign") throw before.failure;
  if (before.state === "active") shared.active.set(token, before.form);
  const isInactive = before.state === "inactive";
  if (earlier === "unseen" && before.state === "unavailable")
    throw new Failure(
      "incomplete",
      `${tokenName(token)}: an earlier run sent its revocation, and its state cannot be seen: ${before.failure.message}`,
      { ...before.failure.details, isAboutItem: true },
    );
  if (earlier === "to-verify") return isInactive ? "revoked" : effectOf(token, before, null, revocation);
  // Servers hide active refresh tokens, so an inactive token is sent, too.
  if (isInactive && (earlier !== undefined || !shared.sendsInactive)) throw before.failure;
  const form = shared.active.get(token) ?? { token };
  const refusal = await sendRevocation(service, token, form, intent);
  if (refusal !== null && isInactive) shared.sendsInactive = false;
  // Nothing shows more after a refusal, or where no introspection is available.
  const isOver = before.state === "unavailable" || (refusal !== null && !isInactive);
  const after = isOver ? before : await introspectAfter(service, clientId, token, revocation);
  return effectOf(token, after, refusal, revocation);
}

/** The effect of a revocation, by the introspection after it. Throws if the token is active, or was not found active. */
function effectOf(
  token: string,
  after: Introspection,
  refusal: Failure | null,
  { shared: { active, onUnverified }, earlier, entry }: RevocationAttempt,
): "revoked" | "accepted" {
  const isInactive = after.state === "inactive";
  if (isInactive && refusal === null && active.has(token)) return "revoked";
  if (after.state === "unavailable" && refusal === null) {
    onUnverified(after.failure);
    return "accepted";
  }
  // Not if an earlier revocation got no response: it may still take effect.
  if (earlier === undefined || active.has(token))
    entry.markUnsynced({ state: "unchanged", effect_unseen: true });
  if (isInactive) throw after.failure;
  if (refusal !== null) throw refusal;
  const message = `${tokenName(token)} is still active, although the server accepted its revocation`;
  const hint = "Run `grantctl token check` later: some servers remember the state of a token for a while.";
  throw new Failure("refused", message, { isAboutItem: true, isStillActive: true, hint });
}

/** Throws an unknown failure without a response: the revocation was sent, whatever the reason is now. */
async function introspectAfter(
  service: Service,
  clientId: string,
  token: string,
  { shared: { active }, entry }: RevocationAttempt,
): Promise<Introspection> {
  try {
    return await introspect(service, clientId, token, active.get(token));
  } catch (error) {
    if (!isFailure(error)) throw error;
    await entry.mark(active.has(token) ? { state: "answered" } : { effect_unseen: true });
    const message = `${tokenName(token)}: the server accepted the revocation, but the introspection after it failed: ${error.message}`;
    const hint = "Run `grantctl token check` to see whether the token is still active.";
    throw new Failure("unknown", message, { ...error.details, hint });
  }
}
