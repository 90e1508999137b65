// Secrets are removed from the environment before anything else runs, so that no program that grantctl starts inherits one.
import { expect } from "vitest";
import { runBinary } from "../support/binary.ts";
import { test } from "../support/grantctl.ts";
import { json, on } from "../support/serve.ts";

const names = ["GRANTCTL_PASSWORD", "GRANTCTL_CLIENT_SECRET", "GRANTCTL_TOKEN"];
const secrets = Object.fromEntries(names.map((name) => [name, `canary-${name}`]));

test("sandbox run passes the sandbox's own secrets to its command, and none of the caller's", async () => {
  const script = "process.stdout.write(JSON.stringify(process.env))";
  const words = ["sandbox", "run", "--", process.execPath, "-e", script];
  const environment = {
    ...secrets,
    GRANTCTL_OTP: "canary-otp",
    GRANTCTL_OTP_COMMAND: "canary-command",
    GRANTCTL_PROFILE: "canary-profile",
    GRANTCTL_BASE_URL: "https://canary.test",
    GRANTCTL_USERNAME: "canary-user",
    GRANTCTL_HEADER_WORD: "Canary",
    KEPT: "yes",
  };
  const run = await runBinary(words, { environment });
  expect([run.code, /canary/i.test(run.stdout)]).toEqual([0, false]);
  const seen = JSON.parse(run.stdout) as Record<string, string>;
  expect(seen).toMatchObject({
    KEPT: "yes",
    GRANTCTL_USERNAME: "octavia",
    GRANTCTL_BASE_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as string,
    GRANTCTL_PASSWORD: expect.stringMatching(/^.{16,}$/) as string,
    GRANTCTL_CLIENT_SECRET: expect.stringMatching(/^.{40}$/) as string,
  });
});

test("a one-time password command inherits no password, secret or token", async ({ serve, grantctl }) => {
  const demand = json(401, {}, { "X-Service-OTP": "required; app" });
  const server = await serve(on("GET /authorizations", demand, json(200, [])));
  const script = 'process.stdout.write(/canar[y]-/.test(JSON.stringify(process.env)) ? "leaked" : "123456")';
  const environment = { ...secrets, GRANTCTL_OTP_COMMAND: `${process.execPath} -e '${script}'` };
  expect(await grantctl("authorization list", { as: "process", environment })).toMatchObject({
    code: 0,
    stderr: "",
  });
  expect(server.requests.at(-1)?.headers["x-service-otp"]).toBe("123456");
});
