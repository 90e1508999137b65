// `grantctl token report`: batches of a thousand tokens, and requests that tell nothing of their sender.
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { expect, onTestFinished } from "vitest";
import { createCertificateMaker, hasOpenssl } from "../../support/certificates.ts";
import { test, type Grantctl } from "../../support/grantctl.ts";
import { cut, json, on, type Server } from "../../support/serve.ts";

const github = { GRANTCTL_SERVER_TYPE: "github" };
const tokens = (count: number): string =>
  Array.from({ length: count }, (_, index) => `ghp_${String(index).padStart(36, "0")}\n`).join("");
const answers = (...all: readonly [Response | (() => Response), ...(Response | (() => Response))[]]) =>
  on("POST /credentials/revoke", ...all);
const status = (code: number, headers = {}): Response => json(code, { message: "no" }, headers);

/** The number of tokens in each batch that arrived. */
function sizes(server: Server): readonly number[] {
  return server.requests.map(
    (request) => (request.json() as { credentials: readonly string[] }).credentials.length,
  );
}

/** Reports so many tokens, and counts the rows of each status. */
async function report(grantctl: Grantctl, count: number) {
  const run = await grantctl("token report --yes", { environment: github, input: tokens(count) });
  const counts: Record<string, number> = {};
  for (const line of run.stdout.split("\n").slice(0, -1)) {
    const [word = ""] = line.split("\t");
    counts[word] = (counts[word] ?? 0) + 1;
  }
  return { ...run, counts };
}

test.for([
  ["all accepted", 2500, [202], 0, { accepted: 2500 }, [1000, 1000, 500]],
  ["all refused", 1500, [422, 422], 1, { failed: 1500 }, [1000, 500]],
  ["one refused", 1500, [422, 202], 9, { failed: 1000, accepted: 500 }, [1000, 500]],
  ["401 to all", 2500, [401], 4, { failed: 1000, "not-tried": 1500 }, [1000]],
  ["403 to all", 2500, [403], 1, { failed: 1000, "not-tried": 1500 }, [1000]],
  ["404 to all", 2500, [404], 1, { failed: 1000, "not-tried": 1500 }, [1000]],
  ["429 and then accepted", 1001, [202, 429, 202], 0, { accepted: 1001 }, [1000, 1, 1]],
  ["no answer", 2500, [202, 0], 13, { accepted: 1000, unknown: 1000, "not-tried": 500 }, [1000, 1000]],
] as const)("%s", async ([, count, statuses, code, counts, batches], { grantctl, serve }) => {
  const [first, ...others] = statuses.map((each) =>
    each === 0 ? cut : status(each, each === 429 ? { "Retry-After": "0" } : {}),
  );
  const server = await serve(answers(first ?? status(202), ...others));
  const run = await report(grantctl, count);
  expect([run.code, run.counts, sizes(server)]).toEqual([code, counts, batches]);
  // One batch after another.
  expect(server.requests.map(({ batch }) => batch)).toEqual(batches.map((_, at) => at + 1));
});

test("nothing identifies the sender, whatever is configured", async ({ grantctl, serve }) => {
  const server = await serve(answers(json(202, {})));
  const secrets = {
    GRANTCTL_TOKEN: "gho_configured0token",
    GRANTCTL_OTP: "314159",
    GRANTCTL_HEADERS: "X-Api-Key: key-1",
  };
  const run = await grantctl("token report --yes --otp 314159", {
    environment: { ...github, ...secrets },
    input: tokens(1),
  });
  expect([run.code, server.requests.length]).toEqual([0, 1]);
  const { headers = {} } = server.requests[0] ?? {};
  // The complete list, so that new headers are reviewed here.
  expect(
    Object.keys(headers)
      .filter((name) => name !== "connection")
      .toSorted(),
  ).toEqual(["accept", "accept-encoding", "content-length", "content-type", "host", "user-agent"]);
  expect(JSON.stringify(headers)).not.toMatch(/octavia|0123456789abcdef0123|314159|configured|key-1/);
});

test.skipIf(!hasOpenssl)("does not send the client certificate", async ({ grantctl }) => {
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
  const environment = {
    ...github,
    GRANTCTL_BASE_URL: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    GRANTCTL_CLIENT_CERT: ours.file,
    GRANTCTL_CLIENT_KEY: ours.keyFile,
  };
  await grantctl(`token inspect --ca-cert ${own.file}`, { environment, input: tokens(1) });
  const run = await grantctl(`token report --yes --ca-cert ${own.file}`, { environment, input: tokens(1) });
  expect([run.code, shown]).toEqual([0, [true, false]]);
});
