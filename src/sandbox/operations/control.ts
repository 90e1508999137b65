// The control resources of the sandbox, no part of the service. They stand in for what an account's owner has besides
// the API:
//
//   /sandbox/codes     a telephone or an app: the one-time passwords that are valid now; POST makes sure of one
//   /sandbox/notices   a mailbox: the notices to the owners of reported tokens, in memory alone
//
// They require no credentials, because only this machine can reach them.
import { type Answer, failure, json } from "../http/answer.ts";
import type { SentCode } from "../identity/passwords.ts";
import { type HandlerOptions, route, type Route } from "./operation.ts";
import { formatTime } from "./representations.ts";

/** `login` is the account whose one-time passwords are listed. */
export function createControlRoutes(
  { oneTimePasswords, notices }: HandlerOptions,
  login: string,
): readonly Route<null>[] {
  const answer = (codes: readonly SentCode[]): Answer =>
    json(200, {
      otp: oneTimePasswords.mode,
      codes: codes.map(({ login: of, code, sentAt, expiresAt }) => ({
        login: of,
        code,
        sent_at: formatMs(sentAt),
        expires_at: formatMs(expiresAt),
      })),
    });

  return [
    route("GET /sandbox/codes", () => answer(oneTimePasswords.list())),
    route("POST /sandbox/codes", () => {
      const code = oneTimePasswords.provide(login);
      return code === null
        ? failure(409, "Two-factor authentication is off: start the sandbox with --otp app or --otp sms.")
        : answer([code]);
    }),
    route("GET /sandbox/notices", () =>
      json(200, {
        notices: notices.list().map(({ login: of, tokenLastEight, sentAt }) => ({
          login: of,
          token_last_eight: tokenLastEight,
          sent_at: formatMs(sentAt),
        })),
      }),
    ),
  ];
}

function formatMs(milliseconds: number): string {
  return formatTime(Math.floor(milliseconds / 1000));
}

/** Times are milliseconds since the epoch. */
interface OwnerNotice {
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
