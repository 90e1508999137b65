// Finding the file of a program on Windows: along PATH, and never in the current folder.
import { expect, test } from "vitest";
import {
  findWindowsProgram,
  windowsSystemProgram,
  withoutCurrentFolder,
} from "../../src/system/start-program.ts";

const environment = { Path: "C:\\Tools;relative;;.;\\rooted;D:\\more tools", PATHEXT: ".EXE;.CMD" };

/** The searched paths, in order, and the result if only `files` exist. */
function find(word: string, files: readonly string[] = [], more = {}): readonly [string | null, string[]] {
  const asked: string[] = [];
  const found = findWindowsProgram(word, { ...environment, ...more }, (path) => {
    asked.push(path);
    return files.includes(path);
  });
  return [found, asked];
}

test("returns the first file that exists", () => {
  expect(find("npm", ["C:\\Tools\\npm.CMD", "D:\\more tools\\npm.EXE"])[0]).toBe("C:\\Tools\\npm.CMD");
});

test("returns a path unchanged, whatever PATH contains", () => {
  expect(find("D:\\x y\\say.cmd", ["D:\\x y\\say.cmd"])[0]).toBe("D:\\x y\\say.cmd");
  expect(find("D:/x/say", ["D:\\x\\say.EXE"])[0]).toBe("D:\\x\\say.EXE");
});

test("finds Windows' own programs only in its system folder", () => {
  expect(windowsSystemProgram("reg.exe", { SYSTEMROOT: "D:\\Win" })).toBe("D:\\Win\\System32\\reg.exe");
  expect(windowsSystemProgram("reg.exe", { SystemRoot: "relative" })).toBe("C:\\Windows\\System32\\reg.exe");
});

test("passes only absolute folders of PATH to a command", () => {
  expect(withoutCurrentFolder({ Path: String.raw`"C:\a b";.;rel;D:\c;E:x`, OTHER: "." }, "win32")).toEqual({
    Path: String.raw`C:\a b;D:\c`,
    OTHER: ".",
  });
  expect(withoutCurrentFolder({ Path: ".;relative;", OTHER: "." }, "win32")).toEqual({ OTHER: "." });
  expect(withoutCurrentFolder({ PATH: "/bin::.:/usr/bin:" }, "linux")).toEqual({ PATH: "/bin:/usr/bin" });
});
