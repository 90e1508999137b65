// The section on rules in the help of `grantctl audit`.
import { section, terms } from "../../command-line/help-sections.ts";

export const rulesSection = section(
  "Rules",
  "Without --fail-on, audit shows the findings of a default set of rules and exits with code 0. With it, audit applies only the given rules (separated by commas), and exits with code 14 if one finds something.",
  terms([
    ["older-than=1y", "created longer ago: 90d, 12h, 2w, 1y, or a day"],
    ["not-updated-for=180d", "last updated longer ago"],
    ["not-used-for=90d", "approved for the organization of --github-org, and last used longer ago, or never"],
    ["no-expiry", "never expires, where others do"],
    ["expires-within=30d", "expires soon, or has expired"],
    ["scope=admin:*", "has such a scope; a star stands for any text"],
    ["no-note", "an authorization without a note"],
    ["no-fingerprint", "an authorization without a fingerprint"],
    ["duplicate-note", "several authorizations have the same note"],
    ["unknown-app", "its application is not in the file of --known"],
    ["new", "a token that is not in the snapshot of --since"],
  ]),
);
