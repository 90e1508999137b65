// Stand-ins for the tools that receive tokens. Each checks its input: the expected arguments, only the value on
// standard input, the variables that identify the value, and no secret in arguments or environment.
import { join } from "node:path";
import { writeScript } from "./binary.ts";

interface Taker {
  /** The arguments with which the tool receives a value. */
  readonly takes: string;
  /** True if the value must not end with a line feed. */
  readonly isWithoutLineFeed?: true;
  /** The output after the value was accepted. */
  readonly prints?: string;
  /** Further cases of its shell script. */
  readonly other?: Readonly<Record<string, string>>;
}

const takers: Readonly<Record<string, Taker>> = {
  pass: { takes: "insert -m ci/token" },
  gh: { takes: "secret set CI_TOKEN --repo example/app" },
  docker: { takes: "login registry.example.com --username octavia --password-stdin" },
  kubectl: {
    takes: "create secret generic ci-token --from-file=token=/dev/stdin --dry-run=client --output yaml",
    isWithoutLineFeed: true,
    prints: "kind: Secret",
    other: {
      "apply --filename -": `[ "$(cat)" = "kind: Secret" ] || fail "no secret to apply"; exit 0`,
    },
  },
};

/** Writes all stand-ins into the folder. */
export function writeValueTakers(folder: string): void {
  for (const [name, taker] of Object.entries(takers)) {
    writeScript(join(folder, name), scriptOf(name, taker));
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
