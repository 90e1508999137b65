// Checks that work takes linear time, in CPU time of this process: other processes on the machine do not count, and a
// slow machine is slow at both sizes.
import { expect } from "vitest";

/**
 * Compares ten times the input at once with the input ten times: the same time if linear, ten times as long if
 * quadratic. Both create the same amount of garbage.
 */
const tenfold = 10;
const tooMuch = 4;

/** CPU time is measured in ticks; shorter times are not reliable. */
const leastMs = 5;

/** A garbage collection may happen in any one of them. */
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

/** Fails if ten times the input at once takes far longer than the input ten times, in every attempt. */
export function expectLinear(work: (size: number) => void, size: number): void {
  work(size);
  let growth = Infinity;
  for (let attempt = 0; attempt < attempts && growth >= tooMuch; attempt += 1)
    growth = processorMs(() => work(size * tenfold)) / processorMs(() => times(tenfold, () => work(size)));
  expect(growth).toBeLessThan(tooMuch);
}
