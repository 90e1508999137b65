// The first line of `grantctl auth status`: one sentence on who is logged in where, before the details.
import { isReady, type StatusRow } from "./status-row.ts";

/** The sentence, without a full stop. */
export function loginInWords(rows: readonly StatusRow[]): string {
  const row = (setting: string): StatusRow | undefined => rows.find((one) => one.setting === setting);
  const address = row("base_url")?.value ?? null;
  const where = address === null ? "" : ` to ${address}`;
  const secrets = [
    { secret: row("password"), user: row("username")?.value, whose: "" },
    { secret: row("client_secret"), user: row("client_id")?.value, whose: "the application " },
  ];
  for (const { secret, user, whose } of secrets) {
    if (secret === undefined || !isReady(secret) || user === undefined || user === null) continue;
    if (address === null) return `not logged in: ${whose}${user} has a secret, but there is no address`;
    return `logged in${where} as ${whose}${user}, ${placeOf(secret)}`;
  }
  const token = row("token");
  if (token !== undefined && isReady(token)) {
    return address === null
      ? "not logged in: there is a token, but no address"
      : `logged in${where} with a token, ${placeOf(token)}`;
  }
  return `not logged in${where}`;
}

/** The place where a secret is kept or comes from, as the end of a sentence. */
function placeOf({ setting, source, chain }: StatusRow): string {
  const what = `the ${setting.replace("_", " ")}`;
  if (source === "keychain") return `${what} is kept in the keychain`;
  if (source === "file") return `${what} is kept in a file`;
  const name = chain.find((place) => place.source === source && place.state === "set")?.name ?? "";
  if (source === "profile") return `${what} comes from the profile's ${name}`;
  return `${what} comes from ${name === "" ? (source ?? "nowhere") : name}`;
}
