// The switch for one piece of WebAssembly is set only while that runs, so that jq is still optimised.
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
