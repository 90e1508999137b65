// Secrets are removed from the environment before anything else runs, so that no child process inherits one.
import { afterEach, beforeEach, expect, test } from "vitest";
import { createProcessHost } from "../../src/main.ts";
import { runBinary } from "../support/binary.ts";

const secrets = ["GRANTCTL_PASSWORD", "GRANTCTL_CLIENT_SECRET", "GRANTCTL_TOKEN", "GRANTCTL_OTP"];
const before = { ...process.env };

beforeEach(() => {
  for (const name of secrets) process.env[name] = `canary-${name}`;
  process.env["GRANTCTL_USERNAME"] = "";
});
afterEach(() => {
  for (const name of [...secrets, "GRANTCTL_USERNAME"]) {
    if (before[name] === undefined) delete process.env[name];
    else process.env[name] = before[name];
  }
});

test("moves secrets from the environment to the host, so that no child inherits them", () => {
  const host = createProcessHost();
  for (const name of secrets) {
    expect(host.environment[name]).toBe(`canary-${name}`);
    expect(host.childEnvironment).not.toHaveProperty(name);
    expect(process.env).not.toHaveProperty(name);
  }
  expect(host.childEnvironment["PATH"]).toBe(process.env["PATH"]);
});

test("an empty variable counts as unset", () => {
  expect(createProcessHost().environment).not.toHaveProperty("GRANTCTL_USERNAME");
});

const printEnvironment = "process.stdout.write(JSON.stringify(process.env))";
const environment = Object.fromEntries(secrets.map((name) => [name, `canary-${name}`]));

test("sandbox run passes the sandbox's own secrets to its command, and none of the caller's", async () => {
  const run = await runBinary(["sandbox", "run", "--", process.execPath, "-e", printEnvironment], {
    environment: {
      ...environment,
      GRANTCTL_OTP_COMMAND: "canary-otp-command",
      GRANTCTL_PROFILE: "canary-profile",
      GRANTCTL_BASE_URL: "https://canary.test",
      GRANTCTL_USERNAME: "canary-user",
      GRANTCTL_HEADER_WORD: "Acme",
      KEPT: "yes",
    },
  });
  expect(run.code).toBe(0);
  expect(run.stdout).not.toContain("canary");
  const seen = JSON.parse(run.stdout) as Record<string, string>;
  expect(seen).toMatchObject({ KEPT: "yes", GRANTCTL_USERNAME: "octavia" });
  expect(seen["GRANTCTL_HEADER_WORD"]).not.toBe("Acme");
  expect(seen["GRANTCTL_BASE_URL"]).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(seen["GRANTCTL_PASSWORD"]).toMatch(/^.{16,}$/);
  expect(seen["GRANTCTL_CLIENT_ID"]).toMatch(/^.{20}$/);
  expect(seen["GRANTCTL_CLIENT_SECRET"]).toMatch(/^.{40}$/);
  expect(seen).not.toHaveProperty("GRANTCTL_OTP");
});

test("a one-time password command does not inherit the password or the secret", async () => {
  const script = `const e=JSON.stringify(process.env); process.stdout.write(/canary-[abc]/.test(e) ? "leaked" : "123456")`;
  const server =
    "const h=require('http').createServer((q,s)=>{const o=q.headers['x-service-otp'];" +
    "if(o===undefined){s.writeHead(401,{'X-Service-OTP':'required; app'});s.end('{}')}" +
    "else{s.end(JSON.stringify([{id:1,note:o}]))}});" +
    "h.listen(0,'127.0.0.1',()=>console.log(h.address().port))";
  const { spawn } = await import("node:child_process");
  const child = spawn(process.execPath, ["-e", server], { stdio: ["ignore", "pipe", "inherit"] });
  const port = await new Promise<string>((resolve) => {
    child.stdout.once("data", (chunk: Buffer) => {
      resolve(chunk.toString().trim());
    });
  });
  const run = await runBinary(["authorization", "list", "--json", "note"], {
    environment: {
      GRANTCTL_OTP_COMMAND: `${process.execPath} -e '${script}'`,
      GRANTCTL_PASSWORD: "canary-a",
      GRANTCTL_CLIENT_SECRET: "canary-b",
      GRANTCTL_TOKEN: "canary-c",
      GRANTCTL_USERNAME: "octavia",
      GRANTCTL_BASE_URL: `http://127.0.0.1:${port}`,
    },
  });
  child.kill();
  expect(run).toEqual({ code: 0, signal: null, stdout: '[\n{"note":"123456"}\n]\n', stderr: "" });
});
