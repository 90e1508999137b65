// The controlling terminal, opened for one prompt, independent of the standard streams.
//
//   restore        mode and cursor are restored however the prompt ends: by input, abort, signal or exit
//   keys           Ctrl-C, Ctrl-Z and Ctrl-\ work as usual, although raw mode delivers them as characters
//   background     a background job is stopped until its shell brings it to the front, as the terminal itself would do
import { closeSync, openSync } from "node:fs";
import type { ReadStream, WriteStream } from "node:tty";
import { isForeground } from "./signals.ts";
import { writeFullySync } from "../files/writes.ts";

/** The controlling terminal, opened for one prompt. */
export interface Terminal {
  readonly input: ReadStream;
  readonly output: WriteStream;
  /** Sends a signal to every process of the foreground job, as the terminal does when its key is pressed. */
  signalJob(signal: "SIGQUIT" | "SIGTSTP"): void;
  /**
   * Registers a handler for SIGTSTP, which must `close` the terminal and then `stop`, and for SIGCONT. SIGCONT may
   * follow a SIGSTOP, which cannot be caught, so that the terminal is no longer raw and the question has scrolled away.
   */
  onJobSignal(handle: (signal: "SIGTSTP" | "SIGCONT") => void): void;
  close(): void;
  /** Stops the process, after `close`. Returns when the shell continues it; immediately without a shell. */
  stop(): void;
}

/** Reads the size again and emits `resize`, as Node's own streams do when the window changes. */
interface Resizable {
  _refreshSize?(): void;
}

/** Shows the cursor, which a prompt may have hidden, on the next line, and clears the rest of the screen. */
const leaveQuestion = "\u001b[?25h\r\n\u001b[J";

/** The same for a terminal without control sequences. */
const leavePlainQuestion = "\r\n";

/**
 * True if this process is in the foreground of its terminal. A background job is stopped here, as the terminal itself
 * would stop it, until its shell brings it to the foreground. Without a shell, as after `(grantctl … &)`, nothing stops
 * it (orphaned process group: signal(7), credentials(7)), and a prompt would wait forever.
 */
function waitForForeground(): boolean {
  if (isForeground()) return true;
  // Zero signals the whole process group, as the terminal does.
  process.kill(0, "SIGTTIN");
  return isForeground();
}

/**
 * Opens the terminal; null if there is none that this process can prompt on. `endings` are the signals that end
 * the process, by calling `end`.
 */
export function openTerminal(
  endings: readonly NodeJS.Signals[],
  end: (signal: NodeJS.Signals) => void,
): Terminal | null {
  const isWindows = process.platform === "win32";
  const leaving = process.env["TERM"] === "dumb" ? leavePlainQuestion : leaveQuestion;
  const [inputPath, outputPath] = isWindows ? ["\\\\.\\CONIN$", "\\\\.\\CONOUT$"] : ["/dev/tty", "/dev/tty"];
  let inputDescriptor: number;
  try {
    inputDescriptor = openSync(inputPath, "r+");
  } catch {
    return null;
  }
  if (!isWindows && !waitForForeground()) {
    closeSync(inputDescriptor);
    return null;
  }
  try {
    // Loaded on demand, because few runs prompt.
    const tty = process.getBuiltinModule("node:tty");
    const input = new tty.ReadStream(inputDescriptor);
    const outputDescriptor = openSync(outputPath, "r+");
    const output = new tty.WriteStream(outputDescriptor);
    const jobHandlers: (readonly ["SIGTSTP" | "SIGCONT", () => void])[] = [];
    // Node restores a terminal on exit and on SIGINT and SIGTERM, but not on hang-up and quit.
    const restore = (signal: NodeJS.Signals): void => {
      try {
        writeFullySync(outputDescriptor, Buffer.from(leaving));
      } catch {
        // The terminal is closed.
      }
      close();
      end(signal);
    };
    // Node updates the size of its standard streams only.
    const resize = (): void => (output as Resizable)._refreshSize?.();
    const close = (): void => {
      for (const signal of endings) process.off(signal, restore);
      for (const [signal, handle] of jobHandlers.splice(0)) process.off(signal, handle);
      process.off("SIGWINCH", resize);
      if (input.isRaw) input.setRawMode(false);
      input.destroy();
      output.destroy();
    };
    for (const signal of endings) process.once(signal, restore);
    process.on("SIGWINCH", resize);
    return {
      input,
      output,
      signalJob(signal) {
        // Zero signals the whole process group: if only one process stopped, the shell would wait for the others.
        if (!isWindows) process.kill(0, signal);
      },
      onJobSignal(handle) {
        for (const signal of ["SIGTSTP", "SIGCONT"] as const) {
          const onSignal = (): void => {
            handle(signal);
          };
          jobHandlers.push([signal, onSignal]);
          process.on(signal, onSignal);
        }
      },
      close,
      stop() {
        process.kill(process.pid, "SIGTSTP");
      },
    };
  } catch {
    closeSync(inputDescriptor);
    return null;
  }
}
