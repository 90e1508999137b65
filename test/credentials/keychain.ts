// A keychain in memory that lives as long as its file: a helper program that keeps one entry a line.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface TestKeychain {
  readonly helper: readonly [string, ...string[]];
  /** The secrets, by service and account. */
  entries(): Record<string, string>;
}

export function makeKeychain(folder: string): TestKeychain {
  const kept = join(folder, "kept.json");
  writeFileSync(kept, "{}");
  return {
    helper: makeHelper(
      folder,
      `const fs = require("node:fs"), path = ${JSON.stringify(kept)};
       const { call, service, account, secret } = request;
       const kept = JSON.parse(fs.readFileSync(path)), key = service + " " + account, before = kept[key] ?? null;
       if (call === "set") kept[key] = secret;
       if (call === "delete") delete kept[key];
       fs.writeFileSync(path, JSON.stringify(kept));
       reply({ secret: call === "get" || call === "delete" ? before : null });`,
    ),
    entries: () => JSON.parse(readFileSync(kept, "utf8")) as Record<string, string>,
  };
}

/** A helper with this Node script, which has the request, and answers with `reply`. */
export function makeHelper(folder: string, script: string): readonly [string, ...string[]] {
  const path = join(folder, "helper.cjs");
  const frame = `
    const request = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
    const reply = (value) => process.stdout.write(typeof value === "string" ? value : JSON.stringify(value));
    ${script}`;
  writeFileSync(path, frame);
  return [process.execPath, path];
}
