// Stop signals: what happens when one arrives, and how the process ends by it.
//
//   a handler is registered    the handlers are called, and the process continues
//   none                       the process ends by the signal, after the functions of `beforeSignalEnds`, so that a shell
//                              sees how it ended
//
// Node resets all signals to their defaults before it runs our code, so that SIGHUP is no longer ignored after `nohup`. The
// variable `_`, which bash, zsh and ksh set to the program that they start, still names it.
//
// A process in the foreground job of a terminal receives the signals of its keys together with its children.
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { exitCodeOfSignal } from "../errors/errors.ts";

/** SIGBREAK is Ctrl-Break, which only Windows has. */
const all: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGBREAK"];

export class ProcessSignals {
  readonly #signals: readonly NodeJS.Signals[];
  readonly #handlers = new Set<(signal: NodeJS.Signals) => void>();
  readonly #endings = new Set<() => void>();
  #isListening = false;

  constructor() {
    const survivesHangUp = basename(process.env["_"] ?? "") === "nohup";
    if (survivesHangUp) process.on("SIGHUP", () => undefined);
    this.#signals = all.filter((signal) => !(survivesHangUp && signal === "SIGHUP"));
    this.#update();
  }

  /** Handles stop signals, which then no longer end the process; returns a function to unregister the handler. */
  readonly onStopSignal = (handle: (signal: NodeJS.Signals) => void): (() => void) =>
    this.#register(this.#handlers, handle);

  /** Registers a callback for the moment before a stop signal ends the process; returns a function to unregister it. */
  readonly beforeSignalEnds = (call: () => void): (() => void) => this.#register(this.#endings, call);

  readonly end = (signal: NodeJS.Signals): void => {
    for (const ending of this.#endings) ending();
    // Also those of libraries, so that the signal has its usual effect.
    process.removeAllListeners(signal);
    try {
      process.kill(process.pid, signal);
    } catch {
      // Windows does not know the signal.
    }
    // Reached on Windows, and by the first process of a container, which no signal ends (pid_namespaces(7)).
    // oxlint-disable-next-line unicorn/no-process-exit
    process.exit(exitCodeOfSignal(signal));
  };

  readonly #receive = (signal: NodeJS.Signals): void => {
    if (this.#handlers.size === 0) this.end(signal);
    for (const handle of this.#handlers) handle(signal);
  };

  #register<T>(callbacks: Set<T>, callback: T): () => void {
    callbacks.add(callback);
    this.#update();
    return () => {
      callbacks.delete(callback);
      this.#update();
    };
  }

  /**
   * Listens only if there is something to call or if nothing else would end the process: otherwise the kernel ends it, even
   * in an endless calculation.
   */
  #update(): void {
    const isNeeded = process.pid === 1 || this.#handlers.size > 0 || this.#endings.size > 0;
    if (isNeeded === this.#isListening) return;
    this.#isListening = isNeeded;
    for (const signal of this.#signals) {
      if (isNeeded) process.on(signal, this.#receive);
      else process.off(signal, this.#receive);
    }
  }
}

/** True if this process belongs to the foreground job of its terminal or, if that is unknown, has a terminal at all. */
export function isForeground(): boolean {
  const stat = existsSync("/proc/self/stat") ? readFileSync("/proc/self/stat", "latin1") : "";
  // The name in parentheses may contain anything. It is followed by state, parent, group, session, terminal, and the
  // terminal's foreground group.
  const [, , group, , terminal, groupInFront] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  // 0 means no terminal; gVisor reports it for every process.
  return terminal === undefined || terminal === "0" ? hasTerminal() : group === groupInFront;
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync("/dev/tty", "r"));
    return true;
  } catch {
    return false;
  }
}
