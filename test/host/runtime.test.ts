// V8 takes what another run compiled under its usual switches alone: what a run sets, it takes back.
import { cachedDataVersionTag } from "node:v8";
import { expect, test } from "vitest";
import { createRuntime } from "../../src/host/runtime.ts";

test("the optimiser of WebAssembly is back when that has run, and is left alone from then on", () => {
  const runtime = createRuntime(process);
  const usual = cachedDataVersionTag();
  const hasRun = runtime.skipWasmOptimiser();
  expect(cachedDataVersionTag()).not.toBe(usual);
  hasRun();
  expect(cachedDataVersionTag()).toBe(usual);
  runtime.skipWasmOptimiser();
  expect(cachedDataVersionTag()).toBe(usual);
});

test.each(["saveMemory", "growMemorySlowly"] as const)("what %s has set for long work is reset", (set) => {
  const runtime = createRuntime(process);
  const usual = cachedDataVersionTag();
  runtime[set]();
  expect(cachedDataVersionTag()).not.toBe(usual);
  runtime.resetSwitches();
  expect(cachedDataVersionTag()).toBe(usual);
});
