// A short tour of three typical sessions, run by `npm run tour` inside `grantctl sandbox run`. Each line after a `$` is
// a command that it runs against the sandbox.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../bin/grantctl.js", import.meta.url));
const bold = (text) => (process.stdout.isTTY ? `\u001b[1m${text}\u001b[22m` : text);
const dim = (text) => (process.stdout.isTTY ? `\u001b[2m${text}\u001b[22m` : text);

/** Runs a command, shows it with its output, and returns its standard output. */
function run(line, words, { input = "", expected = 0, show = (text) => text } = {}) {
  console.log(`${bold(`$ ${line}`)}`);
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], {
    input,
    encoding: "utf8",
  });
  process.stdout.write(show(stdout));
  if (stderr !== "") process.stdout.write(dim(stderr));
  if (status !== expected) {
    throw new Error(`the tour expected exit code ${expected} and saw ${status}`);
  }
  console.log(dim(`exit code ${status}`));
  console.log();
  return stdout.trimEnd();
}

const title = (text) => console.log(`${bold(`── ${text} `)}${"─".repeat(Math.max(0, 76 - text.length))}\n`);

console.log(`\nThis is grantctl against its own sandbox at ${process.env.GRANTCTL_BASE_URL}.\n`);

title("An account owner looks at who has access, and takes one away");
run("grantctl grant list", ["grant", "list", "--format", "table"]);
run("grantctl grant delete 2 --dry-run", ["grant", "delete", "2", "--dry-run"]);
run("grantctl grant delete 2 --yes", ["grant", "delete", "2", "--yes"]);
run("grantctl grant list --json id,app.name", ["grant", "list", "--json", "id,app.name"]);

title("A script creates a token for this machine: a token or an error, never an empty string");
const create = [
  "authorization",
  "get-or-create",
  "--machine-fingerprint",
  "--scope",
  "repo",
  "--note",
  "nightly backup",
];
const createLine =
  "grantctl authorization get-or-create --machine-fingerprint --scope repo --note 'nightly backup'";
const token = run(`TOKEN=$(${createLine}); echo "$TOKEN"`, create);
run(createLine, create, { expected: 10 });

title("An app owner answers a leak: check the token, give it a new value, end it");
run(
  'echo "$TOKEN" | grantctl token check --json note,scopes,user.login',
  ["token", "check", "--json", "note,scopes,user.login"],
  {
    input: token,
  },
);
const fresh = run(
  'NEW=$(echo "$TOKEN" | grantctl token reset --yes); echo "$NEW"',
  ["token", "reset", "--yes"],
  { input: token },
);
run('echo "$TOKEN" | grantctl token check', ["token", "check"], { input: token, expected: 3 });
run('echo "$NEW" | grantctl token revoke --yes', ["token", "revoke", "--yes"], { input: fresh });

console.log("That was all of it. The sandbox is gone; start one that stays with: grantctl sandbox start\n");
