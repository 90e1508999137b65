// Kills a bulk reset at every fifth system call that writes to disk (at each in a soak) and resumes it. The kills are
// deterministic: at every call, no value is lost silently and none is delivered twice.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runBinary, type Finished } from "../support/binary.ts";
import { unfinishedJob } from "../support/killed-program.ts";
import { inFull } from "../support/soak.ts";
import { makeFolder, makeStateFolder } from "../support/state-folder.ts";
import { runMain } from "../support/test-host.ts";
import { runTraced, whyNoTracing } from "../support/tracing.ts";
import { startTruthService, type TruthService } from "../support/truth-service.ts";

const reason = whyNoTracing();

interface Ended {
  /** True if the run made that many calls. */
  readonly wasKilled: boolean;
  readonly problems: readonly string[];
}

/** Kills a job at the nth occurrence of this call, and resumes it until it is done. */
async function killAt(service: TruthService, call: string, time: number): Promise<Ended> {
  const state = makeStateFolder();
  const folder = makeFolder();
  const output = join(folder, "new.txt");
  const environment = { ...service.environment, ...state.environment };
  const tokens = Array.from({ length: 4 }, () => service.addToken());
  const input = tokens.join("\n");
  const words = ["token", "reset", "--yes", "--concurrency", "2", "--output-file", output];
  const first = await runTraced(
    ["-o", "/dev/null", "-e", `trace=${call}`, "-e", `inject=${call}:signal=KILL:when=${time}`],
    words,
    { environment, input },
  );
  const wasKilled = first.signal !== null || first.code === 137;
  const problems: string[] = [];
  const complain = (problem: string): void => void problems.push(`${call} ${time}: ${problem}`);
  if (!wasKilled && first.code !== 0) complain(`exit ${first.code}: ${first.stderr}`);

  const ofThisJob = () => service.writes.filter(({ subject }) => tokens.includes(subject));
  const later = (typed: readonly string[]) => runMain(typed, { environment, input });
  let last: Pick<Finished, "code" | "stdout" | "stderr"> = first;
  const journal = wasKilled ? await unfinishedJob(environment) : null;
  if (wasKilled && journal === null && ofThisJob().length < tokens.length) {
    if (ofThisJob().length > 0) complain("something was sent, and no journal tells of it");
    rmSync(output, { force: true });
    last = await later(words);
  } else if (journal !== null) {
    last = await later([...words, "--resume", journal]);
  }

  const text = existsSync(output) ? readFileSync(output, "utf8") : "";
  if (text !== "" && !text.endsWith("\n")) complain("a torn last line");
  for (const token of tokens) {
    const writes = ofThisJob().filter(({ subject }) => subject === token);
    const sent = service.requests.filter((each) => each.operation === "reset" && each.subject === token);
    if (writes.length !== 1) complain(`${writes.length} writes of one token: ${last.stderr}`);
    const value = writes[0]?.value ?? "none";
    const times = text.split(`"token":"${value}"`).length - 1;
    if (times > 1) complain(`a value stands ${times} times in the output file`);
    // The last token of a list has no other to vouch for it: its record stays, and says so.
    const isLost = last.code === 9 && new RegExp(`(?:lost|unproven)\\t${token.slice(-8)}`).test(last.stdout);
    if (times === 0 && !isLost) complain(`a value is lost: exit ${last.code}, ${last.stdout} ${last.stderr}`);
    if (
      sent.length > 2 ||
      (sent.length === 2 && !isLost && sent[0]?.at !== undefined && writes[0]?.at === sent[0].at)
    )
      complain("a finished item was sent again");
  }
  if (last.code === 0 && journal !== null && state.journals().length > 0)
    complain("done, and a journal is left");
  return { wasKilled, problems };
}

describe.skipIf(reason !== null)(`killed at a system call${reason === null ? "" : ` (${reason})`}`, () => {
  test("without a kill, the run succeeds", { tags: "soak" }, async () => {
    const service = await startTruthService();
    const output = join(makeFolder(), "new.txt");
    const words = ["token", "reset", "--yes", "--concurrency", "2", "--output-file", output];
    const input = [service.addToken(), service.addToken()].join("\n");
    expect(await runBinary(words, { environment: service.environment, input })).toMatchObject({ code: 0 });
  });

  test.each(["pwrite64", "fdatasync", "fsync"])(
    "every fifth %s of a job (each in a soak) loses and repeats no value",
    { tags: "soak" },
    async (call) => {
      const service = await startTruthService(() => ({ delayAnswerMs: 5 }));
      const problems: string[] = [];
      let kills = 0;
      const step = inFull(5, 1);
      for (let time = 1, isBeyond = false; !isBeyond; time += 4 * step) {
        const ended = await Promise.all(
          [0, 1, 2, 3].map((offset) => killAt(service, call, time + offset * step)),
        );
        kills += ended.filter(({ wasKilled }) => wasKilled).length;
        problems.push(...ended.flatMap((each) => each.problems));
        isBeyond = ended.some(({ wasKilled }) => !wasKilled);
      }
      process.stdout.write(`killed at each ${call}: ${kills} kills\n`);
      expect(problems).toEqual([]);
      expect(kills).toBeGreaterThanOrEqual(inFull(2, 4));
    },
  );
});
