// Which file a word means on Windows: along the search path, and never in the current folder.
import { expect, test } from "vitest";
import { findWindowsProgram, windowsSystemProgram } from "../../src/programs/find-program.ts";

const environment = { Path: "C:\\Tools;relative;;.;\\rooted;D:\\more tools", PATHEXT: ".EXE;.CMD" };

/** What is looked for, in order, and what is found when only `files` exist. */
function find(word: string, files: readonly string[] = [], more = {}): readonly [string | null, string[]] {
  const asked: string[] = [];
  const found = findWindowsProgram(word, { ...environment, ...more }, (path) => {
    asked.push(path);
    return files.includes(path);
  });
  return [found, asked];
}

test("a bare word is looked for in absolute folders of the search path alone, with each ending", () => {
  expect(find("pass")).toEqual([
    null,
    ["C:\\Tools\\pass.EXE", "C:\\Tools\\pass.CMD", "D:\\more tools\\pass.EXE", "D:\\more tools\\pass.CMD"],
  ]);
});

test("the first that exists is taken", () => {
  expect(find("npm", ["C:\\Tools\\npm.CMD", "D:\\more tools\\npm.EXE"])[0]).toBe("C:\\Tools\\npm.CMD");
});

test("an ending that was typed counts", () => {
  expect(find("reg.exe", ["C:\\Tools\\reg.exe"])[0]).toBe("C:\\Tools\\reg.exe");
});

test("a path is itself, wherever the search path leads", () => {
  expect(find("D:\\x y\\say.cmd", ["D:\\x y\\say.cmd"])[0]).toBe("D:\\x y\\say.cmd");
  expect(find("D:/x/say", ["D:\\x\\say.EXE"])[0]).toBe("D:\\x\\say.EXE");
});

test("without PATHEXT the usual endings are tried", () => {
  expect(find("a", [], { PATHEXT: undefined })[1]).toHaveLength(8);
});

test("Windows' own programs are in its own folder", () => {
  expect(windowsSystemProgram("reg.exe", { SYSTEMROOT: "D:\\Win" })).toBe("D:\\Win\\System32\\reg.exe");
  expect(windowsSystemProgram("reg.exe", { SystemRoot: "relative" })).toBe("C:\\Windows\\System32\\reg.exe");
});
