// A controlling terminal with typed-ahead input, for a run in this process.
import { PassThrough } from "node:stream";
import type { Terminal } from "../../src/system/terminal.ts";
import type { World } from "./test-host.ts";

/** A terminal with this input, and a function that returns its output. */
export function typing(typed: string): {
  readonly world: Pick<World, "openTerminal">;
  readonly shown: () => string;
} {
  const output = new PassThrough();
  const shown: string[] = [];
  output.setEncoding("utf8").on("data", (text: string) => shown.push(text));
  const input = new PassThrough();
  input.write(typed);
  const terminal = {
    input,
    output: Object.assign(output, { columns: 80 }),
    close: () => undefined,
  };
  return { world: { openTerminal: () => terminal as unknown as Terminal }, shown: () => shown.join("") };
}
