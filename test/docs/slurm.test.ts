// The guide to large jobs with Slurm: runs its job array unchanged on a cluster of one node. One shard is
// requeued while the server delays a response; it continues from its journal, and nothing is done twice.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { lineOfGuide, makeShardedJob } from "../support/sharded-job.ts";
import { startSlurmCluster } from "../support/slurm-cluster.ts";
import { credentials } from "../support/recording-server.ts";

test("the job array processes a list, and a requeued shard continues", async ({ skip }) => {
  const job = await makeShardedJob();
  const cluster = await startSlurmCluster(join(job.home, "cluster"));
  if (typeof cluster === "string") {
    skip(cluster);
    return;
  }
  const environment = { ...cluster.environment, GRANTCTL_PASSWORD: credentials.password };
  const submitted = await job.run(lineOfGuide("sbatch"), environment);
  expect([submitted.code, submitted.stderr]).toEqual([0, ""]);
  const [id] = /\d+/.exec(submitted.stdout) ?? [];
  // Slurm kills the process immediately on requeue.
  await job.isInTheMiddle();
  cluster.ask("scontrol", "requeue", `${id}_2`);
  for (;;) {
    const states = cluster.ask("squeue", "--noheader", "--format=%t");
    if (states === "") break;
    // Without this, Slurm delays the job by some seconds; a job that has already started is left alone.
    if (states === "PD") await job.run(`scontrol update JobId=${id}_2 StartTime=now`, environment);
    await sleep(200);
  }
  await job.expectDone();
  // Slurm's record of the job contains no secret.
  const kept = readdirSync(join(job.home, "cluster"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1"))
    .join("\n");
  expect(kept).toContain("shard.sh");
  for (const secret of job.secrets) expect(kept).not.toContain(secret);
});
