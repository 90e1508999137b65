// The controlling terminal, opened for one prompt, independent of the standard streams.
//
// Mode and cursor are restored however the prompt ends: by input, abort, signal or exit.
import { closeSync, openSync } from "node:fs";
import { isForeground, type ProcessSignals } from "./signals.ts";
import { isWindows } from "./standard-streams.ts";
import { writeFullySync } from "./writes.ts";

export type Terminal = NonNullable<ReturnType<typeof openTerminal>>;

/** Shows the cursor, which a prompt may have hidden, on the next line, and clears the rest of the screen. */
const leaveQuestion = "\u001b[?25h\r\n\u001b[J";

/**
 * Opens the terminal; null if there is none, if it cannot move its cursor, or if it belongs to another job and this one is
 * in the background. A stop signal then restores it and calls `end`.
 */
export function openTerminal({ onStopSignal, end }: ProcessSignals) {
  if (process.env["TERM"] === "dumb" || (!isWindows && !isForeground())) return null;
  const [inputPath, outputPath] = isWindows ? ["\\\\.\\CONIN$", "\\\\.\\CONOUT$"] : ["/dev/tty", "/dev/tty"];
  let inputDescriptor: number;
  try {
    inputDescriptor = openSync(inputPath, "r+");
  } catch {
    return null;
  }
  try {
    // Loaded on demand, because few runs prompt.
    const tty = process.getBuiltinModule("node:tty");
    const input = new tty.ReadStream(inputDescriptor);
    const outputDescriptor = openSync(outputPath, "r+");
    const output = new tty.WriteStream(outputDescriptor);
    // The terminal was closed. Setting its mode would crash Node.
    for (const event of ["end", "error"]) input.once(event, (): void => end("SIGHUP"));
    const close = (): void => {
      forgetSignals();
      if (input.isRaw) input.setRawMode(false);
      input.destroy();
      output.destroy();
    };
    // Node restores a terminal on exit and on SIGINT and SIGTERM, but not on hang-up and quit.
    const forgetSignals = onStopSignal((signal) => {
      try {
        writeFullySync(outputDescriptor, Buffer.from(leaveQuestion));
      } catch {
        // The terminal is closed.
      }
      close();
      end(signal);
    });
    return { input, output, close };
  } catch {
    closeSync(inputDescriptor);
    return null;
  }
}
