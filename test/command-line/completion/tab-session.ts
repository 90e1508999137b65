// A real shell on a pseudo-terminal, to test completion: types text, presses Tab, and returns the output and the
// resulting line.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { installProgram } from "../../support/binary.ts";
import { makeFolder } from "../../support/state-folder.ts";

/** Long enough for any machine, and shorter than vitest's timeout, whose message would not contain the screen. */
const hangMs = 500_000;

/** The reason to skip tests with this shell, or null. */
export function reasonWithout(shell: string): string | null {
  return spawnSync(shell, ["-c", "exit"]).status === 0 ? null : `there is no ${shell} here`;
}

/** A home folder with files, and `grantctl` on the path. */
export interface Home {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Creates the folder with these empty files and folders (`name/`); it is deleted after the test. */
export function makeHome(files: readonly string[] = []): Home {
  const root = makeFolder();
  const folder = join(root, "home");
  for (const made of ["home", "bin", "config", "state"]) mkdirSync(join(root, made), { mode: 0o700 });
  for (const file of files) {
    if (file.endsWith("/")) mkdirSync(join(folder, file));
    else writeFileSync(join(folder, file), "");
  }
  installProgram(join(root, "bin"));
  const environment = {
    HOME: folder,
    ZDOTDIR: folder,
    PATH: `${join(root, "bin")}:${process.env["PATH"] ?? ""}`,
    LC_ALL: "C.UTF-8",
    GRANTCTL_CONFIG_DIR: join(root, "config"),
    GRANTCTL_STATE_DIR: join(root, "state"),
  };
  return { folder, environment };
}

export interface Pressed {
  /** The output of the shell after the typed text. */
  readonly shown: string;
  /** The resulting line. */
  readonly line: string;
}

export interface TabSession {
  /** Types text, presses Tab, and then clears the line. */
  press(typed: string): Promise<Pressed>;
}

interface InteractiveShell {
  readonly command: string;
  readonly file: string;
  /**
   * Run before the script is loaded: disables prompts, bells and pagers, and binds Ctrl-X p to print the line. zsh
   * would otherwise treat the keys separately if the second comes 0.4 s later, as on a busy machine.
   */
  readonly settings: string;
}

const shells = {
  bash: {
    command: "bash --noprofile --rcfile ~/.bashrc -i",
    file: ".bashrc",
    settings: String.raw`PS1='> '
bind 'set bell-style none' 2>/dev/null
bind 'set show-all-if-ambiguous on'
bind 'set completion-query-items -1'
bind 'set page-completions off'
bind 'set enable-bracketed-paste off'
bind -x '"\C-xp": printf "\n[line:%s]\n" "$READLINE_LINE"'
bind '"\C-u": unix-line-discard'`,
  },
  zsh: {
    command: "zsh -d -i",
    file: ".zshrc",
    settings: String.raw`PS1='> '
autoload -Uz compinit && compinit -D -u
setopt no_beep no_list_beep
unsetopt list_ambiguous auto_menu prompt_cr prompt_sp
LISTMAX=10000
KEYTIMEOUT=6000
zle_highlight=(none)
tell-line() { print -r -- "
[line:$BUFFER]" }
zle -N tell-line
bindkey '^Xp' tell-line
bindkey '^U' kill-whole-line`,
  },
} as const satisfies Record<string, InteractiveShell>;

/** Starts a shell that loads the completion with `load`; it is ended after the test. */
export async function openTabSession(
  name: keyof typeof shells,
  home: Home,
  load = `source <(grantctl completion ${name})`,
): Promise<TabSession> {
  const shell = shells[name];
  writeFileSync(join(home.folder, shell.file), `${shell.settings}\n${load}\necho [ready]\n`);
  const child = spawn("script", ["-qfc", `stty cols 200 rows 400; exec ${shell.command}`, "/dev/null"], {
    env: { ...home.environment, TERM: "xterm", SHELL: "/bin/sh" },
    cwd: home.folder,
    detached: true,
  });
  let raw = "";
  let look: (() => void) | null = null;
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    raw += chunk;
    look?.();
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const waitFor = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const limit = setTimeout(() => {
        reject(new Error(`never saw ${String(pattern)} on: ${clean(raw)}`));
      }, hangMs);
      look = () => {
        const found = pattern.exec(clean(raw));
        if (found === null) return;
        clearTimeout(limit);
        look = null;
        resolve(found);
      };
      look();
    });
  await waitFor(/\[ready\]\n(?:.*\n)*.*> $/);
  return {
    async press(typed) {
      raw = "";
      child.stdin.write(`${typed}\t\u0018p`);
      const { index, 1: line = "" } = await waitFor(/\[line:(.*)\]\n/);
      const shown = clean(raw).slice(0, index);
      raw = "";
      child.stdin.write("\u0015\u0018p");
      await waitFor(/\[line:\]\n/);
      return { shown, line };
    },
  };
}

function clean(raw: string): string {
  return raw
    .replaceAll(/\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007]*\u0007|[@-Z\\-_=>])/g, "")
    .replaceAll(/\r+\n/g, "\n");
}
