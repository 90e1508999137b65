// Controls the behaviour of Node around the program: crashes, warnings and the output of libraries. By default, Node would
// print crashes and warnings to standard error, unredacted.
import { writeFullySync } from "./writes.ts";

/** Changes nothing until a method is called. */
export function createRuntime() {
  return {
    /**
     * From now on, an uncaught error ends the process with the text and the exit code that `formatCrash` resolves with. So does
     * an empty event loop, until the returned function is called.
     */
    onCrash(
      formatCrash: (error: unknown) => Promise<{ readonly text: string; readonly exitCode: number }>,
    ): () => void {
      const end = async (error: unknown): Promise<void> => {
        const { text, exitCode } = await formatCrash(error);
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
        void end(new Error("the event loop is empty, but the run is not finished"));
      };
      process.on("uncaughtException", (error) => void end(error));
      process.on("unhandledRejection", (error) => void end(error));
      process.once("beforeExit", endEarly);
      return () => process.off("beforeExit", endEarly);
    },
    /** From now on, Node's warnings, which are for developers, are not printed. */
    silenceWarnings(): void {
      process.removeAllListeners("warning");
    },
    /** Runs a synchronous function while discarding standard error, to which a library may write. */
    withoutStderr<T>(work: () => T): T {
      process.stderr.write = () => true;
      try {
        return work();
      } finally {
        // Deleting the own property restores the method of the class.
        Reflect.deleteProperty(process.stderr, "write");
      }
    },
    /**
     * Disables V8's optimiser for WebAssembly. For undici's parser it takes more time than all of a small list, because
     * Node 20 waits for it at exit. Call it before the parser is loaded.
     */
    skipWasmOptimiser(): void {
      const { setFlagsFromString } = process.getBuiltinModule("node:v8");
      setFlagsFromString("--no-wasm-dynamic-tiering");
      setFlagsFromString("--no-wasm-tier-up");
    },
  };
}
