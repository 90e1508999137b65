// Fails any single disk system call of a run. Afterwards the value is in the output or kept, or the run reports a
// failure. It is never silent and never sends a request twice.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runBinary } from "../support/binary.ts";
import { inTurn } from "../support/soak.ts";
import { makeFolder, makeStateFolder } from "../support/state-folder.ts";
import { runMain } from "../support/test-host.ts";
import { runTraced, whyNoTracing } from "../support/tracing.ts";
import { startTruthService } from "../support/truth-service.ts";

const reason = whyNoTracing();

/** The system calls to fail, the error, and how many calls of a run to try in turn. */
const faults: readonly (readonly [call: string, how: string, most: number])[] = [
  ["fdatasync", "error=ENOSPC", 8],
  ["fsync", "error=EIO", 6],
  ["pwrite64", "error=ENOSPC", 12],
  ["rename,renameat,renameat2", "error=EACCES", 2],
  ["unlink,unlinkat", "error=EACCES", 4],
];

/** The index of the failing call and the number of tokens, for each case: in a soak all, otherwise every fifth. */
function runsOf(most: number): readonly { readonly time: number; readonly count: number }[] {
  const cases = Array.from({ length: most }, (_, index) => index + 1).flatMap((time) =>
    [1, 2, 12].map((count) => ({ time, count })),
  );
  // Not every third, so that each number of tokens has its turn.
  return inTurn(cases, 5, 0);
}

describe.skipIf(reason !== null)(`on a failing disk${reason === null ? "" : ` (${reason})`}`, () => {
  test("without a failure, the run succeeds", { tags: "soak" }, async () => {
    const service = await startTruthService();
    const words = ["token", "reset", "--yes", "--output-file", join(makeFolder(), "new.txt")];
    expect(
      await runBinary(words, { environment: service.environment, input: service.addToken() }),
    ).toMatchObject({
      code: 0,
      stderr: "",
    });
  });

  test.each(faults)(
    "%s with %s at some of %i calls loses no value, for one, two or twelve tokens (all combinations in a soak)",
    { tags: "soak" },
    async (call, how, most) => {
      const service = await startTruthService(() => ({ delayAnswerMs: 20 }));
      const wrong: string[] = [];
      let hits = 0;
      await Promise.all(
        runsOf(most).map(async ({ time, count }) => {
          const state = makeStateFolder();
          const environment = { ...service.environment, ...state.environment };
          const folder = makeFolder();
          const output = join(folder, "new.txt");
          const tokens = Array.from({ length: count }, () => service.addToken());
          // Only an existing file is replaced by a rename at the end.
          const more = call.startsWith("rename") ? ["--force"] : [];
          if (more.length > 0) writeFileSync(output, "old\n");
          const run = await runTraced(
            ["-o", join(folder, "trace"), "-e", `trace=${call}`, "-e", `inject=${call}:${how}:when=${time}`],
            ["token", "reset", "--yes", "--output-file", output, ...more],
            { environment, input: tokens.join("\n") },
          );
          const hasHit = readFileSync(join(folder, "trace"), "utf8").includes("INJECTED");
          if (hasHit) hits += 1;
          const complain = (problem: string): void =>
            void wrong.push(
              `call ${time} for ${count}${hasHit ? "" : " (not reached)"}: ${problem}; exit ${run.code}: ${run.stderr}`,
            );
          const written = existsSync(output) ? readFileSync(output, "utf8") : "";
          let kept = "";
          for (const id of state.ids()) {
            const shown = await runMain(["recover", "show", id], { environment, input: tokens.join("\n") });
            kept += shown.stdout;
          }
          for (const token of tokens) {
            const writes = service.writes.filter(({ subject }) => subject === token);
            if (writes.length > 1) complain("sent twice");
            const [write] = writes;
            const value = write?.value ?? "none";
            const isWhole = written.split("\n").some((line) => line.includes(value));
            if (write === undefined && run.code === 0) complain("exit 0, and nothing was done");
            if (write !== undefined && !isWhole && !kept.includes(value) && ![12, 13].includes(run.code ?? 0))
              complain("a value is lost without a word");
            if (write !== undefined && !isWhole && run.code === 0) complain("exit 0 without the value");
          }
          if (run.code === 2 && service.writes.some(({ subject }) => tokens.includes(subject)))
            complain("says that nothing was sent");
          if (run.code === 70) complain("a disk error is called a bug");
        }),
      );
      expect(wrong).toEqual([]);
      expect(hits).toBeGreaterThan(0);
    },
  );
});
