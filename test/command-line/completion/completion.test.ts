// `grantctl __complete`: what is offered at each place of a line, from the command table and from this machine.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scripts } from "../../../src/commands/completion/completion.ts";
import { jsonFieldsOf } from "../../../src/command-line/help.ts";
import { createWholeProgram, exampleOf } from "../../support/whole-program.ts";
import { makeConfigurationFolder } from "../../support/configuration.ts";
import { makeStateFolder } from "../../support/state-folder.ts";
import { runMain, type World } from "../../support/test-host.ts";

async function offersFor(line: string, environment: World["environment"] = {}): Promise<readonly string[]> {
  const words = line.split(" ");
  const { stdout } = await runMain(["__complete", `=${words.at(-1)}`, ...words.slice(0, -1)], {
    environment,
  });
  return stdout.split("\n").flatMap((offer) => (offer === "" ? [] : (offer.split("\t")[0] ?? "")));
}

/** The line up to the cursor, and everything that is offered. */
test.each([
  ["", "auth grant authorization token audit recover config api doctor sandbox completion help"],
  ["auth", "auth authorization"],
  ["authz ", "list view create get-or-create identify update rotate delete run"],
  ["--format json -y recover ", "list show end forget"],
  ["grants ls --lim", "--limit"],
  ["grant list --json", "--json"],
  ["grant list --format ", "table tsv csv json ndjson"],
  ["audit --format h", "html"],
  ["grant list --json id,app", "id,app id,app.name id,app.client_id id,app.url"],
  ["grant list --json --rev", "--reverse"],
  ["grant list --sort cr", "created_at"],
  ["grant list --limit ", ""],
  ["grant list ", ""],
  ["api /x -H a:b --hea", "--header"],
  ["api /x -f ", ""],
  ["help exit", "exit-codes"],
  ["help authz vi", "view"],
  ["completion f", "fish"],
  ["config get base", "base_url"],
  ["config set username ", ""],
  ["token check ", ":file"],
  ["token check --token-file ", ":file"],
  ["token check leaked.txt ", ""],
  ["sandbox run ", ":file"],
  ["sandbox run -- cat ", ":file"],
  ["sandbox run -- cat --ye", ":file"],
  ["--profile ", "home work"],
  ["auth switch w", "work"],
  ["token revoke --resume 2026", "20260131-120000-a1b2c3"],
  ["recover show ", "20260131-120000-a1b2c3"],
])("%s", async (line, offers) => {
  const { environment: ofProfiles } = makeConfigurationFolder('{"profiles":{"home":{},"work":{}}}');
  const state = makeStateFolder();
  mkdirSync(state.path, { mode: 0o700 });
  writeFileSync(join(state.path, "20260131-120000-a1b2c3.journal"), "x", { mode: 0o600 });
  const environment = { ...ofProfiles, ...state.environment };
  expect((await offersFor(line, environment)).join(" ")).toBe(offers);
});

test("every command offers its own flags and the global ones", async () => {
  const program = await createWholeProgram();
  for (const noun of program.commands)
    for (const verb of noun.commands) {
      const all = [...verb.options, ...program.options].map(({ long }) => long ?? "");
      const wanted = [...new Set([...all, "--help"])].filter((long) => long !== "--version");
      expect((await offersFor(`${noun.name()} ${verb.name()} -`)).toSorted()).toEqual(wanted.toSorted());
    }
});

test.each(["bash", "zsh", "fish", "powershell"] as const)(
  "the script for %s needs no valid configuration",
  async (shell) => {
    const { environment } = makeConfigurationFolder("{ broken");
    const printed = await runMain(["completion", shell], { environment });
    expect(printed).toEqual({ code: 0, stdout: scripts[shell], stderr: "" });
    const asked = await runMain(["__complete", "=", "--profile"], { environment });
    expect(asked).toEqual({ code: 0, stdout: "", stderr: "" });
  },
);

test("the fields that are completed are exactly those that each command accepts", async () => {
  const { commands } = await createWholeProgram();
  for (const noun of commands)
    for (const command of noun.commands.length === 0 ? [noun] : noun.commands) {
      const name = command === noun ? noun.name() : `${noun.name()} ${command.name()}`;
      // It runs until it is stopped.
      if (name === "sandbox run") continue;
      const run = await runMain([...(await exampleOf(name)), "--json", "no_such_field", "--no-input"], {
        input: "0123456789012345678901234567890123456789",
        environment: { GRANTCTL_BASE_URL: "http://127.0.0.1:1", GRANTCTL_CLIENT_ID: "0".repeat(20) },
      });
      const fields = /unknown field.*"hint":"(?:[^"]*)The fields are ([^"]+?)\. For/.exec(run.stderr)?.[1];
      expect([name, fields?.split(/, | and /) ?? []]).toEqual([name, jsonFieldsOf(command)]);
    }
});
