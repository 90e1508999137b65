// Node's own options: options that reveal secrets are rejected in every spelling, all others are allowed.
import { expect, test } from "vitest";
import { revealingSwitch } from "../../src/host/node-switches.ts";

const refusalOf = (options: string): string | null =>
  revealingSwitch({ environment: { NODE_OPTIONS: options }, switches: [] })?.message ?? null;

const revealing = [
  "--inspect",
  "--inspect=0",
  "--inspect-brk=127.0.0.1:9229",
  "--inspect-wait",
  "--experimental-network-inspection",
  "--report-on-fatalerror",
  "--report-on-signal",
  "--report-uncaught-exception",
  "--report-dir=/tmp",
  "--experimental-report",
  "--heapsnapshot-signal=SIGUSR2",
  "--heapsnapshot-near-heap-limit=1",
  "--tls-keylog=/tmp/keys",
  "--trace-tls",
  "--trace-event-categories=node",
  "--trace-events-enabled",
  "--abort-on-uncaught-exception",
  "-abort-on-uncaught-exception",
  "--trace",
  "-trace",
  "--print-all-exceptions",
  "--print-opt-code",
  "--print_all_code",
  "--trace-turbo",
  "--trace-turbo-graph",
  "--trace-maglev-graph-building",
  "--trace-heap-broker-verbose",
  "--turbo-profiling-verbose",
  "--log-all",
  "--log-code-disassemble",
  "--trace-compilation-dependencies",
  "--trace-deopt-verbose",
  "--trace-wasm-memory",
];

test.each(revealing)("%s is rejected in NODE_OPTIONS and on the command line", (word) => {
  const name = (word.split("=")[0] ?? "").replaceAll("_", "-");
  const failure = revealingSwitch({ environment: { NODE_OPTIONS: word }, switches: [] });
  expect(failure).toMatchObject({ kind: "usage", exitCode: 2 });
  expect(failure?.message.startsWith(`${name} in NODE_OPTIONS would `)).toBe(true);
  expect(failure?.details.hint).toMatch(/^Remove it from NODE_OPTIONS\. /);
  const typed = revealingSwitch({ environment: {}, switches: ["--no-warnings", word] });
  expect(typed?.message.startsWith(`node ${name} would `)).toBe(true);
  expect(typed?.details.hint).toMatch(/^Run grantctl without it\. /);
});

test.each([
  "--tls_keylog=/tmp/keys",
  "--no-warnings --tls-keylog=/tmp/keys",
  "  --tls-keylog /tmp/keys",
  '"--tls-keylog=/tmp/a b"',
  '--tls-"keylog"=x',
  '"--tls\\-keylog=x"',
  '--title="a b" --tls-keylog=x',
])("%s is detected as a key log, as Node parses it", (options) => {
  expect(refusalOf(options)).toBe(
    "--tls-keylog in NODE_OPTIONS would write the keys of each connection to a file",
  );
});

test.each([
  "",
  "--max-old-space-size=4096",
  "--no-warnings --trace-warnings --trace-deprecation --trace-uncaught",
  "--require dd-trace/init --import ./instrument.mjs",
  "--inspect-port=0 --debug-port=1 --no-inspect",
  "--heap-prof --enable-source-maps --print --trace-opt --trace-deopt --trace-gc",
  "--use-openssl-ca --tls-min-v1.3 --dns-result-order=ipv4first",
  '--title="--inspect --tls-keylog"',
  '--title="a\\" --inspect"',
  "-r ./inspect.js",
  "inspect report- --reported",
])("%j is not rejected", (options) => {
  expect(refusalOf(options)).toBeNull();
});

test.each(["NODE_DEBUG", "NODE_DEBUG_NATIVE"])("%s is rejected by name", (name) => {
  const failure = revealingSwitch({ environment: { [name]: "http" }, switches: [] });
  expect(failure?.message).toMatch(new RegExp(`^${name} would print `));
  expect(failure?.details.hint).toMatch(new RegExp(`^Unset ${name}\\. `));
});
