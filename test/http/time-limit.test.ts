// The time limit of the real program: whichever peer is silent, the process exits after the limit, and leaves nothing
// open that would delay its exit. The silence lasts longer than a test may take, so the result does not depend on
// timing.
import { createServer, type AddressInfo, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { runBinary, type Finished } from "../support/binary.ts";

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
