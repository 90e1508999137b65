// The environment in which examples of help and README run: a sandbox with the necessary data, `grantctl` on the path,
// and a folder with the files that they name.
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { openAccount, type Account } from "./account.ts";
import { installProgram, runProgram, writeScript, type Finished } from "./binary.ts";
import { runMain } from "./test-host.ts";

export interface ExampleWorld {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Runs lines of bash without a controlling terminal. */
  run(lines: string): Promise<Finished>;
  /** Leaves an undelivered token value behind, with the ID that the examples name. */
  leaveValue(): Promise<void>;
  close(): Promise<void>;
}

const leftoverId = "20260131-120000-a1b2c3";

/** Creates an environment, which the caller closes. Concurrent tests need one each. */
export async function makeExampleWorld(): Promise<ExampleWorld> {
  const account = await openAccount({ grants: 50, authorizations: 60 });
  for (const [id, note] of personalNotes) await nameToken(account, id, note);
  const home = mkdtempSync(join(tmpdir(), "grantctl-examples-"));
  const [folder, commands, state, config] = ["work", "bin", "state", "config"].map((name) => {
    mkdirSync(join(home, name), { mode: 0o700 });
    return join(home, name);
  }) as [string, string, string, string];
  const { base_url, username, password, tokens } = account.sandbox.description;
  const [first, second, third] = tokens.map(({ token }) => token);
  if (first === undefined || second === undefined || third === undefined) throw new Error("too few tokens");
  installProgram(commands);
  // Take a value from standard input.
  for (const name of ["docker", "gh", "kubectl", "pass"])
    writeScript(join(commands, name), "#!/bin/sh\ncat > /dev/null\n");
  // Print one finding in the format of these tools, with the fields that grantctl reads.
  const found = {
    Raw: second,
    Verified: true,
    SourceMetadata: { Data: { Git: { file: "a.env", line: 1 } } },
  };
  printing(join(commands, "trufflehog"), { DetectorName: "GitHub", ...found });
  const report = [second, first].map((token, index) => ({
    RuleID: "github-pat",
    Secret: token,
    File: "a.env",
    StartLine: index + 1,
  }));
  // Exits with code 1 if it finds something, unless a flag prevents that.
  printing(join(commands, "gitleaks"), report, 'case "$*" in *"--exit-code 0"*) ;; *) exit 1 ;; esac');
  writeScript(join(folder, "script.sh"), "#!/bin/sh\ngrantctl grant list --limit 1\n");
  copyFileSync(join(folder, "script.sh"), join(folder, "rotate-tokens.sh"));
  writeScript(join(folder, "deploy.sh"), '#!/bin/sh\n[ -n "$GRANTCTL_TOKEN" ]\n');
  writeScript(join(commands, "npm"), "#!/bin/sh\nexit 0\n");
  for (const [name, script] of scriptsIn("rotation.md")) writeScript(join(folder, name), script);
  const files = {
    ".env": "NAME=app\nCI_TOKEN=old\n",
    "leaked.txt": `${first}\n${second}\n`,
    "token.txt": `${first}\n`,
    "old-token.txt": `${first}\n`,
    "tokens.txt": `${second}\n`,
    "keep.txt": `${first}\n`,
    "active.txt": `${third}\n`,
    "report.json": JSON.stringify(report),
    "ids.txt": "5\n6\n",
    "password.txt": `${password}\n`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  chmodSync(join(folder, "active.txt"), 0o600);
  const profile = { base_url, username };
  // Runs without a terminal, such as cron jobs, get the password from a command.
  const work = {
    ...profile,
    otp_command: "false",
    password_command: `cat '${join(folder, "password.txt")}'`,
    ca_cert: join(folder, "ca.pem"),
  };
  const configuration = JSON.stringify({ profiles: { default: { ...profile, otp_command: "false" }, work } });
  writeFileSync(join(config, "config.json"), configuration, { mode: 0o600 });
  writeFileSync(join(folder, "ca.pem"), rootCertificates[0] ?? "");
  const environment = {
    ...account.environment,
    PATH: `${commands}:${process.env["PATH"] ?? ""}`,
    HOME: folder,
    GRANTCTL_TOKEN: third,
    GRANTCTL_STATE_DIR: state,
    GRANTCTL_CONFIG_DIR: config,
  };
  const run = (lines: string): Promise<Finished> =>
    runProgram("bash", ["-c", lines], { environment, folder });
  return {
    folder,
    environment,
    run,
    async leaveValue() {
      await runMain(["token", "reset", "--yes", "--to-command", "false"], { environment, input: first });
      const [journal] = readdirSync(state).filter((name) => name.endsWith(".journal"));
      if (journal === undefined) throw new Error("nothing was left");
      renameSync(join(state, journal), join(state, `${leftoverId}.journal`));
    },
    async close() {
      await account.sandbox.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** The notes by which the pages find personal tokens. */
const personalNotes = [
  [51, "ci staging"],
  [52, "ci token"],
] as const;

async function nameToken({ sandbox }: Account, id: number, note: string): Promise<void> {
  const { base_url, username, password } = sandbox.description;
  const answer = await fetch(`${base_url}/authorizations/${id}`, {
    method: "PATCH",
    headers: { Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` },
    body: JSON.stringify({ note }),
  });
  if (!answer.ok) throw new Error(`the token got no note: ${answer.status}`);
}

/** The scripts that readers of a guide create, by name; other blocks of the page run them. */
function scriptsIn(guide: string): readonly (readonly [name: string, text: string])[] {
  const text = readFileSync(new URL(`../../docs/guides/${guide}`, import.meta.url), "utf8");
  return [...text.matchAll(/^cat > (\S+) <<'END'\n(.*?)^END$/gms)].map(([, name = "", body = ""]) => [
    name,
    body,
  ]);
}

/** Creates a program that ignores its input and prints a value as JSON. */
function printing(path: string, value: unknown, end = "exit 0"): void {
  writeScript(path, `#!/bin/sh\ncat <<'END'\n${JSON.stringify(value)}\nEND\n${end}\n`);
}
