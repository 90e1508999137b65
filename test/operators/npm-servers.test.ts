// OAuth 2.0 servers from the npm registry, installed into a temporary folder: what grantctl reports of an access token, a
// refresh token, a token of another client and one that is unknown, beside the state in the server's own store.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { inFull } from "../support/soak.ts";
import { makeFolder } from "../support/state-folder.ts";
import { tabulate, type GrantctlRow } from "./grantctl-rows.ts";
import type { Application } from "./oauth-servers.ts";

interface Case {
  readonly script: string;
  readonly packages: readonly string[];
  readonly expected: readonly GrantctlRow[];
}

const cases: readonly Case[] = [
  {
    script: "better-auth.mjs",
    packages: ["better-auth@1.7.25", "@better-auth/oauth-provider@1.7.5", "@better-auth/utils@0.4.2"],
    expected: [
      ["active", "revoked", false],
      ["active", "revoked", false],
      // It shows a client no token of another one; after the revocation nothing vouches for the rest.
      ["inactive", "unproven", true],
      ["inactive", "unproven", false],
    ],
  },
  {
    script: "cloudflare.mjs",
    packages: ["@cloudflare/workers-oauth-provider@1.2.3"],
    // It has no introspection, and accepts revocations of anything.
    expected: [
      ["failed", "accepted", false],
      ["failed", "accepted", false],
      ["failed", "accepted", true],
      ["failed", "accepted", false],
    ],
  },
];

test.runIf(inFull(false, true)).for(cases)(
  "$script",
  { tags: "soak" },
  async ({ script, packages, expected }, { skip }) => {
    const folder = makeFolder();
    try {
      const flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--legacy-peer-deps", "--prefix", folder];
      execFileSync("npm", ["install", ...flags, ...packages], { cwd: folder, stdio: "pipe" });
    } catch (error) {
      skip(`${packages[0]} cannot be installed: ${String(error)}`);
    }
    const path = fileURLToPath(new URL(`npm/${script}`, import.meta.url));
    const child = spawn(process.execPath, [path], {
      env: { ...process.env, MODULES: join(folder, "node_modules") },
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const ended = once(child, "exit").then(([code]) => Promise.reject(new Error(`${script} ended: ${code}`)));
    const [line] = (await Promise.race([once(createInterface(child.stdout), "line"), ended])) as [string];
    ended.catch(() => undefined);
    type Client = Pick<Application, "id" | "secret">;
    const server = JSON.parse(line) as { issuer: string; origin: string; own: Client; other: Client };
    const ask = async (query: string): Promise<unknown> => (await fetch(server.origin + query)).json();
    const issue = async (client: string) =>
      (await ask(`/issue?client=${client}`)) as { access_token: string; refresh_token: string };
    const isActive = async (token: string) =>
      (await ask(`/active?token=${encodeURIComponent(token)}`)) === true;

    const [own, signIn, other] = [await issue("own"), await issue("own"), await issue("other")];
    const tokens = [own.access_token, signIn.refresh_token, other.access_token];
    const unknown = own.access_token.replaceAll(/[A-Za-z](?=.{0,20}$)/g, (letter) =>
      letter === "Q" ? "R" : "Q",
    );
    expect(await Promise.all(tokens.map(isActive))).toEqual([true, true, true]);
    const application: Application = { ...server.own, auth: "basic" };
    const rows = await tabulate({ issuer: server.issuer, own: application, isActive }, [...tokens, unknown]);
    expect(rows).toEqual(expected);
  },
);
