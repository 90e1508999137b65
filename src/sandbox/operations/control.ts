// The control resources of the sandbox, which are not part of the service. They replace an owner's devices:
//
//   /sandbox/codes     a telephone or an app: the valid one-time passwords; POST creates one if necessary
//   /sandbox/notices   a mailbox: the notices to the owners of reported tokens, only in memory
//
// They require no credentials, because only this machine can reach them.
import { type ServiceResponse, failure, json } from "../http/response.ts";
import type { SentCode } from "../identity/passwords.ts";
import { type HandlerOptions, route, type Route } from "./operation.ts";
import { formatTime } from "./representations.ts";

/** `login` is the account whose one-time passwords are listed. */
export function createControlRoutes(
  { oneTimePasswords, notices }: HandlerOptions,
  login: string,
): readonly Route<null>[] {
  const codesResponse = (codes: readonly SentCode[]): ServiceResponse =>
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
    route("GET /sandbox/codes", () => codesResponse(oneTimePasswords.list())),
    route("POST /sandbox/codes", () => {
      const code = oneTimePasswords.provide(login);
      return code === null
        ? failure(409, "Two-factor authentication is off: start the sandbox with --otp app or --otp sms.")
        : codesResponse([code]);
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
