// The time limit of the real program: whichever peer is silent, the process exits after the limit, and leaves nothing
// open that would delay its exit. The silence lasts longer than a test may take, so the result does not depend on
// timing.
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createSocket } from "node:dgram";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { program, runBinary, runProgram, type Finished } from "../support/binary.ts";

const account = { GRANTCTL_USERNAME: "octo", GRANTCTL_PASSWORD: "hunter2" };
const words = ["grant", "list", "--timeout", "1"];

/** Accepts connections and never responds. */
async function startSilence(): Promise<number> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** The result of a run with a limit of one second. */
async function endOf(run: Promise<Finished>): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await run;
  return { code, stdout, saysSo: stderr.includes("within 1 s") };
}

const inTime = { code: 8, stdout: "", saysSo: true };

test("a server that never responds", async () => {
  const root = `http://127.0.0.1:${await startSilence()}`;
  expect(await endOf(runBinary(words, { environment: { ...account, GRANTCTL_BASE_URL: root } }))).toEqual(
    inTime,
  );
});

test("a server that accepts the connection but never starts TLS", async () => {
  const root = `https://127.0.0.1:${await startSilence()}`;
  expect(await endOf(runBinary(words, { environment: { ...account, GRANTCTL_BASE_URL: root } }))).toEqual(
    inTime,
  );
});

const mayUnshare = process.platform === "linux" && spawnSync("unshare", ["-m", "true"]).status === 0;

/** Shorter than the resolver's own time limit. */
const timeout = 120_000;

test.skipIf(!mayUnshare)(
  "a silent name server (skipped where no mount can be made)",
  { timeout },
  async () => {
    // All runs use the same port, so a concurrent test suite needs another IP address.
    const address = `127.${[...randomBytes(3)].map((byte) => 1 + (byte % 254)).join(".")}`;
    const silence = createSocket("udp4");
    await new Promise<void>((resolve) => {
      silence.bind(53, address, resolve);
    });
    const folder = mkdtempSync(join(tmpdir(), "grantctl-names-"));
    onTestFinished(() => {
      silence.close();
      rmSync(folder, { recursive: true, force: true });
    });
    const file = join(folder, "resolv.conf");
    // Without our limit, the wait would be two and a half minutes.
    writeFileSync(file, `nameserver ${address}\noptions timeout:30 attempts:5\n`);
    const script = `mount --bind ${file} /etc/resolv.conf && exec ${process.execPath} ${program} ${words.join(" ")}`;
    const environment = { ...account, GRANTCTL_BASE_URL: "https://service.test" };
    expect(await endOf(runProgram("unshare", ["-m", "sh", "-c", script], { environment }))).toEqual(inTime);
  },
);
