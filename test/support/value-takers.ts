// Stand-ins of the tools that take tokens. Each checks what it is given: just its own words, the value alone on standard
// input, the variables that tell values apart, and no secret in its arguments or its environment.
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Taker {
  /** The words with which it takes a value. */
  readonly takes: string;
  /** True if a line feed belongs to the value. */
  readonly isWithoutLineFeed?: true;
  /** Its output after it accepted the value. */
  readonly prints?: string;
  /** Words with which it does something else, as shell. */
  readonly other?: Readonly<Record<string, string>>;
}

const takers: Readonly<Record<string, Taker>> = {
  pass: { takes: "insert -m ci/token", other: { "ls ci/token": "exit 0" } },
  gh: {
    takes: "secret set CI_TOKEN --repo example/app",
    other: { "auth status": "exit 0" },
  },
  docker: { takes: "login registry.example.com --username octavia --password-stdin" },
  kubectl: {
    takes: "create secret generic ci-token --from-file=token=/dev/stdin --dry-run=client --output yaml",
    isWithoutLineFeed: true,
    prints: "kind: Secret",
    other: {
      "auth can-i update secrets": "echo yes; exit 0",
      "apply --filename -": `[ "$(cat)" = "kind: Secret" ] || fail "no secret to apply"; exit 0`,
    },
  },
};

/** Writes all of them into the folder. */
export function writeValueTakers(folder: string): void {
  for (const [name, taker] of Object.entries(takers)) {
    const path = join(folder, name);
    writeFileSync(path, scriptOf(name, taker));
    chmodSync(path, 0o755);
  }
}

function scriptOf(name: string, { takes, isWithoutLineFeed, prints, other = {} }: Taker): string {
  const branches = Object.entries(other).map(([words, does]) => `  '${words}') ${does} ;;`);
  const hasLineFeed = isWithoutLineFeed === true ? "!" : "";
  return `#!/bin/sh
fail() { echo "${name}: $1" >&2; exit 9; }
case "$*" in
${branches.join("\n")}
  '${takes}') ;;
  *) fail "other words: $*" ;;
esac
${hasLineFeed} IFS= read -r value || fail "the line feed is not as it should be"
! read -r more || fail "more than the value"
[ \${#value} -eq 40 ] || fail "no value"
[ "\${value#????????????????????????????????}" = "$GRANTCTL_TOKEN_LAST_EIGHT" ] || fail "other last eight characters"
[ "$GRANTCTL_AUTHORIZATION_ID" -gt 0 ] && [ "\${GRANTCTL_NOTE+set}" = set ] || fail "no variables"
! env | grep -qF "$value" || fail "the value is in the environment"
! env | grep -qE '^GRANTCTL_(PASSWORD|CLIENT_SECRET|TOKEN|OTP)=' || fail "a secret is in the environment"
${prints === undefined ? "" : `echo "${prints}"`}
`;
}
