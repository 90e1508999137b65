// Runs the built program on a real terminal, through util-linux `script`: the screen, typed input, and whether the
// terminal is restored.
import { spawn, spawnSync } from "node:child_process";
import { readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";

/** The reason to skip tests on a terminal, or null. */
export const noTerminalReason: string | null = spawnSync("script", ["--version"])
  .stdout?.toString()
  .includes("util-linux")
  ? null
  : "there is no `script` of util-linux here";

/** A program without output for so long hangs, even on a slow machine. */
const hangMs = 50_000;

/** Waits for text on the screen, then types, sends a signal, or runs a function. */
export interface Step {
  readonly when: RegExp;
  readonly type?: string;
  /** Waits until the terminal no longer echoes, then types. */
  readonly whenRaw?: boolean;
  readonly signal?: NodeJS.Signals;
  readonly act?: () => void;
}

export interface Screen {
  /** The output without escape sequences. */
  readonly text: string;
  /** The output with escape sequences. */
  readonly raw: string;
  /** As reported by a shell: 128 plus the number of a signal. */
  readonly code: number;
  /** The output of `stty -a` after the run, on one line. */
  readonly settings: string;
  /** True if the cursor is visible after the run. */
  readonly isCursorShown: boolean;
}

/** Expects canonical mode, echo, and signals from keys. */
function expectCooked(settings: string): void {
  for (const mode of ["echo", "icanon", "isig"])
    expect(settings).toMatch(new RegExp(`(?:^|\\s)${mode}(?:\\s|;|$)`));
}

/** Expects that the terminal is restored, with a visible cursor. */
export function expectGivenBack({ settings, isCursorShown }: Screen): void {
  expect(isCursorShown).toBe(true);
  expectCooked(settings);
}

/**
 * Runs a shell line in its home folder on a new terminal, and performs the steps. If it hangs, rejects with the screen.
 */
export function runOnTerminal(
  line: string,
  steps: readonly Step[],
  environment: Readonly<Record<string, string>>,
  columns = 200,
): Promise<Screen> {
  // The inner shell execs the program, so that its process ID is known.
  const inner = `echo "[process $$]"; ${line}`;
  const outer = `stty cols ${columns}; sh -c "$INNER"; echo "[ended $?]"; stty -a | tr '\\n' ' '; echo "[settings]"`;
  return new Promise((resolve, reject) => {
    const child = spawn("script", ["-qfc", outer, "/dev/null"], {
      env: { TERM: "xterm", SHELL: "/bin/sh", GRANTCTL_PAGER: "cat", ...environment, INNER: inner },
      cwd: environment["HOME"],
      detached: true,
    });
    let raw = "";
    let seen = 0;
    const waiting = [...steps];
    const pid = (): number => Number(/\[process (\d+)\]/.exec(raw)?.[1]);
    const type = async (text: string, whenRaw: boolean): Promise<void> => {
      if (whenRaw) while (showsTyping(pid())) await sleep(20);
      child.stdin.write(text);
    };
    const limit = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error(`still waiting for ${String(waiting[0]?.when)} on: ${clean(raw)}`));
    }, hangMs);
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      raw += chunk;
      limit.refresh();
      const [step] = waiting;
      if (step === undefined || !step.when.test(clean(raw.slice(seen)))) return;
      waiting.shift();
      seen = raw.length;
      // Immediately, because a prompt must not lose keys that are pressed as soon as it is visible.
      step.act?.();
      if (step.type !== undefined) void type(step.type, step.whenRaw ?? false);
      if (step.signal !== undefined) process.kill(pid(), step.signal);
    });
    child.on("error", reject);
    child.on("close", () => {
      clearTimeout(limit);
      const text = clean(raw);
      const settings = /\[ended \d+\]\s*(.*?)\[settings\]/s.exec(text)?.[1] ?? "";
      if (waiting.length > 0) reject(new Error(`never saw ${String(waiting[0]?.when)} on: ${text}`));
      else {
        const code = Number(/\[ended (\d+)\]/.exec(text)?.[1]);
        const isCursorShown = raw.lastIndexOf("\u001b[?25l") <= raw.lastIndexOf("\u001b[?25h");
        resolve({ text, raw, code, settings, isCursorShown });
      }
    });
  });
}

/** True if the terminal of a process echoes; false if the process has exited. */
function showsTyping(pid: number): boolean {
  try {
    const terminal = readlinkSync(`/proc/${pid}/fd/0`);
    return / echo /.test(spawnSync("stty", ["-a", "-F", terminal]).stdout.toString());
  } catch {
    return false;
  }
}

function clean(raw: string): string {
  return raw
    .replaceAll(/\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007]*\u0007|[@-Z\\-_])/g, "")
    .replaceAll("\r\n", "\n");
}
