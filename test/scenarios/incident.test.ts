// Incident response: runs the script of docs/guides/incident.md unchanged, on a scanner's report with active and
// revoked tokens, some found twice, some of another application. The sandbox then shows which tokens are really active.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { openAccount, type Account } from "../support/account.ts";
import { installProgram, runProgram } from "../support/binary.ts";
import { readBlocks } from "../support/document-blocks.ts";
import { gitleaksFinding } from "../support/reports.ts";
import { inFull } from "../support/soak.ts";
import { makeFolder } from "../support/state-folder.ts";

const guide = fileURLToPath(new URL("../../docs/guides/incident.md", import.meta.url));
const script =
  readBlocks("incident.md", readFileSync(guide, "utf8")).find(({ text }) => text.startsWith("#!"))?.text ??
  "";

/** 100 findings in a normal run, 1,000 in a soak. */
const tenth = inFull(1, 10);

/** Creates a token of an application, with its own fingerprint. */
async function makeToken(
  { environment, sandbox }: Account,
  application: number,
  number: number,
): Promise<string> {
  const { GRANTCTL_BASE_URL = "", GRANTCTL_USERNAME, GRANTCTL_PASSWORD } = environment;
  const { clientId = "", clientSecret = "" } = sandbox.store.applications[application] ?? {};
  const basic = Buffer.from(`${GRANTCTL_USERNAME}:${GRANTCTL_PASSWORD}`).toString("base64");
  const made = await fetch(`${GRANTCTL_BASE_URL}/authorizations/clients/${clientId}/leak-${number}`, {
    method: "PUT",
    headers: { Authorization: `Basic ${basic}`, "User-Agent": "test", "Content-Type": "application/json" },
    body: JSON.stringify({ client_secret: clientSecret, note: `deploy ${number}` }),
  });
  return ((await made.json()) as { readonly token: string }).token;
}

function range(count: number): readonly number[] {
  return Array.from({ length: count * tenth }, (_, index) => index);
}

test(
  "the guide's script identifies, checks, resets the tokens to keep, revokes the rest, and verifies",
  { tags: "soak" },
  async () => {
    const account = await openAccount({ operator: "github", headerWord: "GitHub" });
    onTestFinished(() => account.sandbox.close());
    const [proof = ""] = account.sandbox.description.tokens.map(({ token }) => token);
    const live: string[] = [];
    const others: string[] = [];
    for (const number of range(30)) live.push(await makeToken(account, 0, number));
    for (const number of range(10)) others.push(await makeToken(account, 1, number));
    const dead = range(35).map((number) => `gho_${String(number).padStart(36, "d")}`);
    const twice = live.slice(0, 20 * tenth);
    const keep = live.slice(0, 2 * tenth);
    const findings = [...live, ...others, ...dead, ...twice].map((secret, index) =>
      gitleaksFinding(secret, `deploy/${index % 7}.env`, index),
    );
    const redacted = range(5).map((number) => gitleaksFinding("REDACTED", "old.env", number));
    expect(findings.length + redacted.length).toBe(100 * tenth);

    const folder = makeFolder();
    const commands = join(folder, "bin");
    mkdirSync(commands);
    installProgram(commands);
    const write = (name: string, text: string): void => {
      writeFileSync(join(folder, name), text, { mode: 0o600 });
    };
    write("active.txt", proof);
    write("keep.txt", keep.join("\n"));
    const environment = {
      ...account.environment,
      GRANTCTL_SERVER_TYPE: "github",
      GRANTCTL_STATE_DIR: join(folder, "state"),
      GRANTCTL_CONFIG_DIR: join(folder, "config"),
      PATH: `${commands}:${process.env["PATH"] ?? ""}`,
    };
    const night = (): ReturnType<typeof runProgram> =>
      runProgram("bash", ["-c", script], { environment, folder });
    const read = (name: string): readonly string[] =>
      readFileSync(join(folder, name), "utf8")
        .split("\n")
        .filter((line) => line !== "");

    // The report of a CI pipeline, with redacted secrets.
    write("report.json", JSON.stringify([...findings, ...redacted]));
    const refused = await night();
    expect([refused.code, refused.stdout]).toEqual([2, "Step 1: which tokens are active\n"]);
    expect(refused.stderr).toContain(`item ${findings.length + 1}: the secret is redacted`);
    expect(await stillLive(account, [...live, ...others])).toBe(40 * tenth);

    write("report.json", JSON.stringify(findings));
    // A reset that cannot be completed ends the script before anything is revoked.
    write("keep.txt", `${keep.join("\n")}\nnot a token\n`);
    expect((await night()).code).toBe(9);
    expect(await stillLive(account, [...live, ...others])).toBe(40 * tenth);
    write("keep.txt", keep.join("\n"));
    // The complete run.
    const earlier = readdirSync(folder);
    const { code, stdout, stderr } = await night();
    const results =
      readdirSync(folder).find((name) => name.startsWith("results-") && !earlier.includes(name)) ?? "";
    // Tokens of another application are still active.
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^deploy the new values in results-.*\nstill active, and not a token of this application: see results-/,
      ),
    ]);
    const count = (name: string, status: string): number =>
      read(join(results, name)).filter((line) => line.startsWith(`${status}\t`)).length;
    const mine = JSON.parse(readFileSync(join(folder, results, "mine.json"), "utf8")) as readonly {
      readonly note: string;
      readonly sources: readonly object[];
    }[];
    expect(mine).toHaveLength(40 * tenth);
    expect(mine.filter(({ sources }) => sources.length === 2)).toHaveLength(20 * tenth);
    expect([count("before.txt", "active"), count("before.txt", "not-found")]).toEqual([
      30 * tenth,
      45 * tenth,
    ]);
    expect([count("revoked.txt", "revoked"), count("revoked.txt", "not-found")]).toEqual([
      28 * tenth,
      47 * tenth,
    ]);
    expect(count("after.txt", "not-found")).toBe(75 * tenth);

    // The server's state: of the reported tokens, only the other application's are active, and the kept ones have new
    // values.
    expect(await stillLive(account, live)).toBe(0);
    const alive = read(join(results, "others.ndjson")).map(
      (line) => JSON.parse(line) as { readonly token_last_eight: string },
    );
    expect(alive.map((row) => row.token_last_eight).toSorted(compare)).toEqual(
      others.map((token) => token.slice(-8)).toSorted(compare),
    );
    const values = valuesIn(read(join(results, "new.txt")));
    expect(values).toHaveLength(2 * tenth);
    expect(await stillLive(account, values)).toBe(2 * tenth);
    for (const token of [...live, ...others, ...dead, ...values])
      expect(stdout + stderr).not.toContain(token);

    // A second run resets nothing: the old values are no longer active.
    const again = await night();
    expect([again.code, again.stderr]).toEqual([
      1,
      expect.stringMatching(
        /^deploy the new values in results-.*\nstill active, and not a token of this application: see results-/,
      ),
    ]);
    expect(await stillLive(account, values)).toBe(2 * tenth);
    expect(read(join(results, "new.txt"))).toHaveLength(2 * tenth);

    // A token to keep that is mistyped, or another application's: nothing is reset or revoked.
    const [typed, kept] = [await makeToken(account, 0, 7000), await makeToken(account, 0, 7001)];
    const [theirs = ""] = others.slice(1);
    const reported = [typed, kept, theirs].map((secret) => gitleaksFinding(secret, "c.env", 1));
    write("report.json", JSON.stringify(reported));
    for (const [wrong, why] of [
      [`${typed.slice(0, -1)}x`, "is not in report.json"],
      [theirs, "is not an active token"],
    ] as const) {
      write("keep.txt", `${kept}\n${wrong}\n`);
      const stopped = await night();
      expect(stopped.code).toBe(9);
      expect(stopped.stderr).toContain(`keep.txt: the token ending in ${wrong.slice(-8)} ${why}`);
      expect(await stillLive(account, [typed, kept])).toBe(2);
    }
    write("keep.txt", "");

    // A missing file is named before anything is sent.
    write("active.txt", "");
    const empty = await night();
    expect([empty.code, empty.stderr]).toEqual([2, "active.txt is missing or empty\n"]);
    write("active.txt", proof);

    // A report with a single token: this application's, and in a soak also another application's and a revoked one.
    const singles = [[others[0], 1] as const, [dead[0], 0] as const];
    for (const [single = "", expected] of inFull([], singles)) {
      write("report.json", JSON.stringify([gitleaksFinding(single, "a.env", 1)]));
      const alone = await night();
      expect([alone.code, alone.stdout.includes("done: ")]).toEqual([expected, expected === 0]);
    }
    const late = await makeToken(account, 0, 5000);
    write("report.json", JSON.stringify([gitleaksFinding(late, "a.env", 1)]));
    expect(await night()).toMatchObject({ code: 0, stdout: expect.stringContaining("done: ") });
    expect(await stillLive(account, [late])).toBe(0);

    // A second incident beside the files of the first: what is to be kept is reset, never revoked.
    const second = [await makeToken(account, 0, 6000), await makeToken(account, 0, 6001)];
    write(
      "report.json",
      JSON.stringify(second.map((secret, index) => gitleaksFinding(secret, "b.env", index))),
    );
    // With the line ends of Windows.
    write("keep.txt", second.slice(0, 1).join("\n") + "\r\n");
    const before = new Set(readdirSync(folder));
    expect((await night()).code).toBe(0);
    const own = readdirSync(folder).find((name) => name.startsWith("results-") && !before.has(name)) ?? "";
    expect(await stillLive(account, valuesIn(read(join(own, "new.txt"))))).toBe(1);

    // It succeeds once nothing in the report is active, and for a report without findings.
    write("keep.txt", "");
    write(
      "report.json",
      JSON.stringify([...live, ...dead].map((secret, index) => gitleaksFinding(secret, "a.env", index))),
    );
    expect((await night()).code).toBe(0);
    write("report.json", "[]");
    expect(await night()).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("the report has no tokens\n"),
    });
  },
);

function valuesIn(lines: readonly string[]): readonly string[] {
  return lines.map((line) => (JSON.parse(line) as { readonly token: string }).token);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : 1;
}

/** The number of active tokens among these. */
async function stillLive({ sandbox }: Account, tokens: readonly string[]): Promise<number> {
  let live = 0;
  for (const token of tokens) {
    const answer = await fetch(`${sandbox.description.base_url}/user`, {
      headers: { Authorization: `token ${token}`, "User-Agent": "test" },
    });
    if (answer.status === 200) live += 1;
    await answer.arrayBuffer();
  }
  return live;
}
