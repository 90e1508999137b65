// Makes runs repeatable: random values that depend only on a seed, and, in a process that has TRANSCRIPT_SEED, a clock that
// stands still and a fixed host and user. A script's process lines load this file through NODE_OPTIONS; its other lines call
// `seedRandom`. So the same line prints the same ids, tokens and dates in every run, and grantctl needs no switch for tests.
//
// Each kind of random value is a sequence of its own, so that one more UUID somewhere does not change every token.
"use strict";
const crypto = require("node:crypto");
const os = require("node:os");
const { syncBuiltinESMExports } = require("node:module");

/** Replaces the sources of random values; returns a function that puts the real ones back. */
function seedRandom(seed) {
  const { hash, randomBytes, randomInt, randomUUID } = crypto;
  const { random } = Math;
  const counts = new Map();
  const digest = (kind) => {
    const count = counts.get(kind) ?? 0;
    counts.set(kind, count + 1);
    return hash("sha256", `${seed}\0${kind}\0${count}`, "buffer");
  };
  const bytes = (kind, size) => {
    const parts = [];
    for (let length = 0; length < size; length += 32) parts.push(digest(kind));
    return Buffer.concat(parts).subarray(0, size);
  };
  crypto.randomBytes = (size, callback) => {
    const value = bytes(`bytes ${size}`, size);
    if (callback === undefined) return value;
    process.nextTick(callback, null, value);
    return undefined;
  };
  crypto.randomInt = (first, second) => {
    const [min, max] = typeof second === "number" ? [first, second] : [0, first];
    return min + (bytes("int", 4).readUInt32BE() % (max - min));
  };
  crypto.randomUUID = () => {
    const digits = bytes("uuid", 16).toString("hex");
    return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, "$1-$2-4$3-8$4-$5");
  };
  Math.random = () => bytes("number", 4).readUInt32BE() / 2 ** 32;
  syncBuiltinESMExports();
  return () => {
    Object.assign(crypto, { randomBytes, randomInt, randomUUID });
    Math.random = random;
    syncBuiltinESMExports();
  };
}

module.exports = { seedRandom };

if (process.env.TRANSCRIPT_SEED !== undefined) fixProcess();

function fixProcess() {
  const now = Date.parse(process.env.TRANSCRIPT_NOW);
  const RealDate = Date;
  globalThis.Date = class Date extends RealDate {
    constructor(...parts) {
      if (parts.length === 0) super(now);
      else super(...parts);
    }
    static now() {
      return now;
    }
  };
  const ownWords = process.argv
    .slice(2)
    .join("\0")
    .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:0")
    .replaceAll(/\/tmp\/gt-\w{6}/g, "");
  seedRandom(`${process.env.TRANSCRIPT_SEED}\0${ownWords}`);
  os.hostname = () => "workstation";
  os.userInfo = () => ({
    username: "octavia",
    uid: 1000,
    gid: 1000,
    shell: "/bin/sh",
    homedir: process.env.HOME,
  });
  syncBuiltinESMExports();
  if (!process.argv.includes("sandbox")) return;
  // Node itself keeps the real clock for the header `Date`. Only a sandbox responds, and loading HTTP takes as long as all
  // other parts of a start together.
  const { ServerResponse } = require("node:http");
  const writeHead = Object.getOwnPropertyDescriptor(ServerResponse.prototype, "writeHead").value;
  ServerResponse.prototype.writeHead = function writeHeadWithDate(...parts) {
    if (!this.headersSent && !this.hasHeader("date")) this.setHeader("Date", new Date().toUTCString());
    return writeHead.apply(this, parts);
  };
}
