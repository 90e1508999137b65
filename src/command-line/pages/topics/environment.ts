// `grantctl help environment`: every variable that is read. Those of settings come from the table of settings.
import { candidatesOf, settingNames, type SettingName } from "../../../config/settings.ts";
import { defaultOperator, operatorNames } from "../../../operators.ts";
import { either } from "../../wrong-words/nearest.ts";
import { examples, section, terms, type Section } from "../page.ts";

const meanings = {
  operator: `which kind of server it is: ${either(operatorNames)}; ${defaultOperator.name} by default`,
  baseUrl: "the service's address, its path prefix included",
  username: "the account's user name",
  password: "the account's password",
  passwordCommand: "a command that prints the account's password",
  token: "the token that api, graphql and audit --github-org send",
  otp: "a one-time password",
  otpCommand: "a command that prints a one-time password; it is run when one is asked for",
  clientId: "the application's client ID, for token and get-or-create",
  clientSecret: "the application's client secret",
  clientSecretCommand: "a command that prints the application's client secret",
  headerWord: "the word in X-<Word>-OTP and X-<Word>-SSO; the operator's own by default",
  caCert: "certificate authorities to trust",
  clientCert: "a client certificate",
  clientKey: "the key of the client certificate",
} as const satisfies Record<SettingName, string>;

export const environmentSections: readonly Section[] = [
  section(
    null,
    "A flag wins over a variable, a variable over the profile, the profile over the default. An empty variable counts as unset. grantctl auth status shows each part, every place that it may come from, and which one wins.",
  ),
  section(
    "Address and credentials",
    terms([
      ["GRANTCTL_PROFILE", "the profile of the configuration to use (--profile)"],
      ...settingNames.flatMap(settingTerm),
    ]),
  ),
  section(
    "Folders",
    terms([
      ["GRANTCTL_CONFIG_DIR", "the folder of the configuration; the platform's own by default"],
      ["GRANTCTL_STATE_DIR", "the folder for what must survive a crash; the platform's own by default"],
    ]),
  ),
  section(
    "Behaviour",
    terms([
      ["GRANTCTL_NO_INPUT", "never ask, fail instead; 0, false, no and off mean no (--no-input)"],
      ["GRANTCTL_DEBUG", "describe each request on standard error, without secrets (--debug)"],
      ["NO_COLOR", "no colours (--no-color)"],
      [
        "FORCE_COLOR",
        "colours even when standard output is not a terminal, unless it is 0 or false (--color)",
      ],
      [
        "LC_ALL, LC_CTYPE, LANG",
        "if the first that is set is C or POSIX, text for people is ASCII; what goes to a pipe stays as it is",
      ],
      ["TERM", "dumb: no colours, no progress, and questions as plain lines"],
    ]),
  ),
  section(
    "Network",
    terms([
      ["HTTPS_PROXY, HTTP_PROXY", "the proxy for addresses with https, and with http; in lower case, too"],
      ["NO_PROXY", "hosts that are reached without it, separated by commas; in lower case, too"],
    ]),
  ),
  section(
    "Set for the command of --to-command",
    terms([
      [
        "GRANTCTL_TOKEN_LAST_EIGHT",
        "the last eight characters of the new value, which is its standard input",
      ],
      ["GRANTCTL_AUTHORIZATION_ID", "the authorization's id"],
      ["GRANTCTL_NOTE", "its note"],
    ]),
  ),
  section(
    "Secrets",
    "GRANTCTL_PASSWORD, GRANTCTL_CLIENT_SECRET, GRANTCTL_TOKEN and GRANTCTL_OTP are taken out of the process's environment at start and never reach a child. A secret has no flag: it would be visible in ps and in your shell's history. See grantctl help security.",
  ),
  section(
    "Examples",
    examples("GRANTCTL_NO_INPUT=1 grantctl grant list", "grantctl auth status --json setting,value,source"),
  ),
];

/** The term of a setting's variable, with the flag and profile key of the same setting. */
function settingTerm(setting: SettingName): readonly (readonly [string, string])[] {
  const places = candidatesOf(setting, { options: {}, environment: {}, profile: {} });
  const nameIn = (source: string): string | undefined =>
    places.find((place) => place.source === source)?.name;
  const variable = nameIn("environment");
  if (variable === undefined) return [];
  const flag = nameIn("flag");
  const key = nameIn("profile");
  const others = [flag, key === undefined ? undefined : `${key} in a profile`];
  const beside = others.filter((other) => other !== undefined).join(", ");
  return [[variable, beside === "" ? meanings[setting] : `${meanings[setting]} (${beside})`]];
}
