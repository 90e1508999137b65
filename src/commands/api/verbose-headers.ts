// Both sides' headers for `--verbose-headers`. What proves somebody is named and not shown.
import type { Context } from "../../context.ts";
import type { HttpAnswer } from "../../http/request.ts";
import type { RawCall } from "../../http/service.ts";

/** Headers of an answer that may hold a secret, or the way to one. */
const hidden = /^(?:set-cookie|authorization|www-authenticate|location)$|-(?:otp|sso)$/;

/** Describes the exchange on standard error. */
export function describeHeaders(
  { method, subject, headers }: RawCall,
  answer: HttpAnswer,
  { notices }: Context,
): void {
  const lines = [
    `> ${subject.startsWith(method) ? subject : `${method} ${subject}`}`,
    ...Object.entries(headers).map(([name, value]) => `> ${name}: ${value}`),
    "> Authorization: (not shown)",
    `< ${answer.status}`,
    ...Object.entries(answer.headers).map(
      ([name, value]) => `< ${name}: ${hidden.test(name) ? "(not shown)" : value}`,
    ),
  ];
  for (const line of lines) notices.note(line);
}
