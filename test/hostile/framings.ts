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
  { name: "nothing, and the end", answer: send(() => "", "end"), ...cut },
  { name: "nothing, and a reset", answer: send(() => "", "reset"), ...cut },
  { name: "silence", answer: () => undefined, ...endless },
  { name: "half of a status line", answer: send(() => "HTTP/1.1 20", "end"), ...cut },
  { name: "half of a header", answer: send(() => "HTTP/1.1 200 X\r\nContent-Le", "reset"), ...cut },
  { name: "HTTP/0.9", answer: send((request) => body(request), "end"), ...untrusted },
  {
    name: "HTTP/2 without being asked",
    answer: send(() => "\0\0\x12\x04\0\0\0\0\0\0\x03\0\0\0\x80\0\x04\0\x01\0\0\0\x05\0\xff\xff\xff"),
    ...untrusted,
  },
  {
    name: "an answer of HTTP/2 in words",
    answer: framed((text) => `HTTP/2 200\r\ncontent-length: ${text.length}\r\n\r\n${text}`),
    ...untrusted,
  },
  { name: "a preface of HTTP/2", answer: send(() => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), ...untrusted },
  {
    name: "a version nobody knows",
    answer: framed((text) => `HTTP/3.7 200 X\r\nContent-Length: ${text.length}\r\n\r\n${text}`),
    ...untrusted,
  },
  { name: "another protocol", answer: send(() => "220 mail.example ESMTP\r\n"), ...untrusted },
  {
    name: "a request in place of an answer",
    answer: send(() => "GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
    ...untrusted,
  },
  {
    name: "a status with two digits",
    answer: send(() => "HTTP/1.1 20 X\r\nContent-Length: 0\r\n\r\n"),
    ...untrusted,
  },
  {
    name: "a status with four digits",
    answer: send(() => "HTTP/1.1 2000 X\r\nContent-Length: 0\r\n\r\n"),
    ...untrusted,
  },
  { name: "status 000", answer: whole(0, []), ...untrusted },
  {
    name: "a header without a colon",
    answer: framed((text) => `HTTP/1.1 200 X\r\nnonsense\r\nContent-Length: ${text.length}\r\n\r\n${text}`),
    ...untrusted,
  },
  { name: "a NUL in a header", answer: whole(null, ["X: a\0b"]), ...untrusted },
  {
    name: "a bare line feed in a header",
    answer: whole(null, ["X: a\nY: b"]),
    ...untrusted,
  },
  { name: "a folded header", answer: whole(null, ["X: a\r\n b"]), ...untrusted },
  { name: "a header of 17 KiB", answer: whole(null, [`X: ${"x".repeat(17_000)}`]), ...untrusted },
  {
    name: "headers of 40 KiB together",
    answer: whole(
      null,
      Array.from({ length: 2500 }, () => "X: 0123456789"),
    ),
    ...untrusted,
  },
  {
    name: "headers without end",
    answer: dripping("HTTP/1.1 200 X\r\n", `X: ${"x".repeat(2000)}\r\n`, 1),
    read: [8, 1],
    write: [13],
  },
  { name: "headers that drip", answer: dripping("HTTP/1.1 200 X\r\n", "X: 1\r\n", 30), ...endless },
  {
    name: "a body that drips",
    answer: dripping("HTTP/1.1 200 X\r\nContent-Length: 100000\r\n\r\n", " ", 30),
    ...endless,
  },
  {
    name: "chunks that drip",
    answer: dripping(`HTTP/1.1 200 X\r\n${chunked}`, "1\r\n \r\n", 30),
    ...endless,
  },
  {
    name: "a chunk size that drips",
    answer: dripping(`HTTP/1.1 200 X\r\n${chunked}`, "0", 5),
    ...endless,
  },
  {
    name: "a chunk extension without end",
    answer: dripping(`HTTP/1.1 200 X\r\n${chunked}1;`, "x".repeat(1000), 2),
    ...endless,
  },
  {
    name: "trailers without end",
    answer: dripping(`HTTP/1.1 200 X\r\n${chunked}2\r\n[]\r\n0\r\n`, `X: ${"x".repeat(1000)}\r\n`, 2),
    read: [8, 1],
    write: [13],
  },
  {
    name: "a storm of 103",
    answer: dripping("", "HTTP/1.1 103 X\r\nLink: </x>\r\n\r\n".repeat(100), 1),
    ...endless,
  },
  { name: "a storm of 100", answer: dripping("", "HTTP/1.1 100 X\r\n\r\n".repeat(100), 1), ...endless },
  {
    name: "101 and another protocol",
    answer: send(() => "HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n\x81\x05hello"),
    ...cut,
  },
  { name: "101 without a word, and the end", answer: send(() => "HTTP/1.1 101 X\r\n\r\n", "end"), ...cut },
  {
    name: "an interim head without end",
    answer: dripping("HTTP/1.1 100 X\r\n", `X: ${"x".repeat(2000)}\r\n`, 1),
    ...untrusted,
  },
  {
    name: "a length beyond what comes",
    answer: framed((text, status) => `HTTP/1.1 ${status} X\r\nContent-Length: 5000\r\n\r\n${text}`, "end"),
    ...cut,
  },
  {
    name: "204 with a length and an object behind it",
    answer: send(() => "HTTP/1.1 204 X\r\nContent-Length: 2\r\n\r\n{}", "end"),
    read: untrusted.read,
    // A 204 completes a deletion, but a new token needs a body.
    write: [0, ...untrusted.write],
  },
  {
    name: "a length beyond all numbers",
    answer: framed((text) => `HTTP/1.1 200 X\r\nContent-Length: 99999999999999999999999\r\n\r\n${text}`),
    ...untrusted,
  },
  {
    name: "a length below zero",
    answer: framed((text) => `HTTP/1.1 200 X\r\nContent-Length: -1\r\n\r\n${text}`),
    ...untrusted,
  },
  {
    name: "a length with a sign",
    answer: framed((text) => `HTTP/1.1 200 X\r\nContent-Length: +${text.length}\r\n\r\n${text}`),
    ...untrusted,
  },
  {
    name: "a length in hexadecimal",
    answer: framed(
      (text) => `HTTP/1.1 200 X\r\nContent-Length: 0x${text.length.toString(16)}\r\n\r\n${text}`,
    ),
    ...untrusted,
  },
  {
    name: "two lengths",
    answer: framed(
      (text) => `HTTP/1.1 200 X\r\nContent-Length: ${text.length}\r\nContent-Length: 3\r\n\r\n${text}`,
    ),
    ...untrusted,
  },
  {
    name: "two lengths in one header",
    answer: framed(
      (text) => `HTTP/1.1 200 X\r\nContent-Length: ${text.length}, ${text.length}\r\n\r\n${text}`,
    ),
    ...untrusted,
  },
  {
    name: "a length and chunks",
    answer: framed(
      (text) =>
        `HTTP/1.1 200 X\r\nContent-Length: ${text.length}\r\n${chunked}${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`,
    ),
    ...untrusted,
  },
  {
    name: "chunks and a length",
    answer: framed(
      (text) =>
        `HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\nContent-Length: ${text.length}\r\n\r\n${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`,
    ),
    ...untrusted,
  },
  {
    name: "a chunk size that is no number",
    answer: framed((text) => `HTTP/1.1 200 X\r\n${chunked}xyz\r\n${text}\r\n0\r\n\r\n`),
    ...untrusted,
  },
  {
    name: "a chunk size that is too small",
    answer: framed((text) => `HTTP/1.1 200 X\r\n${chunked}1\r\n${text}\r\n0\r\n\r\n`),
    ...untrusted,
  },
  {
    name: "a chunk size that is too large",
    answer: send((request) => `HTTP/1.1 200 X\r\n${chunked}fff\r\n${body(request)}\r\n0\r\n\r\n`, "end"),
    ...cut,
  },
  {
    name: "a chunk size beyond all numbers",
    answer: framed((text) => `HTTP/1.1 200 X\r\n${chunked}fffffffffffffffff\r\n${text}`),
    ...untrusted,
  },
  {
    name: "chunks without the last",
    answer: send(
      (request) => `HTTP/1.1 200 X\r\n${chunked}${body(request).length.toString(16)}\r\n${body(request)}\r\n`,
      "end",
    ),
    ...cut,
  },
  {
    name: "more than 16 MiB",
    answer: whole(null, [], () => Buffer.alloc(16 * 1024 * 1024 + 1, " ")),
    ...untrusted,
  },
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
  {
    name: "a bomb of gzip in gzip",
    answer: whole(null, ["Content-Encoding: gzip, gzip"], () => bomb),
    ...untrusted,
  },
  {
    name: "br",
    answer: whole(null, ["Content-Encoding: br"], (request) => brotliCompressSync(body(request))),
    ...unpacked,
  },
  { name: "zstd", answer: whole(null, ["Content-Encoding: zstd"]), ...untrusted },
  { name: "an encoding nobody knows", answer: whole(null, ["Content-Encoding: x-rot13"]), ...untrusted },
  { name: "gzip, unannounced", answer: whole(null, [], (request) => gzipSync(body(request))), ...untrusted },
];
