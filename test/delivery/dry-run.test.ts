// --dry-run of commands that replace values rejects everything that the run itself would reject, and creates or changes
// nothing.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeFolder, makeStateFolder } from "../support/state-folder.ts";
import { runMain } from "../support/test-host.ts";
import { startTruthService } from "../support/truth-service.ts";

const personal = { app: { name: "personal", url: "", client_id: "0".repeat(20) } };

describe.each([{ words: ["authorization", "rotate", "1001"] }, { words: ["token", "reset"] }])(
  "$words",
  ({ words }) => {
    const planIn = async (
      environment: Readonly<Record<string, string>>,
      flags: readonly string[] = [],
    ): Promise<{ code: number; isQuiet: boolean }> => {
      const service = await startTruthService();
      const token = service.addToken(words[1] === "rotate" ? { ...personal, note: "n" } : {});
      const run = await runMain([...words, "--dry-run", ...flags], {
        environment: { ...service.environment, ...environment },
        input: words[1] === "reset" ? token : "",
      });
      expect(service.writes).toEqual([]);
      return { code: run.code, isQuiet: run.stdout === "" };
    };
    const plan = (...flags: readonly string[]): ReturnType<typeof planIn> =>
      planIn(makeStateFolder().environment, flags);

    test("rejects an existing file and leaves it unchanged", async () => {
      const folder = makeFolder();
      const file = join(folder, "values");
      writeFileSync(file, "mine\n");
      expect(await plan("--output-file", file)).toEqual({ code: 2, isQuiet: true });
      expect((await plan("--output-file", file, "--force")).code).toBe(0);
      expect([readFileSync(file, "utf8"), readdirSync(folder)]).toEqual(["mine\n", ["values"]]);
    });

    test("creates no file, and rejects one that cannot be created", async () => {
      const folder = makeFolder();
      expect((await plan("--output-file", join(folder, "new"))).code).toBe(0);
      expect((await plan("--output-file", join(folder, "none", "new"))).code).toBe(2);
      expect(readdirSync(folder)).toEqual([]);
    });

    test.each([["--force"], ["--to-command", "cat", "--output-file", "x"]])(
      "rejects flags that cannot be combined: %j %j",
      async (...flags) => {
        expect(await plan(...flags)).toEqual({ code: 2, isQuiet: true });
      },
    );

    test("rejects a state folder that cannot be written, and creates none", async () => {
      const folder = makeFolder();
      writeFileSync(join(folder, "file"), "");
      const state = join(folder, "file", "state");
      expect(await planIn({ GRANTCTL_STATE_DIR: state })).toEqual({ code: 2, isQuiet: true });
      expect((await planIn({ GRANTCTL_STATE_DIR: join(folder, "new", "state") })).code).toBe(0);
      expect(readdirSync(folder)).toEqual(["file"]);
    });
  },
);

describe.each([{ words: ["authorization", "rotate"] }, { words: ["token", "reset"] }])(
  "$words",
  ({ words }) => {
    test.each([
      ["--json", "id,token"],
      ["--json", "id,status"],
      ["--json", "id,nosuch"],
      ["--jq", "."],
      ["--jq", ".", "--format", "ndjson"],
      ["--json", "token,status", "--to-command", "cat"],
      ["--json", "status", "--to-command", "cat"],
    ])("accepts the fields and formats that the run itself accepts: %j %j %j %j", async (...flags) => {
      for (const count of [1, 2]) {
        const codes: number[] = [];
        for (const more of [["--dry-run"], ["--yes"]]) {
          const service = await startTruthService();
          const items = Array.from({ length: count }, (_, index) =>
            service.addToken(words[1] === "rotate" ? { ...personal, note: `n${index}` } : {}),
          );
          const ids = words[1] === "rotate" ? items.map((_, index) => `${1001 + index}`) : [];
          const run = await runMain([...words, ...ids, ...flags, ...more], {
            environment: { ...service.environment, ...makeStateFolder().environment },
            input: words[1] === "reset" ? items.join("\n") : "",
          });
          codes.push(run.code);
        }
        expect(codes[0]).toBe(codes[1]);
      }
    });
  },
);
