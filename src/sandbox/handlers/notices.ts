// A control resource of the sandbox, no part of the service: the notices to the owners of reported tokens.
import { json } from "../http/answer.ts";
import { route, type Route } from "../http/routes.ts";
import { formatTime } from "./representations.ts";
import type { HandlerOptions } from "./handler-options.ts";

export function createNoticeRoutes({ notices }: HandlerOptions): readonly Route<null>[] {
  return [
    route("GET /sandbox/notices", () =>
      json(200, {
        notices: notices.list().map(({ login, tokenLastEight, sentAt }) => ({
          login,
          token_last_eight: tokenLastEight,
          sent_at: formatTime(Math.floor(sentAt / 1000)),
        })),
      }),
    ),
  ];
}
