// Distinguishes tokens from other secrets in a report: by the format of GitHub's tokens, and by the detector that found
// a secret. Sending another vendor's secret to the server would leak it once more, so known other types are left out.

/** The tokens in a longer text, such as a URL or an assignment, which some rules of scanners report as the secret. */
export function tokensIn(text: string): readonly string[] {
  return text.match(token) ?? [];
}

/** True if a text is a token in one of these formats, and nothing else. */
export function isGitHubToken(text: string): boolean {
  return tokensIn(text)[0] === text;
}

/** True if a token in one of these formats has a prefix, which is unique to tokens. */
export function isPrefixed(text: string): boolean {
  return /^(?:gh[a-z]|github_pat)_/.test(text);
}

/** The type of the secrets that a detector finds; null if they may be tokens. */
export function otherKindOf(detector: string): string | null {
  const words = detector
    .slice(0, longestName)
    .replaceAll(/([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, "$1$3 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  let start = "";
  for (const word of words) {
    start += word;
    const kind = kindByName.get(start);
    if (kind !== undefined) return kind;
  }
  return null;
}

/** Longer than the name of any detector. */
const longestName = 200;

/**
 * A token in one of GitHub's formats, with a prefix or of 40 hexadecimal digits, that is not part of another word: an
 * older token is `v1.` and such digits, and a URL may contain a commit. An escape such as `%3D` may precede a prefix.
 */
const token =
  /(?:(?<!\w)|(?<=%[\dA-Fa-f]{2}|\\[nrt]))(?:gh[a-z]|github_pat)_[\w.-]{20,}\w|(?<![\w.+~-]|[^/]\/)[0-9a-f]{40}(?![\w.+/~-])/g;

/**
 * Detectors of other types of secrets, by the name of these secrets in messages, with the reason why none of them can be
 * a token of a server with this API. The names are those of gitleaks' rules, trufflehog's detectors and GitHub's
 * secret types, all of which begin with the vendor or the type. A name matches if its first words, joined, are in the
 * table: `aws-access-token`, `AWSSessionKey` and `aws_secret_access_key` all begin with `aws`.
 *
 * Kept, because their findings may be tokens of the service: generic rules (`generic-api-key`, `jwt`,
 * `curl-auth-header`, trufflehog's `URI`), GitHub's (`github-pat`, `Github`, `GitHubOauth2`), and every name that is
 * not here, such as an organization's own rules.
 */
const otherKinds: Readonly<Record<string, string>> = {
  // Sign requests of a cloud provider, or belong to its own accounts.
  "cloud keys":
    "aws amazon alibaba azure gcp googlecloud google digitalocean heroku cloudflare fastly flyio linode hetzner ibm oracle scalingo yandex tencent vultr planetscale databricks snowflake clickhouse confluent",
  // Never leave their machine and are no bearer tokens.
  "private keys":
    "privatekey pkcs12 agesecretkey sshprivatekey pgpprivatekey rsaprivatekey kubernetes openshift",
  // Open a database.
  "database passwords":
    "mongo mongodb postgres postgresql mysql mariadb redis jdbc sqlserver couchbase rabbitmq ldap ftp",
  // Belong to a messaging service.
  "chat and mail keys":
    "slack discord telegram mattermost gitter microsoftteams teams twilio sendgrid sendinblue brevo mailgun mailchimp mandrill postmark messagebird sendbird intercom zendesk hubspot typeform",
  // Belong to a payment provider or an exchange.
  "payment keys":
    "stripe squareaccess squareapp squaresecret squareup paypal braintree plaid gocardless flutterwave razorpay coinbase kraken kucoin bittrex shopify easypost shippo etsy",
  // Belong to a package registry or an artifact store.
  "registry keys":
    "npm nuget pypi rubygems clojars cargo crates artifactory jfrog docker dockerhub sonar sonarqube sonarcloud codecov snyk",
  // Belong to servers whose API is another one.
  "tokens of other code hosts and trackers":
    "gitlab bitbucket atlassian jira confluence asana trello linearapi airtable notion figma travisci circleci droneci buildkite",
  // Belong to a model provider.
  "keys of AI services": "openai anthropic cohere huggingface perplexity deepseek mistral groq replicate",
  // Belong to a service that watches or deploys.
  "keys of monitoring and operations":
    "datadog dynatrace newrelic grafana sentry sumologic pagerduty splunk hashicorp vault terraform pulumi doppler launchdarkly netlify vercel okta auth0 1password onepassword",
  // Belong to a service of that vendor.
  "keys of other vendors":
    "adobe algolia dropbox facebook twitter twitch linkedin flickr mapbox maxmind contentful freshbooks squarespace postman rapidapi sourcegraph",
};

const kindByName: ReadonlyMap<string, string> = new Map(
  Object.entries(otherKinds).flatMap(([kind, names]) => names.split(" ").map((name) => [name, kind])),
);
