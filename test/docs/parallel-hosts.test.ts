// The guide to large jobs with GNU parallel and several hosts: runs its command unchanged by ssh on two hosts with
// a shared folder. One host is killed while the server delays its responses; the other host resumes its shard.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lineOfGuide, makeShardedJob } from "../support/sharded-job.ts";
import { startSshHosts } from "../support/ssh-hosts.ts";

test("resumes the shard of a killed host on the other host", async ({ skip }) => {
  if (spawnSync("which", ["parallel"]).status !== 0) {
    skip("there is no parallel here");
    return;
  }
  const job = await makeShardedJob();
  const hosts = await startSshHosts({
    names: ["one", "two"],
    folder: join(job.home, "ssh"),
    environment: job.environment,
    port: job.port,
  });
  if (typeof hosts === "string") {
    skip(hosts);
    return;
  }
  const running = job.run(lineOfGuide("seq 2 | parallel --retries 3 --jobs 1 --sshlogin"), {
    PARALLEL_SSH: hosts.ssh,
  });
  await job.isInTheMiddle();
  // parallel gives a shard to the host that is ready first.
  await hosts.kill(hosts.whereRuns("--shard 2/2"));
  expect(await running).toMatchObject({ code: 0 });
  await job.expectDone();
});
