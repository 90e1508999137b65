// Findings in the formats of scanners: trufflehog v3 --json, gitleaks v8 --report-format json, and GitHub's secret
// scanning alerts. Modelled on their output; a real report of gitleaks is in test/reports/made-by-gitleaks.

/** A finding of gitleaks. */
export function gitleaksFinding(secret: string, file = "src/config.py", line = 12): object {
  return {
    RuleID: "generic-api-key",
    StartLine: line,
    Match: `TOKEN = "${secret}"`,
    Secret: secret,
    File: file,
    Commit: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    Message: `add "the" [token] {${secret}`,
    Fingerprint: `4b825dc642cb6eb9a060e54bf8d69288fbee4904:${file}:generic-api-key:${line}`,
  };
}

/** A finding of trufflehog, in a git history. */
export function trufflehogFinding(secret: string, { file = "deploy.sh", line = 3 } = {}): object {
  return {
    SourceMetadata: {
      Data: {
        Git: {
          commit: "aaaabbbbccccddddeeeeffff0000111122223333",
          file,
          repository: "https://git.example.com/octavia/tools",
          line,
        },
      },
    },
    SourceName: "trufflehog - git",
    DetectorName: "Github",
    Verified: true,
    Raw: secret,
    RawV2: "",
  };
}

/** An alert of GitHub's secret scanning. */
export function githubAlert(secret: string): object {
  return {
    number: 42,
    url: "https://api.github.com/repos/octavia/tools/secret-scanning/alerts/42",
    html_url: "https://github.com/octavia/tools/security/secret-scanning/42",
    locations_url: "https://api.github.com/repos/octavia/tools/secret-scanning/alerts/42/locations",
    secret_type: "github_oauth_access_token",
    secret,
    validity: "active",
  };
}

/** One JSON object per line, as trufflehog writes them. */
export function lines(findings: readonly object[]): string {
  return findings.map((finding) => `${JSON.stringify(finding)}\n`).join("");
}
