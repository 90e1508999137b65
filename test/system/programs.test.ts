// Programs that are run to completion.
import { expect, test } from "vitest";
import { runProgram } from "../../src/system/programs.ts";

test("a program that ended while the process was stopped has not taken too long", async () => {
  const running = runProgram(["true"], {
    environment: { PATH: process.env["PATH"] ?? "" },
    timeoutMs: 300,
    input: "ignore",
    errors: "ignore",
  });
  // Like Ctrl-Z, it stops everything but the program.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);
  expect(await running).toEqual({ output: "", problem: null });
});
