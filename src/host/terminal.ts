// The controlling terminal, opened for a question whatever the standard streams are, and given back as it was however
// the question ends. The host hands it the process. The rule: Ctrl-C, Ctrl-Z and Ctrl-\ do what they do elsewhere,
// although in raw mode they are characters like any others.
import { closeSync, openSync } from "node:fs";
import type { ReadStream, WriteStream } from "node:tty";
import { isInFront } from "./signals.ts";
import { writeWhollySync } from "../files/writes.ts";

/** The controlling terminal, opened for one question. */
export interface Terminal {
  readonly input: ReadStream;
  readonly output: WriteStream;
  /** Sends a signal to every process of the foreground job, as the terminal does when its key is pressed. */
  signalJob(signal: "SIGQUIT" | "SIGTSTP"): void;
  /**
   * Calls back at SIGTSTP, so that the handler can `close` the terminal and then `stop`, and at SIGCONT: it may follow
   * a SIGSTOP, which cannot be caught, so that the terminal is not raw any more and the question has scrolled away.
   */
  onJobSignal(handle: (signal: "SIGTSTP" | "SIGCONT") => void): void;
  close(): void;
  /** To be called after `close`: stops the process. Returns when the shell continues it; at once without a shell. */
  stop(): void;
}

type Process = Pick<
  NodeJS.Process,
  "env" | "exit" | "getBuiltinModule" | "kill" | "off" | "on" | "once" | "pid" | "platform"
>;

/** Reads the size again and emits `resize`, as Node's own streams do when the window changes. */
interface Resizable {
  _refreshSize?(): void;
}

/** Shows the cursor, which a question may have hidden, below the line it stands in, and clears what else is there. */
const leaveQuestion = "\u001b[?25h\r\n\u001b[J";

/** Leaves a question on a terminal without control sequences. */
const leavePlainQuestion = "\r\n";

/**
 * True if this process is in front of its terminal. A job in the background is stopped here, as the terminal itself
 * would stop it, until its shell brings it to the front. If no shell is left to do that, as after `(grantctl … &)`,
 * nothing stops it (the group is orphaned: signal(7), credentials(7)), and a question would wait for ever.
 */
function comesToFront(self: Process): boolean {
  if (isInFront()) return true;
  // Zero is everybody in this process's group, as when the terminal does it.
  self.kill(0, "SIGTTIN");
  return isInFront();
}

/**
 * Opens the terminal; null if there is none that this process can prompt on. `endings` are the signals that end
 * the process, by calling `end`.
 */
export function openTerminal(
  self: Process,
  endings: readonly NodeJS.Signals[],
  end: (signal: NodeJS.Signals) => void,
): Terminal | null {
  const isWindows = self.platform === "win32";
  const leaving = self.env["TERM"] === "dumb" ? leavePlainQuestion : leaveQuestion;
  const [inputPath, outputPath] = isWindows ? ["\\\\.\\CONIN$", "\\\\.\\CONOUT$"] : ["/dev/tty", "/dev/tty"];
  let inputDescriptor: number;
  try {
    inputDescriptor = openSync(inputPath, "r+");
  } catch {
    return null;
  }
  if (!isWindows && !comesToFront(self)) {
    closeSync(inputDescriptor);
    return null;
  }
  try {
    // Loaded here, because few runs ask anything.
    const tty = self.getBuiltinModule("node:tty");
    const input = new tty.ReadStream(inputDescriptor);
    const outputDescriptor = openSync(outputPath, "r+");
    const output = new tty.WriteStream(outputDescriptor);
    const jobHandlers: (readonly ["SIGTSTP" | "SIGCONT", () => void])[] = [];
    // Node restores a terminal on exit and on SIGINT and SIGTERM, but not on hang-up and quit.
    const restore = (signal: NodeJS.Signals): void => {
      try {
        writeWhollySync(outputDescriptor, Buffer.from(leaving));
      } catch {
        // The terminal has gone.
      }
      close();
      end(signal);
    };
    // Node keeps the size of its standard streams alone up to date.
    const resize = (): void => (output as Resizable)._refreshSize?.();
    const close = (): void => {
      for (const signal of endings) self.off(signal, restore);
      for (const [signal, handle] of jobHandlers.splice(0)) self.off(signal, handle);
      self.off("SIGWINCH", resize);
      if (input.isRaw) input.setRawMode(false);
      input.destroy();
      output.destroy();
    };
    for (const signal of endings) self.once(signal, restore);
    self.on("SIGWINCH", resize);
    return {
      input,
      output,
      signalJob(signal) {
        // Zero is everybody in this process's group: with one alone stopped, the shell would wait for the others.
        if (!isWindows) self.kill(0, signal);
      },
      onJobSignal(handle) {
        for (const signal of ["SIGTSTP", "SIGCONT"] as const) {
          const tell = (): void => {
            handle(signal);
          };
          jobHandlers.push([signal, tell]);
          self.on(signal, tell);
        }
      },
      close,
      stop() {
        self.kill(self.pid, "SIGTSTP");
      },
    };
  } catch {
    closeSync(inputDescriptor);
    return null;
  }
}
