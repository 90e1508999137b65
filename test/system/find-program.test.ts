// Finding a program along PATH, on Windows with the usual extensions, and never in the current folder.
import { expect, test } from "vitest";
import { findProgram } from "../../src/system/programs.ts";

/** The searched paths, in order, and the result if only `files` exist. */
function find(
  platform: NodeJS.Platform,
  word: string,
  path: string,
  files: readonly string[] = [],
): readonly [string | null, readonly string[]] {
  const asked: string[] = [];
  const environment = { [platform === "win32" ? "Path" : "PATH"]: path, PATHEXT: ".EXE;.CMD" };
  const found = findProgram(word, environment, platform, (file) => {
    asked.push(file);
    return files.includes(file);
  });
  return [found, asked];
}

test("only absolute folders of PATH are searched", () => {
  expect(find("linux", "say", "/a::.:rel:/b:")).toEqual([null, ["/a/say", "/b/say"]]);
  expect(find("win32", "say.exe", "C:\\Tools;rel;;.;D:x")[1]).toEqual([
    "C:\\Tools\\say.exe.EXE",
    "C:\\Tools\\say.exe.CMD",
    "C:\\Tools\\say.exe",
  ]);
});

test("the first file that exists is the program, and a path is itself", () => {
  expect(find("win32", "npm", "C:\\a;D:\\b", ["C:\\a\\npm.CMD", "D:\\b\\npm.EXE"])[0]).toBe("C:\\a\\npm.CMD");
  expect(find("win32", "D:/x/say", "C:\\a", ["D:\\x\\say.EXE"])[0]).toBe("D:\\x\\say.EXE");
  expect(find("linux", "/x/say", "/a", ["/x/say"])[0]).toBe("/x/say");
});
