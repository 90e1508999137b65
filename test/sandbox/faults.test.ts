// Injected faults: the effect of each on request and response, and repetition by seed.
import { expect, test } from "vitest";
import { json } from "../../src/sandbox/http/response.ts";
import { createFaultInjector } from "../../src/sandbox/http/faults.ts";
import type { Fault } from "../../src/sandbox/sandbox.ts";
import { authorizationsOf, failure, outcomeOf } from "./resource-shapes.ts";
import {
  basic,
  closeUntimed,
  sendBytes,
  sendTo,
  startTestSandbox,
  type TestSandbox,
} from "./sandbox-client.ts";
import { fault } from "../support/account.ts";

const dropAlways = fault("drop-answer=1");
const dropHalf = fault("drop-answer=0.5");
const delayAlways = fault("delay=600000:1");
const lost = /socket hang up|aborted|ECONNRESET|EPIPE|Parse Error/;

/** Sends one request of the account on a new connection; resolves with the bytes received until it is closed. */
function receive(
  { description }: TestSandbox,
  method: string,
  target: string,
  body: string | null = null,
): Promise<string> {
  const { Authorization } = basic(description.username, description.password);
  const length = body === null ? "" : `Content-Length: ${body.length}\r\n`;
  return sendBytes(
    description.base_url,
    `${method} ${target} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t\r\nConnection: close\r\nAuthorization: ${Authorization}\r\n${length}\r\n${body ?? ""}`,
  );
}

function placeOfCut(received: string): "nothing" | "headers" | "body" {
  if (received === "") return "nothing";
  return received.includes("\r\n\r\n") ? "body" : "headers";
}

/** Sends requests one after the other; resolves with "dropped" or the status of each. */
async function outcomesOf(sandbox: TestSandbox, count: number): Promise<readonly string[]> {
  const outcomes: string[] = [];
  for (let index = 0; index < count; index += 1) {
    outcomes.push(
      await sandbox.send("GET", "/user").then(
        ({ status }) => String(status),
        () => "dropped",
      ),
    );
  }
  return outcomes;
}

/** The notes of the account's authorizations. */
async function notesOf(sandbox: TestSandbox): Promise<readonly (string | null)[]> {
  return authorizationsOf(await sandbox.asAccount("GET", "/authorizations?per_page=100")).map(
    ({ note }) => note,
  );
}

/** Finds a seed with which the fault hits exactly the requests for which `wanted` is true. */
async function findSeed(injected: Fault, wanted: readonly boolean[]): Promise<number> {
  for (let seed = 0; seed < 1000; seed += 1) {
    const disturb = createFaultInjector([injected], seed, json);
    const answers = await Promise.all(wanted.map(() => disturb(async () => json(204))));
    const hits = answers.map(({ status, delivery }) => status !== 204 || delivery?.cut !== null);
    if (hits.every((isHit, index) => isHit === wanted[index])) return seed;
  }
  throw new Error("no seed has this effect");
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, milliseconds));
}

test("a dropped response belongs to a processed request, and may be cut anywhere", async () => {
  const sandbox = await startTestSandbox({ faults: [dropAlways], seed: 3 });
  const places = new Set<string>();
  const rests = new Set<string>();
  for (let index = 0; index < 30; index += 1) {
    const received = await receive(sandbox, "POST", "/authorizations", `{"note":"dropped ${index}"}`);
    const place = placeOfCut(received);
    places.add(place);
    if (place === "nothing") continue;
    const whole = "HTTP/1.1 201 Created\r\n";
    expect(received.slice(0, whole.length)).toBe(whole.slice(0, received.length));
    if (place === "headers") continue;
    const [head = "", rest = ""] = received.split("\r\n\r\n");
    const length = Number(/^Content-Length: (\d+)$/m.exec(head)?.[1]);
    expect(rest.length).toBeLessThan(length);
    expect(head).toContain("X-Service-Request-Id: ");
    rests.add(rest);
  }
  expect(places).toEqual(new Set(["nothing", "headers", "body"]));
  expect(rests.size).toBeGreaterThan(3);
});

test("a change whose response was dropped is visible in a later read", async () => {
  const seed = await findSeed(dropHalf, [true, false]);
  const sandbox = await startTestSandbox({ faults: [dropHalf], seed });
  await expect(sandbox.asAccount("POST", "/authorizations", { note: "unheard of" })).rejects.toThrow(lost);
  expect(await notesOf(sandbox)).toContain("unheard of");
});

test("clients detect every cut response, even one without a body", async () => {
  const sandbox = await startTestSandbox({ faults: [dropAlways], seed: 1 });
  const { base_url, username, password } = sandbox.description;
  for (let index = 0; index < 40; index += 1) {
    for (const [method, path] of [
      ["DELETE", "/authorizations/999999"],
      ["HEAD", "/authorizations"],
      ["GET", "/authorizations?per_page=1&page=99"],
    ] as const) {
      await expect(
        sendTo(base_url, method, path, { headers: basic(username, password) }),
      ).rejects.toHaveProperty("code", "ECONNRESET");
    }
    expect(placeOfCut(await receive(sandbox, "HEAD", "/authorizations"))).not.toBe("body");
    const fetched = fetch(`${base_url}/user`).then((response) => response.text());
    await expect(fetched).rejects.toThrow(/fetch failed|terminated/);
  }
});

test("a large request body that is not read does not prevent a cut", async () => {
  const sandbox = await startTestSandbox({ faults: [dropAlways], seed: 2 });
  const large = "x".repeat(4 * 1024 * 1024);
  for (let index = 0; index < 10; index += 1) {
    await expect(sandbox.send("POST", "/nowhere", { body: large })).rejects.toThrow(lost);
  }
});

test("pipelined requests before a cut get their responses in order", async () => {
  const seed = await findSeed(dropHalf, [false, false, true, false]);
  const sandbox = await startTestSandbox({ faults: [dropHalf], seed });
  const { username, password, base_url } = sandbox.description;
  const head = "HTTP/1.1\r\nHost: localhost\r\nUser-Agent: t\r\n";
  // The first one takes longest, because its password is verified.
  const slow = `GET /authorizations ${head}Authorization: ${basic(username, password).Authorization}\r\n\r\n`;
  const quick = `GET /user ${head}\r\n`;
  const received = await sendBytes(base_url, `${slow}${quick}${quick}${quick}`);
  const [first = "", second = "", ...others] = received.split(/(?=HTTP\/1\.1 \d)/);
  expect(first).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\n\[\s*\{[^]*\}\s*\]\s*$/);
  expect(second).toMatch(/^HTTP\/1\.1 401 Unauthorized\r\n[^]*\r\n\r\n\{[^]*\}/);
  expect(others.length).toBeLessThanOrEqual(1);
  for (const cut of others) expect(cut).not.toMatch(/\r\n\r\n\{[^]*\}\s*$/);
  expect((await sandbox.asAccount("GET", "/authorizations")).status).toBe(200);
});

test.each([
  [503, "Service Unavailable", "1"],
  [429, "Too Many Requests", "1"],
  [500, "Internal Server Error", undefined],
  [404, "Not Found", undefined],
  [599, "Status 599", undefined],
])("status=%i responds without processing the request", async (status, words, retryAfter) => {
  const injected = fault(`status=${status}:0.5`);
  const seed = await findSeed(injected, [true, true, false]);
  const sandbox = await startTestSandbox({ faults: [injected], seed });
  const before = await sandbox.asAccount("POST", "/authorizations", { note: "never" });
  expect(outcomeOf(before)).toEqual(failure(status, `${words}: a fault of the sandbox, nothing was done`));
  expect(before.headers["retry-after"]).toBe(retryAfter);
  expect(before.headers).toHaveProperty("x-service-request-id");
  // Not even the password is checked.
  expect((await sandbox.send("DELETE", "/authorizations/1")).status).toBe(status);
  expect(await notesOf(sandbox)).not.toContain("never");
});

test("an injected status sends no text message", async () => {
  const sandbox = await startTestSandbox({
    otp: "sms",
    faults: [fault("status=500:1")],
  });
  expect((await sandbox.asAccount("POST", "/authorizations", { note: "n" })).status).toBe(500);
  expect(sandbox.messages).toEqual([]);
});

test("an injected status is not dropped, and the first of several statuses wins", async () => {
  const sandbox = await startTestSandbox({
    faults: [dropAlways, fault("status=502:1"), fault("status=503:1")],
  });
  expect(await outcomesOf(sandbox, 5)).toEqual(["502", "502", "502", "502", "502"]);
});

test("a delay comes after processing, and adds to other delays", async () => {
  const sandbox = await startTestSandbox({
    faults: [fault("delay=150:1"), fault("delay=100:1"), fault("delay=60000:0")],
  });
  await sandbox.asAccount("GET", "/authorizations");
  const begun = performance.now();
  const slow = sandbox.asAccount("POST", "/authorizations", { note: "slow" });
  await pause(100);
  const seen = notesOf(sandbox);
  expect((await slow).status).toBe(201);
  expect(performance.now() - begun).toBeGreaterThanOrEqual(240);
  expect(await seen).toContain("slow");
});

test("a delay whose client has disconnected does not hold up shutdown", async () => {
  const sandbox = await startTestSandbox({ faults: [delayAlways] });
  const left = fetch(`${sandbox.description.base_url}/user`, { signal: AbortSignal.timeout(50) });
  await expect(left).rejects.toHaveProperty("name", "TimeoutError");
  await closeUntimed(sandbox);
});

test("shutdown ends a delay in flight", async () => {
  const sandbox = await startTestSandbox({ faults: [delayAlways] });
  const outcomes = outcomesOf(sandbox, 1);
  await pause(50);
  await sandbox.close();
  expect(await outcomes).toEqual(["dropped"]);
});

test("a seed repeats the sequence for any requests; another seed has another sequence", async () => {
  const faults = [fault("status=503:0.3"), fault("drop-answer=0.3")];
  const first = await outcomesOf(await startTestSandbox({ faults, seed: 42 }), 60);
  expect(new Set(first)).toEqual(new Set(["401", "503", "dropped"]));
  expect(await outcomesOf(await startTestSandbox({ faults, seed: 42 }), 60)).toEqual(first);
  expect(await outcomesOf(await startTestSandbox({ faults, seed: 43 }), 60)).not.toEqual(first);

  const other = await startTestSandbox({ faults, seed: 42 });
  for (const outcome of first) {
    // Requests to the control resource, and requests rejected by the gate, are not counted.
    expect((await other.send("GET", "/user", { headers: { Origin: "null" } })).status).toBe(403);
    expect((await other.send("GET", "/user", { headers: { "User-Agent": "" } })).status).toBe(403);
    expect((await other.send("POST", "/sandbox/code")).status).toBe(409);
    const sent = other.asAccount("POST", "/authorizations", { note: "n" });
    const met = await sent.then(({ status }) => (status === 503 ? "503" : "401")).catch(() => "dropped");
    expect(met).toBe(outcome);
  }
});

/** The number of bytes received of each of twelve dropped responses. */
async function lengthsOfCuts(): Promise<readonly number[]> {
  const sandbox = await startTestSandbox({ faults: [dropAlways], seed: 9 });
  const lengths: number[] = [];
  for (let index = 0; index < 12; index += 1) {
    lengths.push((await receive(sandbox, "GET", "/authorizations/999999")).length);
  }
  return lengths;
}

test("a seed repeats the positions of cuts", async () => {
  const first = await lengthsOfCuts();
  expect(await lengthsOfCuts()).toEqual(first);
  expect(new Set(first).size).toBeGreaterThan(4);
});

test("adding a fault at the end does not change the others", async () => {
  const status = fault("status=503:0.5");
  const alone = await outcomesOf(await startTestSandbox({ faults: [status], seed: 5 }), 40);
  const both = await outcomesOf(await startTestSandbox({ faults: [status, dropAlways], seed: 5 }), 40);
  expect(both).toEqual(alone.map((outcome) => (outcome === "503" ? "503" : "dropped")));
});

test("a fault occurs with about its probability", async () => {
  const sandbox = await startTestSandbox({
    faults: [fault("status=503:0.2"), fault("status=500:0.05")],
    seed: 11,
  });
  const outcomes = await outcomesOf(sandbox, 800);
  const count = (wanted: string): number => outcomes.filter((outcome) => outcome === wanted).length;
  // Five standard deviations around 160, and around 32 (5 % of the remaining requests of 800).
  expect(count("503")).toBeGreaterThan(103);
  expect(count("503")).toBeLessThan(217);
  expect(count("500")).toBeGreaterThan(4);
  expect(count("500")).toBeLessThan(60);
});

test("the control resource, and requests rejected by the gate, get no faults", async () => {
  const sandbox = await startTestSandbox({ otp: "sms", faults: [dropAlways], seed: 1 });
  for (let index = 0; index < 10; index += 1) {
    expect((await sandbox.send("POST", "/sandbox/code")).status).toBe(200);
    expect((await sandbox.send("GET", "/user", { headers: { Host: "evil.example.com" } })).status).toBe(403);
  }
});
