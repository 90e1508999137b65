// The sandbox's control resource, which is not part of the service: `/sandbox/code` stands in for a phone or an
// authenticator app. It requires no credentials, because only this machine can reach it.
import { failure, json } from "../http/response.ts";
import { type HandlerContext, route, type Route } from "./operation.ts";

/** `login` is the account that the one-time password is for. */
export function createControlRoutes(
  { oneTimePasswords }: HandlerContext,
  login: string,
): readonly Route<null>[] {
  return [
    route("POST /sandbox/code", () => {
      const code = oneTimePasswords.provide(login);
      return code === null
        ? failure(409, "Two-factor authentication is off: start the sandbox with --otp app or --otp sms.")
        : json(200, { code });
    }),
  ];
}
