// Logins of one account with a password on standard input, and a keychain in memory.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ConfigurationFolder } from "../../support/configuration.ts";
import { credentials, type Answer } from "../../support/recording-server.ts";
import { makeFolder } from "../../support/state-folder.ts";
import { runMain, type World } from "../../support/test-host.ts";

export const secret = "c4nary pass word";
export const { clientId, clientSecret } = credentials;

/** A keychain in memory that lives as long as its file: one entry a line. */
export function makeKeychain(): {
  readonly helper: readonly [string, ...string[]];
  /** Whose secrets there are. */
  entries(): Record<string, string>;
} {
  const folder = makeFolder();
  const kept = join(folder, "kept.json");
  const program = join(folder, "helper.cjs");
  writeFileSync(kept, "{}");
  writeFileSync(
    program,
    `const fs = require("node:fs"), path = ${JSON.stringify(kept)};
     require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
       const { call, service, account, secret } = JSON.parse(line);
       const kept = JSON.parse(fs.readFileSync(path)), key = service + " " + account, before = kept[key] ?? null;
       if (call === "set") kept[key] = secret;
       if (call === "delete") delete kept[key];
       fs.writeFileSync(path, JSON.stringify(kept));
       console.log(JSON.stringify({ secret: call === "get" || call === "delete" ? before : null }));
     }).on("close", () => process.exit());`,
  );
  return {
    helper: [process.execPath, program],
    entries: () => JSON.parse(readFileSync(kept, "utf8")) as Record<string, string>,
  };
}

export function run(
  words: readonly string[],
  folder: ConfigurationFolder,
  world: Omit<World, "argv"> = {},
): ReturnType<typeof runMain> {
  return runMain(words, { ...world, environment: { ...folder.environment, ...world.environment } });
}

/** The command that logs a user in with a password on standard input. */
export const loginWords = (root: string, username: string): readonly string[] =>
  `auth login --base-url ${root} --username ${username} --password-stdin`.split(" ");

/** Logs octavia in at this address with a password on standard input. */
export function login(
  root: string,
  folder: ConfigurationFolder,
  flags: readonly string[] = ["--store", "file"],
  world: Omit<World, "argv"> = {},
): ReturnType<typeof runMain> {
  const words = [...loginWords(root, "octavia"), ...flags];
  return run(words, folder, { input: `${secret}\n`, ...world });
}

/** Takes everything. */
export const accept: Answer = () => ({ status: 200, body: [] });

export const otp = (what: string): Readonly<Record<string, string>> => ({ "X-Service-OTP": what });
