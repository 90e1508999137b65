// A fingerprint for this user on this machine: always the same here, different elsewhere, and a hash, so that it does
// not show what it was made from. It needs no file of its own, and so survives a lost home folder.
import { createHash } from "node:crypto";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { readPlainFile } from "../../files/bounded-reads.ts";
import type { Host } from "../../host/host.ts";
import { windowsSystemProgram } from "../../programs/find-program.ts";

const lookUpTimeoutMs = 5000;

/** 64 hexadecimal digits, from the operating system's machine id (else the host name) and the user's name. */
export async function machineFingerprint({
  platform,
  machine,
  childEnvironment,
}: Pick<Host, "platform" | "machine" | "childEnvironment">): Promise<string> {
  const id = (await machineId(platform, childEnvironment)) ?? `hostname ${machine.hostname}`;
  return createHash("sha256").update(`grantctl\0${id}\0${machine.username}`).digest("hex");
}

async function machineId(
  platform: NodeJS.Platform,
  childEnvironment: Readonly<Record<string, string>>,
): Promise<string | null> {
  if (platform === "darwin")
    return printed(
      "/usr/sbin/ioreg",
      ["-rd1", "-c", "IOPlatformExpertDevice"],
      /"IOPlatformUUID" = "([^"]+)"/,
    );
  if (platform === "win32") {
    const key = "HKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Cryptography";
    return printed(
      windowsSystemProgram("reg.exe", childEnvironment),
      ["query", key, "/v", "MachineGuid"],
      /MachineGuid\s+REG_SZ\s+(\S+)/,
    );
  }
  for (const path of ["/etc/machine-id", "/var/lib/dbus/machine-id"]) {
    const text = (await readPlainFile(path).catch(() => "")).toString();
    if (/^[0-9a-f]{32}$/.test(text.trim())) return text.trim();
  }
  return null;
}

async function printed(program: string, words: readonly string[], pattern: RegExp): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)(program, words, {
      timeout: lookUpTimeoutMs,
      windowsHide: true,
    });
    return pattern.exec(stdout)?.[1] ?? null;
  } catch {
    return null;
  }
}
