// A controlling terminal for a run in this process, on which somebody typed beforehand.
import { PassThrough } from "node:stream";
import type { Terminal } from "../../src/host/terminal.ts";
import type { World } from "./test-host.ts";

/** A terminal (with TERM=dumb) that knows lines alone, on which somebody types this; what was shown on it. */
export function typing(typed: string): {
  readonly world: Pick<World, "openTerminal">;
  readonly shown: () => string;
} {
  const output = new PassThrough();
  const shown: string[] = [];
  output.setEncoding("utf8").on("data", (text: string) => shown.push(text));
  const terminal = {
    input: new PassThrough().end(typed),
    output: Object.assign(output, { columns: 80 }),
    signalJob: () => undefined,
    onJobSignal: () => undefined,
    close: () => undefined,
    stop: () => undefined,
  };
  return { world: { openTerminal: () => terminal as unknown as Terminal }, shown: () => shown.join("") };
}
