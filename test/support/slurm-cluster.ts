// A Slurm cluster with one node, in a temporary folder: the controller and the node's daemon run in the foreground, on
// free ports. The system's own Slurm is neither read nor changed.
import { execFileSync, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";

export interface SlurmCluster {
  /** The variables with which Slurm's commands find the cluster. */
  readonly environment: Readonly<Record<string, string>>;
  /** Runs a Slurm command and returns its output. */
  ask(command: string, ...words: readonly string[]): string;
}

const programs = ["slurmctld", "slurmd", "sbatch", "scontrol", "squeue", "sinfo", "scancel"];

/** Starts a cluster; it is stopped after the test. Returns the reason, a string, if Slurm cannot run here. */
export async function startSlurmCluster(folder: string): Promise<SlurmCluster | string> {
  const missing = programs.filter((name) => spawnSync("which", [name]).status !== 0);
  if (missing.length > 0) return `there is no ${missing.join(", ")} here`;
  for (const name of ["state", "spool"]) mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
  const configuration = join(folder, "slurm.conf");
  writeFileSync(configuration, configurationOf(folder, await freePort(), await freePort()));
  const environment = { SLURM_CONF: configuration };
  const ask = (command: string, ...words: readonly string[]): string =>
    execFileSync(command, words, {
      env: { ...process.env, ...environment },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  const services: ChildProcess[] = [];
  const stop = async (): Promise<void> => {
    // Running jobs would outlive the daemons.
    spawnSync("scancel", ["--me", "--signal=KILL", "--full"], { env: { ...process.env, ...environment } });
    for (const service of services) {
      if (hasEnded(service)) continue;
      service.kill();
      await once(service, "exit");
    }
  };
  onTestFinished(stop);
  for (const name of ["slurmctld", "slurmd"])
    services.push(spawn(name, ["-D", "-c"], { env: { ...process.env, ...environment }, stdio: "ignore" }));
  while (!isIdle(ask)) {
    if (services.some(hasEnded)) return `Slurm does not start here: ${lastWords(folder)}`;
    await sleep(50);
  }
  return { environment, ask };
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

function isIdle(ask: SlurmCluster["ask"]): boolean {
  try {
    return ask("sinfo", "--noheader", "--format=%t") === "idle";
  } catch {
    return false;
  }
}

function lastWords(folder: string): string {
  const logs = ["controller.log", "node.log"].map((name) => {
    try {
      return readFileSync(join(folder, name), "utf8").trim().split("\n").at(-1) ?? "";
    } catch {
      return "";
    }
  });
  return logs.join(" / ");
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Without authentication: both daemons and all commands run as this user. A requeued job can start after 6 seconds. */
function configurationOf(folder: string, controllerPort: number, nodePort: number): string {
  const [host = ""] = hostname().split(".");
  const { username } = userInfo();
  return `ClusterName=grantctl
SlurmctldHost=${host}(127.0.0.1)
SlurmctldPort=${controllerPort}
SlurmdPort=${nodePort}
SlurmUser=${username}
SlurmdUser=${username}
AuthType=auth/none
CredType=cred/none
AuthInfo=cred_expire=5
StateSaveLocation=${folder}/state
SlurmdSpoolDir=${folder}/spool
SlurmctldPidFile=${folder}/controller.pid
SlurmdPidFile=${folder}/node.pid
SlurmctldLogFile=${folder}/controller.log
SlurmdLogFile=${folder}/node.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=1
SlurmdParameters=config_overrides
KillWait=1
NodeName=one NodeHostname=${host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=main Nodes=one Default=YES State=UP
`;
}
