// The switch for one WebAssembly module is set only while it runs, so that jq is still optimised.
import { cachedDataVersionTag } from "node:v8";
import { expect, test } from "vitest";
import { createRuntime } from "../../src/host/runtime.ts";

test("the WebAssembly optimiser is restored after the run, and not switched off again", () => {
  const runtime = createRuntime();
  const usual = cachedDataVersionTag();
  const hasRun = runtime.skipWasmOptimiser();
  expect(cachedDataVersionTag()).not.toBe(usual);
  hasRun();
  expect(cachedDataVersionTag()).toBe(usual);
  runtime.skipWasmOptimiser();
  expect(cachedDataVersionTag()).toBe(usual);
});
