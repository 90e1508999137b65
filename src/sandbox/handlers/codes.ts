// A control resource of the sandbox, no part of the service: the one-time passwords that are valid now, in place of a
// telephone. It needs no credentials, because only this machine can reach it.
import { failure, json, type Answer } from "../http/answer.ts";
import { route, type Route } from "../http/routes.ts";
import type { SentCode } from "../identity/one-time-passwords.ts";
import { formatTime } from "./representations.ts";
import type { HandlerOptions } from "./handler-options.ts";

/** `login` is the account whose one-time passwords are listed. */
export function createCodeRoutes(
  { oneTimePasswords }: HandlerOptions,
  login: string,
): readonly Route<null>[] {
  const answer = (codes: readonly SentCode[]): Answer =>
    json(200, { otp: oneTimePasswords.mode, codes: codes.map(representCode) });

  return [
    route("GET /sandbox/codes", () => answer(oneTimePasswords.list())),
    route("POST /sandbox/codes", () => {
      const code = oneTimePasswords.provide(login);
      return code === null
        ? failure(409, "Two-factor authentication is off: start the sandbox with --otp app or --otp sms.")
        : answer([code]);
    }),
  ];
}

function representCode({ login, code, sentAt, expiresAt }: SentCode): unknown {
  return {
    login,
    code,
    sent_at: formatTime(Math.floor(sentAt / 1000)),
    expires_at: formatTime(Math.floor(expiresAt / 1000)),
  };
}
