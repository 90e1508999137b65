// V8 takes what another run compiled under its usual switches alone: what a run sets, it takes back.
import { cachedDataVersionTag } from "node:v8";
import { expect, test } from "vitest";
import { createRuntime, type Runtime } from "../../src/host/runtime.ts";

/** A runtime that believes to be Node 20, which alone has a switch of its own for memory that grows least. */
function createOldRuntime(): Runtime {
  const versions = { ...process.versions, node: "20.20.2" };
  return createRuntime(Object.create(process, { versions: { value: versions } }) as NodeJS.Process);
}

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

test.each(["stopGrowingYoungMemory", "growMemorySlowly"] as const)(
  "what %s has set for long work is reset",
  (set) => {
    const runtime = createOldRuntime();
    const usual = cachedDataVersionTag();
    runtime[set]();
    expect(cachedDataVersionTag()).not.toBe(usual);
    runtime.resetSwitches();
    expect(cachedDataVersionTag()).toBe(usual);
  },
);
