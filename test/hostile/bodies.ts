// Well-framed responses with an invalid body.
import { body, send, untrusted, whole, type HostileAnswer } from "./answer-bytes.ts";
import { goodStatus, newValue } from "./hostile-run.ts";

export const bodies: readonly HostileAnswer[] = [
  { name: "no body at all", answer: whole(null, [], () => ""), ...untrusted },
  { name: "200 in place of what was promised, and no body", answer: whole(200, [], () => ""), ...untrusted },
  {
    name: "204 in place of an answer",
    answer: send(
      (request) => `HTTP/1.1 ${goodStatus(request) === 204 ? 200 : 204} X\r\nContent-Length: 0\r\n\r\n`,
    ),
    ...untrusted,
  },
  { name: "202 for later", answer: whole(202, []), ...untrusted },
  { name: "206 for a part", answer: whole(206, ["Content-Range: bytes 0-9/100"]), ...untrusted },
  { name: "226", answer: whole(226, []), ...untrusted },
  { name: "299", answer: whole(299, []), ...untrusted },
  {
    name: "a page in HTML",
    answer: whole(null, [], () => "<!doctype html><html><body>Sign in</body></html>"),
    ...untrusted,
  },
  {
    name: "a page that says it is JSON, with a script",
    answer: whole(null, [], () => "<script>alert(1)</script>"),
    ...untrusted,
  },
  {
    name: "JSON cut off in the middle",
    answer: whole(null, [], (request) => body(request).slice(0, -2)),
    ...untrusted,
  },
  { name: "JSON twice", answer: whole(null, [], (request) => body(request) + body(request)), ...untrusted },
  {
    name: "JSON with a prefix against scripts",
    answer: whole(null, [], (request) => `)]}'\n${body(request)}`),
    ...untrusted,
  },
  {
    name: "100,000 arrays in each other",
    answer: whole(null, [], () => "[".repeat(100_000) + "]".repeat(100_000)),
    ...untrusted,
  },
  {
    name: "100,000 objects in each other",
    answer: whole(null, [], () => '{"a":'.repeat(100_000) + "1" + "}".repeat(100_000)),
    ...untrusted,
  },
  {
    name: "a deep field in a good answer",
    answer: whole(null, [], (request) =>
      body(request).replace('"id":1', `"id":1,"app":${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`),
    ),
    ...untrusted,
  },
  {
    name: "4 MiB of open brackets",
    answer: whole(null, [], () => "[".repeat(4 * 1024 * 1024)),
    ...untrusted,
  },
  { name: "null", answer: whole(null, [], () => "null"), ...untrusted },
  { name: "a number", answer: whole(null, [], () => "1e999"), ...untrusted },
  {
    name: "a number of a million digits",
    answer: whole(null, [], () => `{"id":${"9".repeat(1_000_000)}}x`),
    ...untrusted,
  },
  { name: "a string", answer: whole(null, [], () => `"${newValue}"`), ...untrusted },
  {
    name: "an array in place of an object, and the reverse",
    answer: whole(null, [], (request) => (body(request).startsWith("[") ? '{"id":1}' : `[${body(request)}]`)),
    ...untrusted,
  },
  {
    name: "an id that is no number",
    answer: whole(null, [], (request) => body(request).replace('"id":1', '"id":"1; rm -rf"')),
    ...untrusted,
  },
  {
    name: "an id that is a fraction",
    answer: whole(null, [], (request) => body(request).replace('"id":1', '"id":1.5')),
    ...untrusted,
  },
  {
    name: "a second id that is no number",
    answer: whole(null, [], (request) => body(request).replace('"id":1', '"id":1,"id":{}')),
    ...untrusted,
  },
  {
    name: "bytes that are no UTF-8",
    answer: whole(null, [], (request) =>
      Buffer.from(body(request).replace('"id":1', '"id":1,"note":"\xff\xfe"'), "latin1"),
    ),
    ...untrusted,
  },
  {
    name: "UTF-16",
    answer: whole(null, [], (request) => Buffer.from(`\ufeff${body(request)}`, "utf16le")),
    ...untrusted,
  },
  {
    name: "a prototype in place of a body",
    answer: whole(null, [], (request) =>
      body(request).startsWith("[")
        ? '[{"__proto__":{"id":1}}]'
        : `{"__proto__":{"id":1,"token":"${newValue}"}}`,
    ),
    ...untrusted,
  },
];
