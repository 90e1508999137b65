// Statuses and headers that reject, challenge or throttle.
import { untrusted, whole, type HostileAnswer } from "./answer-bytes.ts";

export const statuses: readonly HostileAnswer[] = [
  ...[500, 502, 504, 520].map((status) =>
    untrusted(
      `${status} with a page`,
      whole(status, ["Content-Type: text/html"], () => "<h1>\u001b[31mno"),
    ),
  ),
  {
    name: "503 with a wait of centuries",
    answer: whole(503, [`Retry-After: ${"9".repeat(400)}`]),
    read: [8],
    write: [13],
  },
  {
    name: "429 with a wait of centuries",
    answer: whole(429, ["Retry-After: 9999999999"]),
    read: [8],
    write: [8],
  },
  {
    name: "401 that asks for a code for ever",
    answer: whole(401, ["X-Service-OTP: required; app"], () => "{}"),
    read: [4, 5],
    write: [4, 5],
  },
  {
    name: "401 with a code's header that asks nothing",
    answer: whole(401, ["X-Service-OTP: optional"], () => "{}"),
    read: [4],
    write: [4],
  },
  {
    name: "407 as if it were a proxy",
    answer: whole(407, ["Proxy-Authenticate: Basic realm=x", "X-Service-OTP: required; app"], () => "{}"),
    read: [1],
    write: [1],
  },
  {
    name: "403 that wants a script opened",
    answer: whole(403, ["X-Service-SSO: required; url=javascript:alert(1)"], () => "{}"),
    read: [6],
    write: [6],
  },
  untrusted(
    "403 that wants a terminal moved",
    whole(403, ["X-Service-SSO: required; url=https://a.test/\u001b]8;;x"], () => "{}"),
  ),
  {
    name: "422 with a message that draws",
    answer: whole(422, [], () => JSON.stringify({ message: "\u001b[2J\u001b]52;c;aGk=\u0007\u202e" })),
    read: [1],
    write: [1],
  },
  {
    name: "400 that nests 100,000 deep",
    answer: whole(400, [], () => `{"message":${"[".repeat(100_000)}`),
    read: [1],
    write: [1],
  },
];
