// Statuses and headers that reject, challenge or throttle.
import { untrusted, whole, type HostileAnswer } from "./answer-bytes.ts";

export const statuses: readonly HostileAnswer[] = [
  ...[500, 501, 502, 504, 507, 511, 520, 599].map((status) => ({
    name: `${status} with a page`,
    answer: whole(status, ["Content-Type: text/html"], () => "<h1>\u001b[31mno"),
    ...untrusted,
  })),
  {
    name: "503 with a date long ago",
    answer: whole(503, ["Retry-After: Thu, 01 Jan 1970 00:00:00 GMT"]),
    read: [8],
    write: [13],
  },
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
    name: "429 with a date beyond all calendars",
    answer: whole(429, ["Retry-After: Fri, 31 Dec 9999 23:59:59 GMT"]),
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
    name: "401 by a method nobody knows",
    answer: whole(401, ["X-Service-OTP: required; \u009b31mcarrier-pigeon"], () => "{}"),
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
  { name: "417", answer: whole(417, []), read: [1], write: [1] },
  {
    name: "426 with another protocol",
    answer: whole(426, ["Upgrade: HTTP/2.0", "Connection: upgrade"]),
    read: [1],
    write: [1],
  },
  {
    name: "403 that wants a script opened",
    answer: whole(403, ["X-Service-SSO: required; url=javascript:alert(1)"], () => "{}"),
    read: [6],
    write: [6],
  },
  {
    name: "403 that wants a terminal moved",
    answer: whole(403, ["X-Service-SSO: required; url=https://a.test/\u001b]8;;x"], () => "{}"),
    ...untrusted,
  },
  {
    name: "422 with a message that draws",
    answer: whole(422, [], () => JSON.stringify({ message: "\u001b[2J\u001b]52;c;aGk=\u0007\u202e" })),
    read: [1],
    write: [1],
  },
  {
    name: "422 with a message of a MiB",
    answer: whole(422, [], () => JSON.stringify({ message: "\u001b".repeat(175_000) })),
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
