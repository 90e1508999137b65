// The fingerprint of this user on this machine. It is a hash, so it does not reveal what it was made from; and it needs no
// file of its own, so it survives a lost home directory.
import { createHash } from "node:crypto";
import type { Host } from "./host.ts";
import { runProgram, windowsSystemProgram } from "./programs.ts";
import { readPlainFile } from "./reads.ts";

type FingerprintHost = Pick<Host, "platform" | "machine" | "childEnvironment">;

/** SHA-256, in hexadecimal, of the operating system's machine ID (otherwise the host name) and the user name. */
export async function machineFingerprint(host: FingerprintHost): Promise<string> {
  const { machine } = host;
  const id = (await machineId(host)) ?? `hostname ${machine.hostname}`;
  return createHash("sha256").update(`grantctl\0${id}\0${machine.username}`).digest("hex");
}

async function machineId({ platform, childEnvironment }: FingerprintHost): Promise<string | null> {
  const printed = async (words: readonly [string, ...string[]], pattern: RegExp): Promise<string | null> => {
    const options = {
      environment: childEnvironment,
      timeoutMs: 5000,
      input: "ignore",
      errors: "ignore",
    } as const;
    return pattern.exec((await runProgram(words, options)).output)?.[1] ?? null;
  };
  if (platform === "darwin")
    return printed(
      ["/usr/sbin/ioreg", "-rd1", "-c", "IOPlatformExpertDevice"],
      /"IOPlatformUUID" = "([^"]+)"/,
    );
  if (platform === "win32") {
    const key = "HKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Cryptography";
    const program = windowsSystemProgram("reg.exe", childEnvironment);
    return printed([program, "query", key, "/v", "MachineGuid"], /MachineGuid\s+REG_SZ\s+(\S+)/);
  }
  for (const path of ["/etc/machine-id", "/var/lib/dbus/machine-id"]) {
    const text = (await readPlainFile(path).catch(() => "")).toString();
    if (/^[0-9a-f]{32}$/.test(text.trim())) return text.trim();
  }
  return null;
}
