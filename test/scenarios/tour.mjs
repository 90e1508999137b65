// A short tour of the three tasks of README.md, run by `npm run tour` inside `grantctl sandbox run`. Each line after a `$` is
// a command that it runs against the sandbox.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const program = [process.execPath, fileURLToPath(new URL("../../bin/grantctl.js", import.meta.url))];
const folder = mkdtempSync(join(tmpdir(), "grantctl-tour-"));
const bold = (text) => (process.stdout.isTTY ? `\u001b[1m${text}\u001b[22m` : text);
const dim = (text) => (process.stdout.isTTY ? `\u001b[2m${text}\u001b[22m` : text);
const title = (text) => console.log(`${bold(`── ${text} `)}${"─".repeat(Math.max(0, 76 - text.length))}\n`);

/** Shows a command line and runs it: words, quoted words, `grantctl` anywhere, and `> FILE` at the end. */
function run(line, expected = 0, meaning = "") {
  console.log(bold(`$ ${line}`));
  const [command, file] = line.split(" > ");
  const [node, ...words] = command
    .match(/'[^']*'|\S+/g)
    .flatMap((word) => (word === "grantctl" ? program : [word.replaceAll("'", "")]));
  const { status, stdout, stderr } = spawnSync(node, words, { cwd: folder, encoding: "utf8" });
  if (file === undefined) process.stdout.write(stdout);
  else writeFileSync(join(folder, file), stdout, { mode: 0o600 });
  if (stderr !== "") process.stdout.write(dim(stderr));
  if (status !== expected) throw new Error(`the tour expected exit code ${expected} and saw ${status}`);
  console.log(dim(`exit code ${status}${meaning}\n`));
}

console.log(`\nThis is grantctl with its own sandbox at ${process.env.GRANTCTL_BASE_URL}.\n`);

title("An application owner responds to a leak, with an active token as proof");
run("grantctl sandbox tokens --count 3 > leaked.txt");
run("grantctl sandbox tokens --count 1 > active.txt");
run("grantctl token check --proof-token-file active.txt leaked.txt --format table");
run("grantctl token revoke --yes --proof-token-file active.txt leaked.txt");
run("grantctl token check --proof-token-file active.txt leaked.txt", 3, ": it is proven that none is active");

title("An account owner looks at who has access, and takes one away");
run("grantctl grant list --format table");
run("grantctl grant delete 2 --dry-run");
run("grantctl grant delete 2 --yes");
run("grantctl grant list --json id,app.name");

title("A script gets a token: one for a single run, and one that lasts");
run("grantctl authorization run --scope repo -- grantctl api /user --jq .login");
run(
  "grantctl authorization get-or-create --machine-fingerprint --note 'nightly backup' --output-file token.txt",
);
run("grantctl authorization get-or-create --machine-fingerprint --note 'nightly backup'", 10, ": it exists");

rmSync(folder, { recursive: true });
console.log(
  "That was all of it. This line opens a shell in which you can try it yourself; exit leaves it:\n",
);
console.log("  node bin/grantctl.js sandbox run --grants 50 --authorizations 60 -- bash\n");
