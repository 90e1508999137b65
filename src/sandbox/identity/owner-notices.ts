// The notices to owners of reported tokens, in place of an operator's mail. They are in memory alone.

/** Times are milliseconds since the epoch. */
export interface OwnerNotice {
  readonly login: string;
  readonly tokenLastEight: string;
  readonly sentAt: number;
}

export type OwnerNotices = ReturnType<typeof createOwnerNotices>;

const largestMailbox = 100_000;

/** An empty mailbox; `now` is in milliseconds since the epoch. */
export function createOwnerNotices(now: () => number) {
  const sent: OwnerNotice[] = [];
  return {
    send(login: string, tokenLastEight: string): void {
      if (sent.length < largestMailbox) sent.push({ login, tokenLastEight, sentAt: now() });
    },
    /** Oldest first. */
    list: (): readonly OwnerNotice[] => sent,
  };
}
