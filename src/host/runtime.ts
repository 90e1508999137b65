// The behaviour of Node and V8 around the program, such as printing warnings and crashes, and the switches of V8
// that are set while it runs. The host hands it the process.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeWhollySync } from "../files/writes.ts";

/** The behaviour of Node around the program: without this, it would print to standard error. */
export interface Runtime {
  /** The switches that Node was started with, those in `NODE_OPTIONS` apart. */
  readonly switches: readonly string[];
  isInspected(): Promise<boolean>;
  /**
   * From now on an uncaught error ends the process with the text and the exit code that `tell` returns.
   * So does an event loop that runs dry before the function that is returned here was called.
   */
  onCrash(tell: (error: unknown) => { readonly text: string; readonly exitCode: number }): () => void;
  /** From now on Node's own warnings come here and are not printed. */
  onWarning(handle: (warning: Error) => void): void;
  /** Runs a synchronous function, and drops what a library writes to standard error meanwhile. */
  withoutStderr<T>(work: () => T): T;
  /** The program's own code, which has every word of its messages in it; empty if it cannot be read. */
  ownText(): string;
  /**
   * To be called before loading WebAssembly that has little to do: V8 then does not optimise it, which takes much memory.
   * Returns a function that sets the usual switches again, to be called when the WebAssembly has run: jq, which may be
   * loaded later, is optimised.
   */
  skipWasmOptimiser(): () => void;
  /**
   * To be called before work that keeps much in memory: V8 then collects garbage whenever the heap grew by a quarter.
   */
  growMemorySlowly(): void;
}

type Process = Pick<
  NodeJS.Process,
  | "execArgv"
  | "exit"
  | "getBuiltinModule"
  | "off"
  | "on"
  | "once"
  | "removeAllListeners"
  | "stderr"
  | "versions"
>;

/** The runtime of this process. Changes nothing yet. */
export function createRuntime(self: Process): Runtime {
  let hasSkippedWasm = false;
  const setFlag = (flag: string): void => {
    self.getBuiltinModule("node:v8").setFlagsFromString(flag);
  };
  return {
    switches: self.execArgv,
    async isInspected() {
      return (await import("node:inspector")).url() !== undefined;
    },
    onCrash: (tell) => endAtCrash(self, tell),
    onWarning(handle) {
      self.removeAllListeners("warning");
      self.on("warning", handle);
    },
    ownText() {
      try {
        const folder = ownFolder();
        const files = readdirSync(folder).filter((name) => name.endsWith(".cjs"));
        return files.map((name) => readFileSync(join(folder, name), "utf8")).join("\n");
      } catch {
        return "";
      }
    },
    withoutStderr(work) {
      self.stderr.write = () => true;
      try {
        return work();
      } finally {
        // The own property is gone, so that the method of its class is called again.
        Reflect.deleteProperty(self.stderr, "write");
      }
    },
    skipWasmOptimiser() {
      // For undici's parser the optimiser takes 25 to 36 MB, and no list gets shorter by it; Node 20 waits for it at exit.
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

/** The folder of the built program. */
function ownFolder(): string {
  return fileURLToPath(new URL(".", import.meta.url));
}

function endAtCrash(
  self: Process,
  tell: (error: unknown) => { readonly text: string; readonly exitCode: number },
): () => void {
  const end = (error: unknown): void => {
    const { text, exitCode } = tell(error);
    try {
      writeWhollySync(2, Buffer.from(text));
    } catch {
      // Standard error is closed: the exit code has to do.
    }
    // Requests and timers in flight would keep the process alive, although nothing waits for them any more.
    self.exit(exitCode);
  };
  const endEarly = (): void => {
    end(new Error("nothing is left to wait for, and the work is not done"));
  };
  self.on("uncaughtException", end);
  self.on("unhandledRejection", end);
  self.once("beforeExit", endEarly);
  return () => self.off("beforeExit", endEarly);
}
