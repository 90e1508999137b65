// Simulated ssh hosts on this machine: each has its own network, processes, host name and boot ID, and an sshd on port
// 22 of its loopback. The machine's own sshd, keys and configuration are neither read nor changed.
import { execFileSync, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";

export interface SshHosts {
  /** The command to use instead of `ssh`, with options. */
  readonly ssh: string;
  /** Finds the host that runs a program with these words in its command line. */
  whereRuns(words: string): string;
  /** Kills everything on a host immediately, including its sshd. */
  kill(name: string): Promise<void>;
}

export interface SshHostsOptions {
  readonly names: readonly string[];
  /** A folder for keys and configuration. */
  readonly folder: string;
  /** The environment of programs on the hosts. */
  readonly environment: Readonly<Record<string, string>>;
  /** A port on this machine's loopback that is forwarded to the hosts. */
  readonly port: string;
}

const sshd = "/usr/sbin/sshd";
const programs = [sshd, "ssh", "ssh-keygen", "ip", "unshare", "nsenter", "mount"];

/** Starts the hosts; they are stopped after the test. Returns the reason, a string, if they cannot run here. */
export async function startSshHosts(options: SshHostsOptions): Promise<SshHosts | string> {
  const missing = programs.filter((name) => spawnSync("which", [name]).status !== 0);
  if (missing.length > 0) return `there is no ${missing.join(", ")} here`;
  if (process.getuid?.() !== 0) return "only root can make hosts here";
  const { status, stderr } = spawnSync("unshare", [...namespaces, "true"], { encoding: "utf8" });
  if (status !== 0) return `there can be no hosts here: ${stderr.trim()}`;

  const { folder, names, port } = options;
  mkdirSync(folder, { mode: 0o700 });
  const at = (name: string): string => join(folder, name);
  // One key for the hosts and their clients.
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", at("key")]);
  writeFileSync(at("sshd_config"), serverConfiguration(folder, options.environment));
  const hosts = new Map<string, ChildProcess>();
  const kill = async (name: string): Promise<void> => {
    const host = hosts.get(name);
    if (host === undefined || host.exitCode !== null || host.signalCode !== null) return;
    host.kill("SIGKILL");
    await once(host, "exit");
  };
  onTestFinished(async () => {
    for (const name of names) await kill(name);
  });
  for (const name of names) {
    writeFileSync(at(`${name}.boot`), `${randomUUID()}\n`);
    const host = spawn("unshare", [...namespaces, "sh", "-ec", startOf(name, folder)], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    hosts.set(name, host);
    const problem = await untilItListens(host);
    if (problem !== null) return `sshd does not start here: ${problem}`;
  }
  writeFileSync(at("ssh_config"), clientConfiguration(folder, hosts));
  for (const name of names) {
    const tunnel = [
      "-f",
      "-N",
      "-o",
      "ExitOnForwardFailure=yes",
      "-R",
      `127.0.0.1:${port}:127.0.0.1:${port}`,
    ];
    execFileSync("ssh", ["-F", at("ssh_config"), ...tunnel, name], { stdio: "ignore" });
  }
  const whereRuns = (words: string): string => {
    const networks = networksWith(words);
    const found = names.find((name) => networks.has(networkOf(hosts.get(name)?.pid)));
    if (found === undefined) throw new Error(`no host runs ${words}`);
    return found;
  };
  return { ssh: `ssh -F ${at("ssh_config")}`, whereRuns, kill };
}

/** The namespaces of a host. When its first process ends, all others are killed. */
const namespaces = ["--net", "--uts", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child=KILL"];

/** The network namespaces of all processes with these words in their command line. */
function networksWith(words: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      if (line.includes(words)) found.add(networkOf(pid));
    } catch {
      // The process has exited in the meantime.
    }
  }
  return found;
}

function networkOf(pid: number | string | undefined): string {
  return readlinkSync(`/proc/${pid}/ns/net`);
}

/** The shell script that sets up a host in new namespaces. */
function startOf(name: string, folder: string): string {
  return `hostname ${name}
ip link set lo up
mount -t tmpfs tmpfs /run
mkdir /run/sshd
mount --bind '${folder}/${name}.boot' /proc/sys/kernel/random/boot_id
exec ${sshd} -D -e -f '${folder}/sshd_config'`;
}

/** Resolves with null when sshd listens, or with its output if it exits before. */
function untilItListens(host: ChildProcess): Promise<string | null> {
  return new Promise((resolve) => {
    let said = "";
    host.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      if (/Server listening/.test(said)) resolve(null);
    });
    host.on("close", () => resolve(said.trim()));
  });
}

function serverConfiguration(folder: string, environment: Readonly<Record<string, string>>): string {
  const variables = Object.entries(environment).map(([name, value]) => `"${name}=${value}"`);
  return `ListenAddress 127.0.0.1:22
HostKey ${folder}/key
AuthorizedKeysFile ${folder}/key.pub
PermitRootLogin prohibit-password
StrictModes no
UsePAM no
PidFile none
SetEnv ${variables.join(" ")}
`;
}

/** A program that enters the host's network namespace, because no address reaches it from outside. */
function clientConfiguration(folder: string, hosts: ReadonlyMap<string, ChildProcess>): string {
  const join22 = "exec 3<>/dev/tcp/127.0.0.1/22; { cat <&3; kill $$; } & exec cat >&3";
  const entries = [...hosts].map(
    ([name, { pid }]) =>
      `Host ${name}\n  ProxyCommand nsenter --net=/proc/${pid}/ns/net bash -c '${join22}'\n`,
  );
  return `${entries.join("")}Host *
  User root
  IdentityFile ${folder}/key
  IdentitiesOnly yes
  UserKnownHostsFile ${folder}/known
  StrictHostKeyChecking no
  LogLevel ERROR
`;
}
