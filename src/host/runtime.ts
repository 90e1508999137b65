// Controls the behaviour of Node and V8 around the program: crashes, warnings, output of libraries, and V8 flags that
// are set at runtime to save memory. By default, Node would print crashes and warnings to standard error, unredacted.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeFullySync } from "../files/writes.ts";

/** Controls Node and V8 around the program. */
export interface Runtime {
  /** The switches that Node was started with, without those in `NODE_OPTIONS`. */
  readonly switches: readonly string[];
  isInspected(): Promise<boolean>;
  /**
   * From now on, an uncaught error ends the process with the text and the exit code that `formatCrash` returns. So does an
   * empty event loop, until the returned function is called.
   */
  onCrash(formatCrash: (error: unknown) => { readonly text: string; readonly exitCode: number }): () => void;
  /** From now on, Node's warnings are passed to `handle` instead of being printed. */
  onWarning(handle: (warning: Error) => void): void;
  /** Runs a synchronous function while discarding standard error, to which a library may write. */
  withoutStderr<T>(work: () => T): T;
  /** The program's code, which contains the text of all its messages; empty if it cannot be read. */
  ownText(): string;
  /**
   * Disables V8's optimiser for WebAssembly, to save memory. Call it before loading undici's parser, which does little
   * work. Returns a function that restores the flags; call it after the parser has run, so that jq is optimised if it
   * is loaded later.
   */
  skipWasmOptimiser(): () => void;
  /** Makes V8 collect garbage whenever the heap has grown by a quarter; pages of a list are garbage soon. */
  growMemorySlowly(): void;
}

/** Changes nothing until a method is called. */
export function createRuntime(): Runtime {
  let hasSkippedWasm = false;
  return {
    switches: process.execArgv,
    async isInspected() {
      return (await import("node:inspector")).url() !== undefined;
    },
    onCrash(formatCrash) {
      const end = (error: unknown): void => {
        const { text, exitCode } = formatCrash(error);
        try {
          writeFullySync(2, Buffer.from(text));
        } catch {
          // Standard error is closed: only the exit code can report the crash.
        }
        // Pending requests and timers would keep the process running, although nothing waits for them.
        // oxlint-disable-next-line unicorn/no-process-exit
        process.exit(exitCode);
      };
      const endEarly = (): void => {
        end(new Error("the event loop is empty, but the run is not finished"));
      };
      process.on("uncaughtException", end);
      process.on("unhandledRejection", end);
      process.once("beforeExit", endEarly);
      return () => process.off("beforeExit", endEarly);
    },
    onWarning(handle) {
      process.removeAllListeners("warning");
      process.on("warning", handle);
    },
    ownText() {
      try {
        const folder = fileURLToPath(new URL(".", import.meta.url));
        const files = readdirSync(folder).filter((name) => name.endsWith(".cjs"));
        return files.map((name) => readFileSync(join(folder, name), "utf8")).join("\n");
      } catch {
        return "";
      }
    },
    withoutStderr(work) {
      process.stderr.write = () => true;
      try {
        return work();
      } finally {
        // Deleting the own property restores the method of the class.
        Reflect.deleteProperty(process.stderr, "write");
      }
    },
    skipWasmOptimiser() {
      // For undici's parser the optimiser takes 25 to 36 MB without a measurable gain, and Node 20 waits for it at
      // exit.
      if (hasSkippedWasm) return () => undefined;
      hasSkippedWasm = true;
      setFlag("--no-wasm-dynamic-tiering");
      setFlag("--no-wasm-tier-up");
      return () => {
        setFlag("--wasm-dynamic-tiering");
        setFlag("--wasm-tier-up");
      };
    },
    growMemorySlowly() {
      setFlag("--heap-growing-percent=25");
    },
  };
}

function setFlag(flag: string): void {
  process.getBuiltinModule("node:v8").setFlagsFromString(flag);
}
