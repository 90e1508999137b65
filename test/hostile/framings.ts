// Responses with hostile framing: status lines, headers, lengths, chunks, codings and endless responses.
import { brotliCompressSync, gzipSync } from "node:zlib";
import {
  body,
  chunked,
  cut,
  dripping,
  endless,
  framed,
  send,
  untrusted,
  whole,
  type HostileAnswer,
} from "./answer-bytes.ts";

const bomb = gzipSync(gzipSync(Buffer.alloc(10_000_000)));

/** A deletion has no body, so its 200 is not trusted. */
const unpacked = { read: [0], write: [0, 13] };

export const framings: readonly HostileAnswer[] = [
  cut(
    "nothing, and the end",
    send(() => "", "end"),
  ),
  cut(
    "nothing, and a reset",
    send(() => "", "reset"),
  ),
  endless("silence", () => undefined),
  cut(
    "half of a status line",
    send(() => "HTTP/1.1 20", "end"),
  ),
  untrusted(
    "HTTP/0.9",
    send((request) => body(request), "end"),
  ),
  untrusted(
    "another protocol",
    send(() => "220 mail.example ESMTP\r\n"),
  ),
  untrusted(
    "a status with two digits",
    send(() => "HTTP/1.1 20 X\r\nContent-Length: 0\r\n\r\n"),
  ),
  untrusted("status 000", whole(0, [])),
  untrusted("a NUL in a header", whole(null, ["X: a\0b"])),
  untrusted("a header of 17 KiB", whole(null, [`X: ${"x".repeat(17_000)}`])),
  {
    name: "headers without end",
    answer: dripping("HTTP/1.1 200 X\r\n", `X: ${"x".repeat(2000)}\r\n`, 1),
    read: [8, 1],
    write: [13],
  },
  endless("headers that drip", dripping("HTTP/1.1 200 X\r\n", "X: 1\r\n", 30)),
  endless("a body that drips", dripping("HTTP/1.1 200 X\r\nContent-Length: 100000\r\n\r\n", " ", 30)),
  endless("chunks that drip", dripping(`HTTP/1.1 200 X\r\n${chunked}`, "1\r\n \r\n", 30)),
  {
    name: "trailers without end",
    answer: dripping(`HTTP/1.1 200 X\r\n${chunked}2\r\n[]\r\n0\r\n`, `X: ${"x".repeat(1000)}\r\n`, 2),
    read: [8, 1],
    write: [13],
  },
  endless("a storm of 103", dripping("", "HTTP/1.1 103 X\r\nLink: </x>\r\n\r\n".repeat(100), 1)),
  endless("a storm of 100", dripping("", "HTTP/1.1 100 X\r\n\r\n".repeat(100), 1)),
  cut(
    "101 and another protocol",
    send(() => "HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n\x81\x05hello"),
  ),
  untrusted("an interim head without end", dripping("HTTP/1.1 100 X\r\n", `X: ${"x".repeat(2000)}\r\n`, 1)),
  cut(
    "a length beyond what comes",
    framed((text, status) => `HTTP/1.1 ${status} X\r\nContent-Length: 5000\r\n\r\n${text}`, "end"),
  ),
  cut(
    "the end in the middle of JSON without a length",
    framed((text, status) => `HTTP/1.1 ${status} X\r\n\r\n${text.slice(0, -1)}`, "end"),
  ),
  {
    name: "204 with a length and an object behind it",
    answer: send(() => "HTTP/1.1 204 X\r\nContent-Length: 2\r\n\r\n{}", "end"),
    read: [1],
    // A 204 completes a deletion, but a new token needs a body.
    write: [0, 13],
  },
  untrusted(
    "a length beyond all numbers",
    framed((text) => `HTTP/1.1 200 X\r\nContent-Length: 99999999999999999999999\r\n\r\n${text}`),
  ),
  untrusted(
    "a length below zero",
    framed((text) => `HTTP/1.1 200 X\r\nContent-Length: -1\r\n\r\n${text}`),
  ),
  untrusted(
    "two lengths",
    framed((text) => `HTTP/1.1 200 X\r\nContent-Length: ${text.length}\r\nContent-Length: 3\r\n\r\n${text}`),
  ),
  untrusted(
    "a length and chunks",
    framed(
      (text) =>
        `HTTP/1.1 200 X\r\nContent-Length: ${text.length}\r\n${chunked}${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`,
    ),
  ),
  untrusted(
    "a chunk size that is no number",
    framed((text) => `HTTP/1.1 200 X\r\n${chunked}xyz\r\n${text}\r\n0\r\n\r\n`),
  ),
  cut(
    "a chunk size that is too large",
    send((request) => `HTTP/1.1 200 X\r\n${chunked}fff\r\n${body(request)}\r\n0\r\n\r\n`, "end"),
  ),
  untrusted(
    "more than 16 MiB",
    whole(null, [], () => Buffer.alloc(16 * 1024 * 1024 + 1, " ")),
  ),
  {
    name: "chunks without end",
    answer: dripping(`HTTP/1.1 200 X\r\n${chunked}`, `10000\r\n${" ".repeat(65_536)}\r\n`, 1),
    read: [8, 1],
    write: [13],
  },
  {
    name: "gzip",
    answer: whole(null, ["Content-Encoding: gzip"], (request) => gzipSync(body(request))),
    ...unpacked,
  },
  untrusted(
    "a bomb of gzip in gzip",
    whole(null, ["Content-Encoding: gzip, gzip"], () => bomb),
  ),
  cut(
    "gzip without its end",
    whole(null, ["Content-Encoding: gzip"], (request) => gzipSync(body(request)).subarray(0, -12)),
  ),
  {
    name: "br",
    answer: whole(null, ["Content-Encoding: br"], (request) => brotliCompressSync(body(request))),
    ...unpacked,
  },
  untrusted("zstd", whole(null, ["Content-Encoding: zstd"])),
  untrusted(
    "gzip, unannounced",
    whole(null, [], (request) => gzipSync(body(request))),
  ),
];
