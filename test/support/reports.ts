// Findings in the formats of scanners: trufflehog v3 --json, gitleaks v8 --report-format json, and GitHub's secret
// scanning alerts. Modelled on their output; a real report of gitleaks is in test/reports/made-by-gitleaks.

/** A finding of gitleaks. */
export function gitleaksFinding(secret: string, file = "src/config.py", line = 12): object {
  return {
    RuleID: "generic-api-key",
    Description: "Detected a Generic API Key.",
    StartLine: line,
    EndLine: line,
    StartColumn: 9,
    EndColumn: 60,
    Match: `TOKEN = "${secret}"`,
    Secret: secret,
    File: file,
    SymlinkFile: "",
    Commit: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    Entropy: 3.8841837,
    Author: "Octavia",
    Email: "octavia@example.com",
    Date: "2026-11-01T10:00:00Z",
    Message: `add "the" [token] {${secret}`,
    Tags: [],
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
          email: "Octavia <octavia@example.com>",
          repository: "https://git.example.com/octavia/tools",
          timestamp: "2026-11-01 10:00:00 +0000",
          line,
        },
      },
    },
    SourceID: 1,
    SourceType: 16,
    SourceName: "trufflehog - git",
    DetectorType: 8,
    DetectorName: "Github",
    DetectorDescription: "GitHub is a web-based platform used for version control.",
    DecoderName: "PLAIN",
    Verified: true,
    VerificationFromCache: false,
    Raw: secret,
    RawV2: "",
    Redacted: "",
    ExtraData: { rotation_guide: "https://example.com/rotate" },
    StructuredData: null,
  };
}

/** An alert of GitHub's secret scanning. */
export function githubAlert(secret: string): object {
  return {
    number: 42,
    created_at: "2026-11-06T18:18:30Z",
    url: "https://api.github.com/repos/octavia/tools/secret-scanning/alerts/42",
    html_url: "https://github.com/octavia/tools/security/secret-scanning/42",
    locations_url: "https://api.github.com/repos/octavia/tools/secret-scanning/alerts/42/locations",
    state: "open",
    resolution: null,
    resolved_at: null,
    resolved_by: null,
    secret_type: "github_oauth_access_token",
    secret_type_display_name: "GitHub OAuth Access Token",
    secret,
    validity: "active",
    push_protection_bypassed: false,
  };
}

/** One JSON object per line, as trufflehog writes them. */
export function lines(findings: readonly object[]): string {
  return findings.map((finding) => `${JSON.stringify(finding)}\n`).join("");
}
