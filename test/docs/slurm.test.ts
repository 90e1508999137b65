// What the guide to large jobs says of Slurm: its job array, as it stands there, on a cluster of one node. One shard is put
// back into the queue while the service holds an answer; it goes on with its journal, and nothing is done twice.
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { isInShard } from "../../src/bulk/shard.ts";
import { program, runProgram } from "../support/binary.ts";
import { readBlocks } from "../support/document-blocks.ts";
import { startSlurmCluster } from "../support/slurm-cluster.ts";
import { startTruthService, truthCredentials } from "../support/truth-service.ts";

const page = "docs/guides/large-jobs.md";
const text = readFileSync(new URL(`../../${page}`, import.meta.url), "utf8");
const submission = readBlocks(page, text).find((block) => block.text.startsWith("sbatch"))?.text ?? "";
const [, script = ""] = /^cat > shard\.sh <<'END'\n(.*?)^END$/ms.exec(text) ?? [];

test("the job array does a list, and a shard that is put back into the queue goes on", async ({ skip }) => {
  const home = mkdtempSync(join(tmpdir(), "grantctl-slurm-"));
  // Asked for before the cluster is, and so carried out after it has stopped.
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const cluster = await startSlurmCluster(join(home, "cluster"));
  if (typeof cluster === "string") {
    skip(cluster);
    return;
  }
  const service = await startTruthService();
  const tokens = Array.from({ length: 48 }, () => service.addToken());
  const second = tokens.filter((token) => isInShard(token, { index: 2, count: 2 }));
  expect(second.length).toBeGreaterThan(16);
  const withheld = new Set<string>();
  const isWithheld = new Promise<void>((resolve) => {
    let isTakenUp = false;
    service.plan(({ operation, subject }) => {
      // Only the run that takes it up checks.
      if (operation === "check") isTakenUp = true;
      if (isTakenUp || operation !== "revoke" || second.indexOf(subject) < 2) return undefined;
      // It is revoked, and nobody hears of it.
      withheld.add(subject);
      resolve();
      return { delayAnswerMs: 600_000 };
    });
  });

  const work = join(home, "work");
  for (const folder of ["bin", "work", ".config/grantctl"])
    mkdirSync(join(home, folder), { recursive: true, mode: 0o700 });
  writeFileSync(join(home, "bin/grantctl"), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
  chmodSync(join(home, "bin/grantctl"), 0o755);
  writeFileSync(join(home, "secret"), truthCredentials.clientSecret, { mode: 0o600 });
  const profile = {
    base_url: service.root,
    client_id: truthCredentials.clientId,
    client_secret_command: ["cat", join(home, "secret")],
  };
  writeFileSync(
    join(home, ".config/grantctl/config.json"),
    JSON.stringify({ profiles: { default: profile } }),
    { mode: 0o600 },
  );
  writeFileSync(join(work, "shard.sh"), script);
  writeFileSync(join(work, "leaked.txt"), `${tokens.join("\n")}\n`, { mode: 0o600 });
  const environment = {
    PATH: `${join(home, "bin")}:${process.env["PATH"] ?? ""}`,
    HOME: home,
    ...cluster.environment,
    GRANTCTL_PASSWORD: truthCredentials.password,
  };
  const run = (line: string): ReturnType<typeof runProgram> =>
    runProgram("bash", ["-ec", line], { environment, folder: work });

  const submitted = await run(submission);
  expect([submitted.code, submitted.stderr]).toEqual([0, ""]);
  const [job] = /\d+/.exec(submitted.stdout) ?? [];
  await isWithheld;
  const linesOf = (shard: number): readonly string[] =>
    readFileSync(join(work, `revoked.${shard}.txt`), "utf8")
      .split("\n")
      .filter((line) => line !== "");
  // Slurm kills at once; what was answered before that is in the output when it does.
  while (linesOf(2).length < 2) await sleep(50);
  cluster.ask("scontrol", "requeue", `${job}_2`);
  for (;;) {
    const states = cluster.ask("squeue", "--noheader", "--format=%t");
    if (states === "") break;
    // Slurm would let it wait for some more seconds; it may have begun by itself meanwhile, and is left alone then.
    if (states === "PD") await run(`scontrol update JobId=${job}_2 StartTime=now`);
    await sleep(200);
  }

  const outcomes = [...linesOf(1), ...linesOf(2)].map((line) => line.split("\t"));
  const expected = tokens.map((token) => [withheld.has(token) ? "already-gone" : "revoked", token.slice(-8)]);
  expect(outcomes.toSorted(byEnding)).toEqual(expected.toSorted(byEnding));
  expect(service.writes.map(({ subject }) => subject).toSorted()).toEqual(tokens.toSorted());
  expect(service.requests.filter(({ operation }) => operation === "revoke")).toHaveLength(tokens.length);
  const all = await run("grantctl recover list --state-dir state/1 --state-dir state/2");
  expect([all.code, all.stderr]).toEqual([0, ""]);
  // What Slurm keeps of the job holds no secret.
  const kept = readdirSync(join(home, "cluster"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1"))
    .join("\n");
  expect(kept).toContain("shard.sh");
  for (const secret of [...tokens, truthCredentials.clientSecret, truthCredentials.password])
    expect(kept).not.toContain(secret);
});

function byEnding([, one = ""]: readonly string[], [, other = ""]: readonly string[]): number {
  return one.localeCompare(other);
}
