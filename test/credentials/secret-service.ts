// A real Secret Service for one test: a D-Bus session with gnome-keyring, in a temporary home folder, and `secret-tool`
// to inspect it from outside.
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { createRequire } from "node:module";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The reason to skip tests with a Secret Service, or null. */
export const noSecretServiceReason: string | null = whyNoSecretService();

function whyNoSecretService(): string | null {
  for (const program of ["dbus-daemon", "dbus-send", "gnome-keyring-daemon", "secret-tool"]) {
    if (spawnSync(program, ["--version"]).error !== undefined) return `${program} is not installed`;
  }
  try {
    createRequire(import.meta.url)("keytar");
    return null;
  } catch {
    return "keytar cannot be loaded: libsecret-1-0 is not installed";
  }
}

export interface SecretService {
  /** The variables with which a program finds the service. */
  readonly environment: Readonly<Record<string, string>>;
  /** The keyring's process; null if the session has none. */
  readonly keyring: ChildProcess | null;
  /** The secret that `secret-tool` finds, or null. */
  lookup(service: string, account: string): Buffer | null;
  /** Deletes entries with `secret-tool`. */
  clear(service: string, account: string): void;
  /** Every entry's attributes and label, without secrets. */
  search(service: string): string;
  lock(): void;
  close(): Promise<void>;
}

/** A bus that starts no services, so that no window opens. */
const busConfiguration = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:tmpdir=/tmp</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`;

/** Starts a session with an unlocked keyring, with one that was never unlocked, or without a keyring. */
export async function startSecretService(kind: "unlocked" | "fresh" | "none"): Promise<SecretService> {
  const folder = mkdtempSync(join(tmpdir(), "grantctl-keyring-"));
  const configuration = join(folder, "bus.conf");
  writeFileSync(configuration, busConfiguration.replace("/tmp", folder));
  // The tool reads its arguments in the locale's encoding.
  const base = { LC_ALL: "C.UTF-8", PATH: process.env["PATH"] ?? "", HOME: folder, XDG_RUNTIME_DIR: folder };
  const bus = spawn("dbus-daemon", [`--config-file=${configuration}`, "--nofork", "--print-address=1"], {
    env: base,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const address = await new Promise<string>((resolve, reject) => {
    bus.stdout.once("data", (chunk: Buffer): void => resolve(chunk.toString().trim()));
    bus.once("exit", (code) => {
      reject(new Error(`dbus-daemon ended with ${String(code)}`));
    });
  });
  const environment = { ...base, DBUS_SESSION_BUS_ADDRESS: address };
  const tool = (...words: string[]): ReturnType<typeof spawnSync> =>
    spawnSync("secret-tool", words, { env: environment, timeout: 60_000 });
  const send = (...words: string[]): ReturnType<typeof spawnSync> =>
    spawnSync("dbus-send", ["--session", "--print-reply", ...words], { env: environment, timeout: 60_000 });

  let keyring: ChildProcess | null = null;
  if (kind !== "none") {
    const flag = kind === "unlocked" ? ["--unlock"] : [];
    keyring = spawn("gnome-keyring-daemon", ["--foreground", "--components=secrets", ...flag], {
      env: environment,
      stdio: ["pipe", "ignore", "ignore"],
    });
    keyring.stdin?.end("throw-away");
    const hasOwner = [
      "--dest=org.freedesktop.DBus",
      "/",
      "org.freedesktop.DBus.NameHasOwner",
      "string:org.freedesktop.secrets",
    ];
    while (!String(send(...hasOwner).stdout).includes("true")) {
      if (keyring.exitCode !== null) throw new Error("gnome-keyring-daemon ended");
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  return {
    environment: { DBUS_SESSION_BUS_ADDRESS: address, HOME: folder, XDG_RUNTIME_DIR: folder },
    keyring,
    lookup(service, account) {
      const { status, stdout } = tool("lookup", "service", service, "account", account);
      return status === 0 ? Buffer.from(stdout) : null;
    },
    clear(service, account) {
      tool("clear", "service", service, "account", account);
    },
    search(service) {
      const { stdout, stderr } = tool("search", "--all", "service", service);
      return `${String(stdout)}${String(stderr)}`.replaceAll(/^secret = .*$/gm, "");
    },
    lock() {
      const { status } = send(
        "--dest=org.freedesktop.secrets",
        "/org/freedesktop/secrets",
        "org.freedesktop.Secret.Service.Lock",
        "array:objpath:/org/freedesktop/secrets/collection/login",
      );
      if (status !== 0) throw new Error("it could not be locked");
    },
    async close() {
      keyring?.kill("SIGKILL");
      bus.kill("SIGKILL");
      await Promise.all([ended(keyring), ended(bus)]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function ended(child: ChildProcess | null): Promise<void> {
  return new Promise((resolve) => {
    if (child === null || child.exitCode !== null || child.signalCode !== null) resolve();
    else {
      child.once("exit", (): void => resolve());
    }
  });
}
