// Runs the completion scripts in their shells: bash and zsh on a terminal with Tab, fish with its own
// `complete -C`. A shell that is not installed is skipped.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runBinary } from "../../support/binary.ts";
import { makeFolder } from "../../support/state-folder.ts";
import { makeHome, openTabSession, reasonWithout, type Home } from "./tab-session.ts";
import { inTurn } from "../../support/soak.ts";
import { noTerminalReason } from "../../support/terminal.ts";

const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];

const files = ["leaked.txt", "data/", "two words.pem"];
const leftover = "20260131-120000-a1b2c3";

/** The typed words, and what is offered. A shell inserts a single completion. That no file is offered as a word is part of each. */
const cases: readonly (readonly [typed: string, wanted: string])[] = [
  ["grantctl authz ", "list get-or-create identify"],
  ["grantctl grants ls --lim", "--limit"],
  ["grantctl --base-url http://x:80/y -y grant li", "list"],
  ["grantctl grant list --format ", "table tsv csv json ndjson"],
  ["grantctl grant list --json app.n", "app.name"],
  ["grantctl token check --token-file lea", "leaked.txt"],
  ["grantctl sandbox run --otp app -- cat lea", "leaked.txt"],
  ["grantctl token check lea", "leaked.txt"],
  ["grantctl grant list --limit ", ""],
  ["grantctl grant delete -- --y", ""],
  ["grantctl --profile ", "work home"],
  ["grantctl recover show 2026", leftover],
];

function homeWithProfiles(): Home {
  const home = makeHome(files);
  const { GRANTCTL_CONFIG_DIR: config = "", GRANTCTL_STATE_DIR: state = "" } = home.environment;
  const profiles = {
    work: { base_url: "https://one.example/api/v3" },
    home: { base_url: "https://two.example" },
  };
  writeFileSync(join(config, "config.json"), JSON.stringify({ profiles }), { mode: 0o600 });
  writeFileSync(join(state, `${leftover}.journal`), "", { mode: 0o600 });
  return home;
}

/** Returns the text that the shell offers for each line. */
type Offered = (lines: readonly string[]) => Promise<readonly string[]>;

async function openShell(shell: Shell, home: Home, load?: string): Promise<Offered> {
  if (shell === "fish") return (lines) => Promise.resolve(askFish(lines, home, load));
  const session = await openTabSession(shell, home, load);
  return async (lines) => {
    const texts: string[] = [];
    for (const typed of lines) {
      const { shown, line } = await session.press(typed);
      // The terminal echoes the typed text.
      const last = typed.endsWith(" ") ? " " : (/\S*$/.exec(typed)?.[0] ?? "");
      texts.push(`${shown}\n${line}`.replaceAll(typed, last));
    }
    return texts;
  };
}

function askFish(
  lines: readonly string[],
  home: Home,
  load = "grantctl completion fish | source",
): readonly string[] {
  const program = `${load}\nfor line in $argv\n  complete -C $line\n  echo [end]\nend`;
  const words = ["--no-config", "-c", program, "--", ...lines];
  const run = spawnSync("fish", words, { env: home.environment, cwd: home.folder, encoding: "utf8" });
  expect(run.stderr).toBe("");
  return run.stdout.split("[end]\n").slice(0, -1);
}

function hasWord(offered: string, word: string): boolean {
  return offered
    .split(/[\s|=](?=\S)|\s/)
    .concat(offered.split(/\s/))
    .some((found) => found.replace(/[=,/]$/, "") === word);
}

const tried = shells.map((shell, row) => {
  const reason = reasonWithout(shell) ?? (shell === "fish" ? null : noTerminalReason);
  return { shell, row, reason, title: reason === null ? shell : `${shell}: ${reason}` };
});

describe.each(tried)("$title", ({ shell, row, reason }) => {
  test.skipIf(reason !== null)("finds no syntax error in the script", async () => {
    const { stdout } = await runBinary(["completion", shell]);
    const file = join(makeFolder(), "script");
    writeFileSync(file, stdout);
    const check = spawnSync(shell, ["-n", file], { encoding: "utf8" });
    expect([check.status, check.stderr]).toEqual([0, ""]);
  });

  test.skipIf(reason !== null)("offers only valid completions", { tags: "soak" }, async () => {
    const offered = await openShell(shell, homeWithProfiles());
    const used = inTurn(cases, 2, row);
    const texts = await offered(used.map(([typed]) => typed));
    const wrong = used.flatMap(([typed, words], index) => {
      const text = texts[index] ?? "";
      const wanted = words.split(" ").filter((word) => word !== "");
      const missing = wanted.filter((word) => !hasWord(text, word));
      const surplus = ["leaked.txt", "--yes"].filter((word) => !wanted.includes(word) && hasWord(text, word));
      return missing.length + surplus.length === 0 ? [] : [{ typed, missing, surplus, text }];
    });
    expect(wrong).toEqual([]);
  });
});

test.skipIf(reasonWithout("zsh") !== null || noTerminalReason !== null)(
  "zsh loads the script from a folder in fpath on the first Tab",
  async () => {
    const home = makeHome();
    mkdirSync(join(home.folder, "functions"));
    const { stdout } = await runBinary(["completion", "zsh"]);
    writeFileSync(join(home.folder, "functions", "_grantctl"), stdout);
    const session = await openTabSession("zsh", home, "fpath=(~/functions $fpath)\ncompinit -D -u");
    expect((await session.press("grantctl grant vi")).line).toBe("grantctl grant view ");
  },
);

test.skipIf(noTerminalReason !== null)("bash escapes a file name", async () => {
  const session = await openTabSession("bash", homeWithProfiles());
  expect((await session.press("grantctl --ca-cert two")).line).toBe("grantctl --ca-cert two\\ words.pem ");
});
