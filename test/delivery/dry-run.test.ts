// --dry-run of the commands that make a value: an output that the run itself would refuse is refused, and nothing is left
// behind or changed.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeFolder, makeStateFolder } from "../support/state-folder.ts";
import { runMain } from "../support/test-host.ts";
import { startTruthService } from "../support/truth-service.ts";

const personal = { app: { name: "personal", url: "", client_id: "0".repeat(20) } };

describe.each([
  { words: ["authorization", "create", "--note", "new"] },
  { words: ["authorization", "get-or-create", "--fingerprint", "new"] },
  { words: ["authorization", "rotate", "1001"] },
  { words: ["token", "reset"] },
])("$words", ({ words }) => {
  const plan = async (...flags: readonly string[]): Promise<{ code: number; isQuiet: boolean }> => {
    const service = await startTruthService();
    const token = service.addToken(words[1] === "rotate" ? { ...personal, note: "n" } : {});
    const run = await runMain([...words, "--dry-run", ...flags], {
      environment: { ...service.environment, ...makeStateFolder().environment },
      input: words[1] === "reset" ? token : "",
    });
    expect(service.writes).toEqual([]);
    return { code: run.code, isQuiet: run.stdout === "" };
  };

  test("refuses a file that is there already, and leaves it as it is", async () => {
    const folder = makeFolder();
    const file = join(folder, "values");
    writeFileSync(file, "mine\n");
    expect(await plan("--output-file", file)).toEqual({ code: 2, isQuiet: true });
    expect((await plan("--output-file", file, "--force")).code).toBe(0);
    expect([readFileSync(file, "utf8"), readdirSync(folder)]).toEqual(["mine\n", ["values"]]);
  });

  test("leaves no file behind, and refuses one that cannot be made", async () => {
    const folder = makeFolder();
    expect((await plan("--output-file", join(folder, "new"))).code).toBe(0);
    expect((await plan("--output-file", join(folder, "none", "new"))).code).toBe(2);
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([["--force"], ["--to-check", "true"], ["--to-command", "cat", "--output-file", "x"]])(
    "refuses flags that do not belong together: %j %j",
    async (...flags) => {
      expect(await plan(...flags)).toEqual({ code: 2, isQuiet: true });
    },
  );
});
