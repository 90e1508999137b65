// The sandbox's control resources, which are not part of the service. They stand in for an owner's devices:
//
//   /sandbox/codes     a phone or an authenticator app: the valid one-time passwords; POST creates one if necessary
//   /sandbox/notices   a mailbox: the notices to owners of reported tokens, in memory only
//
// They require no credentials, because only this machine can reach them.
import { type ServiceResponse, failure, json } from "../http/response.ts";
import type { SentCode } from "../identity/passwords.ts";
import { type HandlerContext, route, type Route } from "./operation.ts";
import { formatTime } from "./representations.ts";

/** `login` is the account for which POST creates a one-time password. */
export function createControlRoutes(
  { oneTimePasswords, notices }: HandlerContext,
  login: string,
): readonly Route<null>[] {
  const codesResponse = (codes: readonly SentCode[]): ServiceResponse =>
    json(200, {
      otp: oneTimePasswords.mode,
      codes: codes.map((sent) => ({
        login: sent.login,
        code: sent.code,
        sent_at: formatMs(sent.sentAt),
        expires_at: formatMs(sent.expiresAt),
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
        notices: notices.map((notice) => ({
          login: notice.login,
          token_last_eight: notice.tokenLastEight,
          sent_at: formatTime(notice.sentAt),
        })),
      }),
    ),
  ];
}

function formatMs(milliseconds: number): string {
  return formatTime(Math.floor(milliseconds / 1000));
}

/** A notice to the owner of a reported token. */
export interface OwnerNotice {
  readonly login: string;
  readonly tokenLastEight: string;
  /** Seconds since the epoch. */
  readonly sentAt: number;
}
