// Checks that work takes linear time, by the processor time of this process: other processes on the machine do not
// count, and a slow machine is slow at both sizes.
import { expect } from "vitest";

/**
 * Ten times the input at once takes about as long as the input ten times where time is linear, ten times as long where
 * it is quadratic. Both make as much garbage.
 */
const tenfold = 10;
const tooMuch = 4;

/** A processor's clock ticks: less than this is not measured. */
const leastMs = 5;

/** A collection of garbage may fall into any one of them. */
const attempts = 3;

function processorMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return Math.max(leastMs, (user + system) / 1000);
}

function times(count: number, work: () => void): void {
  for (let done = 0; done < count; done += 1) work();
}

/** Fails where ten times the input at once takes far longer than the input ten times, each time that it is tried. */
export function expectLinear(work: (size: number) => void, size: number): void {
  work(size);
  let growth = Infinity;
  for (let attempt = 0; attempt < attempts && growth >= tooMuch; attempt += 1) {
    growth = processorMs(() => work(size * tenfold)) / processorMs(() => times(tenfold, () => work(size)));
  }
  expect(growth).toBeLessThan(tooMuch);
}
