// `grantctl help security`: what users may rely on, and what nobody can promise them.
import { section, terms, type Section } from "../page.ts";

export const securitySections: readonly Section[] = [
  section(
    "Where secrets come from",
    "No secret is ever a flag or an argument: it would be visible in ps and in your shell's history. A secret is looked for in this order.",
    terms([
      ["standard input", "--password-stdin, --client-secret-stdin, lists of tokens"],
      ["the environment", "GRANTCTL_PASSWORD, GRANTCTL_CLIENT_SECRET, GRANTCTL_TOKEN"],
      ["a command", "password_command, client_secret_command, otp_command of a profile, run without a shell"],
      ["the store", "the keychain, or with --store file a private file; grantctl auth login"],
      ["a question", "hidden, on the terminal; never with --no-input"],
    ]),
  ),
  section(
    "Where they go",
    "Password, one-time code, client secret and tokens go only to the configured scheme, host and port. Redirects are never followed, addresses in answers never fetched. Stored secrets belong to the address at which they were proven.",
    "Certificates are always verified, a proxy's too; no flag or variable turns that off. Plain http is for loopback addresses, or for --allow-http, which warns each time.",
    "No secret shows up in --debug, errors, crash reports or a child's environment. Of a token only the last eight characters are shown, except by create, get-or-create, reset, rotate and recover show. Node's own switches that write memory, keys or requests to a file, or let a debugger in, are refused.",
  ),
  section(
    "What is not lost",
    "A token's value is shown once by the service. It is on disk, private, before it is read, and is deleted there only when the output has accepted it; grantctl recover list shows what a crash left. An output that cannot accept a value is noticed before the request, as far as that is possible.",
    "A request that changes something is sent once. When its answer does not come, the exit code is 13. A job can be killed at any instant and continued with --resume: nothing skipped, nothing finished sent again.",
    "Not found is never reported as gone unless the same credentials worked in the same run: the service answers wrong credentials in the same way.",
  ),
  section(
    "What is on the terminal",
    "Text that others chose, such as the names of applications, cannot move the cursor, colour, link, ring or reorder the terminal. Questions name the address that you configured, and leave the terminal as they found it.",
  ),
  section(
    "What nobody can promise",
    "A program of the same user reads what you read: files, the terminal, and the environment that grantctl was started with (on Linux, /proc/PID/environ). JavaScript strings cannot be wiped from memory, so a core file has them: where the system writes one, Ctrl-\\ (SIGQUIT) does, unless `ulimit -c 0` forbids it. If grantctl is killed after the service has made a token and before the answer is on disk, the value is lost; the next run always says that this may have happened.",
  ),
];
