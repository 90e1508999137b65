// PEM files that cannot be used are noticed before anything is sent, and their text is never repeated.
import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startRecordingServer } from "../support/recording-server.ts";
import { runMain } from "../support/test-host.ts";

const folder = mkdtempSync(join(tmpdir(), "grantctl-tls-"));
const write = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const pem = write("good.pem", "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n");
const text = write("notes.txt", "hush-hush");
const empty = write("empty.pem", "");
const locked = write("locked.pem", "-----BEGIN CERTIFICATE-----");
chmodSync(locked, 0o000);

test.each([
  [["--ca-cert", join(folder, "nosuch.pem")], /--ca-cert: cannot read .*nosuch\.pem.*ENOENT/],
  [["--ca-cert", folder], /--ca-cert: cannot read .*EISDIR/],
  [["--ca-cert", ""], /--ca-cert/],
  [["--ca-cert", text], /--ca-cert: .*notes\.txt holds no PEM/],
  [["--ca-cert", empty], /--ca-cert: .*empty\.pem holds no PEM/],
  [["--client-cert", pem], /belong together/],
  [["--client-key", pem], /belong together/],
  [["--client-cert", pem, "--client-key", text], /--client-key: .*notes\.txt/],
  [["--client-cert", text, "--client-key", pem], /--client-cert: .*notes\.txt/],
])("%j is 2 with nothing sent", async (flags, message) => {
  const server = await startRecordingServer();
  const run = await runMain(["grant", "list", ...flags], { environment: server.environment });
  expect([run.code, run.stdout, server.lines()]).toEqual([2, "", []]);
  expect(run.stderr).toMatch(message);
  expect(run.stderr).not.toContain("hush");
});

test("a file that looks like PEM and is none is a usage failure, not a bug of ours", async () => {
  const server = await startRecordingServer();
  const run = await runMain(["grant", "list", "--ca-cert", pem, "--base-url", "https://127.0.0.1:9"], {
    environment: server.environment,
  });
  expect(run.code).toBe(2);
});
