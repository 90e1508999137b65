// Requests for approval that await an answer, each at an address that nobody can guess. They are in memory alone: an
// address is valid for some minutes, and after a restart the token is refused again with a new one.
import { randomBytes } from "node:crypto";

export interface ApprovalRequest {
  readonly id: string;
  readonly authorizationId: number;
  readonly organizationId: number;
}

export type ApprovalRequests = ReturnType<typeof createApprovalRequests>;

export type RequestState = "open" | "answered" | "expired";

interface Entry {
  readonly request: ApprovalRequest;
  isAnswered: boolean;
  expiresAt: number;
}

const approvalMinutes = 15;
const mostRequests = 10_000;

/** `now` is in milliseconds since the epoch. */
export function createApprovalRequests(now: () => number) {
  const entries = new Map<string, Entry>();

  function isOpen(entry: Entry): boolean {
    return !entry.isAnswered && entry.expiresAt > now();
  }

  return {
    /** The ID of the open request for this token and organization, whose time limit starts again. */
    open: (authorizationId: number, organizationId: number): string => {
      const expiresAt = now() + approvalMinutes * 60_000;
      for (const entry of entries.values()) {
        const { request } = entry;
        const isSame =
          request.authorizationId === authorizationId && request.organizationId === organizationId;
        if (!isSame || !isOpen(entry)) continue;
        // A waiting client asks again and again, and the address that its user has opened must stay valid.
        entry.expiresAt = expiresAt;
        return request.id;
      }
      const id = randomBytes(32).toString("base64url");
      entries.set(id, { request: { id, authorizationId, organizationId }, isAnswered: false, expiresAt });
      const [oldest] = entries.keys();
      if (entries.size > mostRequests && oldest !== undefined) entries.delete(oldest);
      return id;
    },
    /** A request and its state; undefined for an unknown id. */
    find: (id: string): { readonly request: ApprovalRequest; readonly state: RequestState } | undefined => {
      const entry = entries.get(id);
      if (entry === undefined) return undefined;
      const state = entry.isAnswered ? "answered" : isOpen(entry) ? "open" : "expired";
      return { request: entry.request, state };
    },
    /** Marks a request as answered, so that it is no longer open. */
    finish: (id: string) => {
      const entry = entries.get(id);
      if (entry !== undefined) entry.isAnswered = true;
    },
  };
}
