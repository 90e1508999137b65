// The job in the guide to large jobs: 48 leaked tokens in two shards, each run by the guide's script in a folder that
// all hosts share. The service stops responding in the middle of the second shard, so that the test can kill its run
// there, however busy the machine is.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished } from "vitest";
import { isInShard } from "../../src/jobs/shard.ts";
import { installProgram, runProgram, type Finished } from "./binary.ts";
import { readBlocks } from "./document-blocks.ts";
import { credentials } from "./recording-server.ts";
import { startTruthService } from "./truth-service.ts";

const page = "docs/guides/large-jobs.md";
const text = readFileSync(new URL(`../../${page}`, import.meta.url), "utf8");
const [, script = ""] = /^cat > shard\.sh <<'END'\n(.*?)^END$/ms.exec(text) ?? [];

/** Finds the guide's block that begins with these words. */
export function lineOfGuide(words: string): string {
  const found = readBlocks(page, text).find((block) => block.text.startsWith(words));
  if (found === undefined) throw new Error(`the guide has nothing that begins with ${words}`);
  return found.text;
}

export interface ShardedJob {
  /** A folder that is deleted after the test. */
  readonly home: string;
  /** The shared folder, with the script and the list. */
  readonly work: string;
  /** The port of the service, which listens only on loopback. */
  readonly port: string;
  /** Values that must not appear anywhere else. */
  readonly secrets: readonly string[];
  /** The variables with which hosts find `grantctl` and its profile. */
  readonly environment: Readonly<Record<string, string>>;
  /** Runs a line of bash in the shared folder. */
  run(line: string, environment?: Readonly<Record<string, string>>): Promise<Finished>;
  /** Resolves when responses to the second shard are withheld, and the lines of earlier ones are written. */
  isInTheMiddle(): Promise<void>;
  /** Expects that each token was revoked once and has a line, and that both shards report that they are done. */
  expectDone(): Promise<void>;
}

/** Creates the job and its service. */
export async function makeShardedJob(): Promise<ShardedJob> {
  const home = mkdtempSync(join(tmpdir(), "grantctl-shards-"));
  // Registered first, and so called last, after everything below has stopped.
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  const service = await startTruthService();
  const tokens = Array.from({ length: 48 }, () => service.addToken());
  const second = tokens.filter((token) => isInShard(token, { index: 2, count: 2 }));
  expect(second.length).toBeGreaterThan(16);
  const withheld = new Set<string>();
  const isWithheld = new Promise<void>((resolve) => {
    let isTakenUp = false;
    service.plan(({ operation, subject }) => {
      // Only the run that resumes the job checks tokens.
      if (operation === "check") isTakenUp = true;
      if (isTakenUp || operation !== "revoke" || second.indexOf(subject) < 2) return undefined;
      // The token is revoked, but the response is withheld.
      withheld.add(subject);
      resolve();
      return { delayAnswerMs: 600_000 };
    });
  });

  const work = join(home, "work");
  for (const folder of ["bin", "work", ".config/grantctl"])
    mkdirSync(join(home, folder), { recursive: true, mode: 0o700 });
  installProgram(join(home, "bin"));
  writeFileSync(join(home, "secret"), credentials.clientSecret, { mode: 0o600 });
  const profile = {
    base_url: service.root,
    client_id: credentials.clientId,
    client_secret_command: ["cat", join(home, "secret")],
  };
  writeFileSync(
    join(home, ".config/grantctl/config.json"),
    JSON.stringify({ profiles: { default: profile } }),
    { mode: 0o600 },
  );
  writeFileSync(join(work, "shard.sh"), script);
  writeFileSync(join(work, "leaked.txt"), `${tokens.join("\n")}\n`, { mode: 0o600 });
  const own = { PATH: `${join(home, "bin")}:${process.env["PATH"] ?? ""}`, HOME: home };
  const run: ShardedJob["run"] = (line, environment = {}) =>
    runProgram("bash", ["-ec", line], { environment: { ...own, ...environment }, folder: work });
  const linesOf = (shard: number): readonly string[] =>
    readFileSync(join(work, `revoked.${shard}.txt`), "utf8")
      .split("\n")
      .filter((line) => line !== "");
  return {
    home,
    work,
    port: new URL(service.root).port,
    secrets: [...tokens, credentials.clientSecret, credentials.password],
    environment: own,
    run,
    async isInTheMiddle() {
      await isWithheld;
      while (linesOf(2).length < 2) await sleep(50);
    },
    async expectDone() {
      const outcomes = [...linesOf(1), ...linesOf(2)].map((line) => line.split("\t"));
      const expected = tokens.map((token) => [
        withheld.has(token) ? "already-gone" : "revoked",
        token.slice(-8),
      ]);
      expect(outcomes.toSorted(byEnding)).toEqual(expected.toSorted(byEnding));
      expect(service.writes.map(({ subject }) => subject).toSorted()).toEqual(tokens.toSorted());
      expect(service.requests.filter(({ operation }) => operation === "revoke")).toHaveLength(tokens.length);
      const all = await run("grantctl recover list --state-dir state/1 --state-dir state/2");
      expect([all.code, all.stderr]).toEqual([0, ""]);
    },
  };
}

function byEnding([, one = ""]: readonly string[], [, other = ""]: readonly string[]): number {
  return one.localeCompare(other);
}
