// The control resources of the sandbox, no part of the service: the one-time passwords that are valid now, in place of
// a telephone, and the notices to the owners of reported tokens. They need no credentials, because only this machine
// can reach them.
import { failure, json, type Answer } from "../http/answer.ts";
import { route, type Route } from "../http/routes.ts";
import type { SentCode } from "../identity/one-time-passwords.ts";
import { formatTime } from "./representations.ts";
import type { HandlerOptions } from "./handler-options.ts";

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
