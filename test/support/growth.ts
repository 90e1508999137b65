// Whether work takes linear time, told by the processor's time of this process: other processes on the machine do not
// count, and a slow machine is slow at both sizes.
import { expect } from "vitest";

/** Ten times the input takes about ten times as long where time is linear, a hundred times where it is quadratic. */
const tenfold = 10;
const tooMuch = 40;

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

/** Fails where the work on ten times the input takes far more than ten times as long, each time that it is tried. */
export function expectLinear(work: (size: number) => void, size: number): void {
  work(size);
  let growth = Infinity;
  for (let attempt = 0; attempt < attempts && growth >= tooMuch; attempt += 1) {
    growth = processorMs(() => work(size * tenfold)) / processorMs(() => work(size));
  }
  expect(growth).toBeLessThan(tooMuch);
}
