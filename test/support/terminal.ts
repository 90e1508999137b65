// A real terminal for the real program, through util-linux `script`: what stands on the screen, what is typed into
// it, and whether it is given back as it was.
import { spawn, spawnSync } from "node:child_process";
import { readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";

/** Why tests on a terminal cannot run here; null if they can. */
export const noTerminalReason: string | null = spawnSync("script", ["--version"])
  .stdout?.toString()
  .includes("util-linux")
  ? null
  : "there is no `script` of util-linux here";

/** No program here shows nothing for so long on any machine, unless it hangs. */
const hangMs = 50_000;

/** Waits for a text on the screen, then types, sends a signal to the program, or does something else. */
export interface Step {
  readonly when: RegExp;
  readonly type?: string;
  /** Types when the terminal itself does not show any more what is typed. */
  readonly whenRaw?: boolean;
  readonly signal?: NodeJS.Signals;
  readonly act?: () => void;
}

export interface Screen {
  /** Everything that was shown, escape sequences taken out. */
  readonly text: string;
  /** The same with its escape sequences. */
  readonly raw: string;
  /** As a shell sees it: 128 and the number for a signal. */
  readonly code: number;
  /** The output of `stty -a` afterwards, on one line. */
  readonly settings: string;
  /** True if the cursor can be seen afterwards. */
  readonly isCursorShown: boolean;
}

/** Fails unless these settings are of a terminal that edits lines, shows what is typed, and makes signals of keys. */
export function expectCooked(settings: string): void {
  for (const mode of ["echo", "icanon", "isig"])
    expect(settings).toMatch(new RegExp(`(?:^|\\s)${mode}(?:\\s|;|$)`));
}

/** Fails unless the terminal is as a shell wants it, cursor included. */
export function expectGivenBack({ settings, isCursorShown }: Screen): void {
  expect(isCursorShown).toBe(true);
  expectCooked(settings);
}

/** Runs one line of a shell, in its home folder, on a terminal of its own, and answers what it asks. One that hangs fails with what it shows. */
export function runOnTerminal(
  line: string,
  steps: readonly Step[],
  environment: Readonly<Record<string, string>>,
  columns = 200,
): Promise<Screen> {
  // The inner shell's process becomes the program, so that its id is known.
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
      // At once: whoever asks has to listen by then, and a key pressed too early must not be lost.
      step.act?.();
      if (step.type !== undefined) void type(step.type, step.whenRaw ?? false);
      if (step.signal !== undefined) {
        process.kill(pid(), step.signal);
      }
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

/** True if the terminal of a process shows what is typed; not that of one that has ended. */
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
