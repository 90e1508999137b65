// `grantctl token report`: its requests, data that is never sent, and the meaning of each response for tokens by the
// thousand.
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { openAccount } from "../../support/account.ts";
import { program } from "../../support/binary.ts";
import { createCertificateMaker, hasOpenssl } from "../../support/certificates.ts";
import { makeConfigurationFolder } from "../../support/configuration.ts";
import { jsonAnswer, startRawServer } from "../../support/raw-server.ts";
import { startRecordingServer, type Answer } from "../../support/recording-server.ts";
import { githubAlert, gitleaksFinding } from "../../support/reports.ts";
import { noTerminalReason, runOnTerminal } from "../../support/terminal.ts";
import { runMain } from "../../support/test-host.ts";

const accept: Answer = () => ({ status: 202, body: {} });
const github = { GRANTCTL_OPERATOR: "github" };

function tokens(count: number, start = "ghp_"): readonly string[] {
  return Array.from({ length: count }, (_, index) => start + String(index).padStart(36, "0"));
}

/** The number of tokens in each batch that arrived. */
function sizes(server: Awaited<ReturnType<typeof startRecordingServer>>): readonly number[] {
  return server.requests.map(
    (_, index) => (server.bodyOf(index) as { readonly credentials: readonly string[] }).credentials.length,
  );
}

async function report(answer: Answer, input: readonly string[], more: readonly string[] = ["--yes"]) {
  const server = await startRecordingServer(answer);
  const environment = { ...server.environment, ...github };
  const run = await runMain(["token", "report", ...more], { environment, input: input.join("\n") });
  for (const token of input.slice(0, 3)) expect(run.stdout + run.stderr).not.toContain(token);
  const statuses = run.stdout.split("\n").filter((line) => line !== "");
  const counts: Record<string, number> = {};
  for (const line of statuses) {
    const [status = ""] = line.split("\t");
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return { ...run, server, environment, counts };
}

test("sends the documented request and reports the token as accepted", async () => {
  const [only = ""] = tokens(1);
  const { code, stdout, stderr, server } = await report(accept, [only]);
  expect([code, stdout, stderr]).toEqual([0, `accepted\t${only.slice(-8)}\n`, ""]);
  expect(server.lines()).toEqual(["POST /credentials/revoke"]);
  expect(server.bodyOf(0)).toEqual({ credentials: [only] });
});

test("sends batches of a thousand sequentially", async () => {
  let inFlight = 0;
  let most = 0;
  const { code, counts, server } = await report(async () => {
    inFlight += 1;
    most = Math.max(most, inFlight);
    await new Promise((resolve) => setImmediate(resolve));
    inFlight -= 1;
    return { status: 202, body: {} };
  }, tokens(2500));
  expect([code, counts, most]).toEqual([0, { accepted: 2500 }, 1]);
  expect(sizes(server)).toEqual([1000, 1000, 500]);
});

test("never identifies the sender, with any configuration", async () => {
  const server = await startRawServer((socket) => socket.end(jsonAnswer(202, {}, ["Connection: close"])));
  onTestFinished(() => server.close());
  const otp = "314159";
  const secrets = { password: "pass-w0rd", clientSecret: "c1ient-secret", token: "gho_configured0token" };
  const configuration = makeConfigurationFolder({
    profiles: {
      default: {
        base_url: server.root,
        operator: "github",
        username: "octavia",
        client_id: "0123456789abcdef0123",
        otp_command: `echo ${otp}`,
        password_command: `echo ${secrets.password}`,
        client_secret_command: `echo ${secrets.clientSecret}`,
      },
    },
  });
  const run = await runMain(["token", "report", "--yes", "--otp", otp, "--username", "octavia"], {
    environment: {
      ...configuration.environment,
      GRANTCTL_PASSWORD: secrets.password,
      GRANTCTL_CLIENT_SECRET: secrets.clientSecret,
      GRANTCTL_TOKEN: secrets.token,
      GRANTCTL_OTP: otp,
    },
    input: tokens(1).join("\n"),
  });
  expect([run.code, server.received.length]).toEqual([0, 1]);
  const [head = ""] = (server.received[0] ?? "").split("\r\n\r\n");
  const [line, ...headers] = head.split("\r\n");
  expect(line).toBe("POST /credentials/revoke HTTP/1.1");
  // The complete list, so that new headers are reviewed here.
  expect(headers.map((header) => header.replace(/:.*/, "").toLowerCase()).toSorted()).toEqual([
    "accept",
    "accept-encoding",
    "connection",
    "content-length",
    "content-type",
    "host",
    "user-agent",
  ]);
  for (const secret of [...Object.values(secrets), otp, "octavia", "0123456789abcdef0123"])
    expect(head).not.toContain(secret);
});

test.skipIf(!hasOpenssl)("does not send the client certificate", async () => {
  const maker = createCertificateMaker();
  const own = maker.make("own", { names: "IP:127.0.0.1" });
  const ours = maker.make("ours", { commonName: "octavia" });
  const shown: boolean[] = [];
  const options = { key: own.key, cert: own.cert, requestCert: true, rejectUnauthorized: false };
  const server = createServer(options, (message, response) => {
    shown.push(Object.keys((message.socket as TLSSocket).getPeerCertificate()).length > 0);
    message.resume();
    response.writeHead(message.method === "GET" ? 401 : 202).end("{}");
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    maker.remove();
  });
  const base = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const flags = ["--ca-cert", own.file];
  const certificate = { GRANTCTL_CLIENT_CERT: ours.file, GRANTCTL_CLIENT_KEY: ours.keyFile };
  const environment = { GRANTCTL_BASE_URL: base, ...github, ...certificate };
  const world = { environment, input: tokens(1).join("\n") };
  await runMain(["token", "inspect", ...flags], world);
  const run = await runMain(["token", "report", "--yes", ...flags], world);
  expect([run.code, shown]).toEqual([0, [true, false]]);
});

test("sends no configured header, which may identify the sender", async () => {
  const server = await startRecordingServer(() => ({ status: 202, body: {} }));
  const environment = { ...server.environment, ...github, GRANTCTL_HEADERS: "X-Api-Key: 1" };
  const input = tokens(1).join("\n");
  const { code } = await runMain(["token", "report", "--yes"], { environment, input });
  expect([code, server.requests.map(({ headers }) => headers["x-api-key"])]).toEqual([0, [undefined]]);
});

test("exits with 2 before any request, as operator service accepts no reports", async () => {
  const words = ["--yes", "--operator", "service"];
  const { code, stdout, stderr, server } = await report(accept, tokens(1), words);
  expect([code, stdout, server.lines()]).toEqual([2, "", []]);
  expect(stderr).toContain("--operator github");
});

test("sends nothing without a terminal and --yes", async () => {
  const { code, stdout, server } = await report(accept, tokens(2), []);
  expect([code, stdout, server.lines()]).toEqual([2, "", []]);
});

test.skipIf(noTerminalReason !== null)("warns in the prompt that a report cannot be undone", async () => {
  const server = await startRecordingServer(accept);
  const line = `printf '%s\\n' ${tokens(2).join(" ")} | '${process.execPath}' '${program}' token report`;
  const environment = { ...server.environment, ...github, PATH: process.env["PATH"] ?? "" };
  const screen = await runOnTerminal(line, [{ when: /\(y\/N\)/, type: "n\r" }], environment);
  expect(screen.code).toBe(2);
  expect(screen.text).toContain(
    `Report 2 tokens to ${server.root}? This cannot be undone, and the owners are notified.`,
  );
  expect(server.lines()).toEqual([]);
});

test("reads scanner reports, and prints the locations of the tokens", async () => {
  const [first = ""] = tokens(1);
  const alerts = [githubAlert(first)];
  const server = await startRecordingServer(accept);
  const world = { environment: { ...server.environment, ...github } };
  const words = ["token", "report", "--yes", "--json"];
  const once = await runMain(words, { ...world, input: JSON.stringify(alerts) });
  expect(once.code).toBe(0);
  expect(JSON.parse(once.stdout)).toMatchObject({
    status: "accepted",
    sources: [{ tool: "github-alerts", url: "https://github.com/octavia/tools/security/secret-scanning/42" }],
  });
  expect(server.bodyOf(0)).toEqual({ credentials: [first] });
  const findings = [gitleaksFinding(first, "a.py", 1), gitleaksFinding(first, "b.py", 2)];
  const twice = await runMain(words, {
    ...world,
    input: JSON.stringify(findings),
  });
  expect(JSON.parse(twice.stdout)).toMatchObject({ sources: [{ file: "a.py" }, { file: "b.py" }] });
  expect(server.bodyOf(1)).toEqual({ credentials: [first] });
});

test("does not send a scanner's findings of other services to GitHub, but sends a plain list unchanged", async () => {
  const [token = ""] = tokens(1);
  const others = ["AKIAIOSFODNN7EXAMPLE", "correct-horse-battery-staple", `v1.${"0".repeat(40)}`];
  const server = await startRecordingServer(accept);
  const world = { environment: { ...server.environment, ...github } };
  const findings = [...others, `TOKEN=${token}`].map((secret) => gitleaksFinding(secret));
  const found = await runMain(["token", "report", "--yes"], { ...world, input: JSON.stringify(findings) });
  expect([found.code, found.stdout]).toEqual([0, `accepted\t${token.slice(-8)}\n`]);
  expect(found.stderr).toContain("warning: left out 3 secrets that cannot be a GitHub token\n");
  await runMain(["token", "report", "--yes"], { ...world, input: others.join("\n") });
  expect([server.bodyOf(0), server.bodyOf(1)]).toEqual([{ credentials: [token] }, { credentials: others }]);
});

test("has nothing to report for a scanner's report without GitHub tokens", async () => {
  const environment = { GRANTCTL_OPERATOR: "github", GRANTCTL_BASE_URL: "https://api.github.com" };
  const input = JSON.stringify([gitleaksFinding("AKIAIOSFODNN7EXAMPLE")]);
  const run = await runMain(["token", "report", "--yes"], { environment, input });
  expect([run.code, run.stdout]).toEqual([0, ""]);
  expect(run.stderr).toContain("no token to report");
});

test.each([
  ["one batch is refused", tokens(3), [422], 1, { refused: 3 }],
  ["all batches are", tokens(1500), [422, 422], 1, { refused: 1500 }],
  ["another was accepted", tokens(1500), [422, 202], 9, { refused: 1000, accepted: 500 }],
] as const)("422: %s", async (_, input, statuses, code, counts) => {
  const run = await report(
    (_request, position) => ({ status: statuses[position] ?? 500, body: { message: "no" } }),
    input,
  );
  expect([run.code, run.counts, run.server.requests.length]).toEqual([code, counts, statuses.length]);
});

test.each([401, 403, 404])(
  "%i stops the job after one batch and reports no token as revoked",
  async (status) => {
    const run = await report(() => ({ status, body: { message: "no" } }), tokens(2500));
    expect([run.code, run.server.requests.length]).toEqual([9, 1]);
    expect(run.counts).toEqual({ [status === 401 ? "authentication" : "refused"]: 1000, "not-tried": 1500 });
    expect(run.stderr).toContain("Nothing was changed, so you can run the same command again.");
  },
);

test("does not report rejected credentials if the server requires a login, as none were sent", async () => {
  const run = await report(() => ({ status: 401, body: { message: "Requires authentication" } }), tokens(1));
  expect([run.code, run.stdout]).toEqual([4, ""]);
  expect(run.stderr).toContain(
    "the report of one token: this server does not accept reports without credentials",
  );
  expect(run.stderr).not.toContain("auth status");
});

test("distinguishes a missing endpoint from invalid tokens", async () => {
  const run = await report(() => ({ status: 404, body: {} }), tokens(1));
  expect([run.code, run.stdout]).toEqual([1, ""]);
  expect(run.stderr).toContain("this server has no endpoint for reports");
});

test.each([["a 429", { status: 429, headers: { "Retry-After": "0" } }]])(
  "waits after %s and sends the same batch again",
  async (_, limit) => {
    const run = await report(
      (_request, position) => (position === 1 ? { ...limit, body: {} } : { status: 202, body: {} }),
      tokens(1001),
    );
    expect([run.code, run.counts]).toEqual([0, { accepted: 1001 }]);
    expect(sizes(run.server)).toEqual([1000, 1, 1]);
  },
);

test.each([
  ["cut off", (): Promise<"cut"> => Promise.resolve("cut")],

  ["a 200, which promises nothing", () => ({ status: 200, body: {} })],
])("exits with 13 for no clear response (%s), and does not repeat the batch", async (_, answer) => {
  const input = tokens(2500);
  const run = await report((_request, position) => {
    if (position === 1) return answer();
    return { status: position === 2 ? 422 : 202, body: {} };
  }, input);
  expect(run.code).toBe(13);
  expect(run.counts).toEqual({ accepted: 1000, unknown: 1000, refused: 500 });
  expect(run.stderr).toContain("a token that was already accepted is not revoked twice");
  expect(sizes(run.server)).toEqual([1000, 1000, 500]);
});

test("revokes the tokens in a sandbox of github.com", async () => {
  const account = await openAccount({ operator: "github.com", headerWord: "GitHub" });
  onTestFinished(() => account.sandbox.close());
  const environment = { ...account.environment, ...github };
  const { tokens: live } = account.sandbox.description;
  const values = live.map(({ token }) => token);
  const run = await runMain(["token", "report", "--yes"], {
    environment,
    input: [...values, ...tokens(2)].join("\n"),
  });
  expect([run.code, run.stdout.match(/^accepted\t/gm)?.length]).toEqual([0, values.length + 2]);
  const inspected = await runMain(["token", "inspect"], { environment, input: values[0] ?? "" });
  expect(inspected.code).toBe(3);
});
