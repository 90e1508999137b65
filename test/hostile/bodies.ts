// Well-framed responses with an invalid body.
import { body, send, untrusted, whole, type HostileAnswer } from "./answer-bytes.ts";
import { goodStatus, newValue } from "./hostile-run.ts";

export const bodies: readonly HostileAnswer[] = [
  untrusted(
    "no body at all",
    whole(null, [], () => ""),
  ),
  untrusted(
    "204 in place of an answer",
    send((request) => `HTTP/1.1 ${goodStatus(request) === 204 ? 200 : 204} X\r\nContent-Length: 0\r\n\r\n`),
  ),
  untrusted("202 for later", whole(202, [])),
  untrusted(
    "a page in HTML",
    whole(null, [], () => "<!doctype html><html><body>Sign in</body></html>"),
  ),
  untrusted(
    "JSON cut off in the middle",
    whole(null, [], (request) => body(request).slice(0, -2)),
  ),
  untrusted(
    "JSON twice",
    whole(null, [], (request) => body(request) + body(request)),
  ),
  untrusted(
    "100,000 arrays in each other",
    whole(null, [], () => "[".repeat(100_000) + "]".repeat(100_000)),
  ),
  untrusted(
    "4 MiB of open brackets",
    whole(null, [], () => "[".repeat(4 * 1024 * 1024)),
  ),
  untrusted(
    "null",
    whole(null, [], () => "null"),
  ),
  untrusted(
    "a number",
    whole(null, [], () => "1e999"),
  ),
  untrusted(
    "a string",
    whole(null, [], () => `"${newValue}"`),
  ),
  untrusted(
    "an array in place of an object, and the reverse",
    whole(null, [], (request) => (body(request).startsWith("[") ? '{"id":1}' : `[${body(request)}]`)),
  ),
  untrusted(
    "an id that is no number",
    whole(null, [], (request) => body(request).replace('"id":1', '"id":"1; rm -rf"')),
  ),
  untrusted(
    "bytes that are no UTF-8",
    whole(null, [], (request) =>
      Buffer.from(body(request).replace('"id":1', '"id":1,"note":"\xff\xfe"'), "latin1"),
    ),
  ),
  untrusted(
    "a prototype in place of a body",
    whole(null, [], (request) =>
      body(request).startsWith("[")
        ? '[{"__proto__":{"id":1}}]'
        : `{"__proto__":{"id":1,"token":"${newValue}"}}`,
    ),
  ),
];
