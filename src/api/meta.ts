// `GET /meta`: facts that a GitHub server publishes about itself, requested without credentials. A response in any
// other format means that it is not a GitHub server. Neither is Enterprise Server 2 for our purposes: its older versions
// accept tokens only in the path, so it is used as `service`.
import { responseTo, type Service } from "../http/service.ts";
import { objectIn } from "../json.ts";

/**
 * The version of an Enterprise Server, as in `3.19.2`; null for github.com and Enterprise Cloud, undefined for a server
 * that is not GitHub. Throws if no complete response came.
 */
export async function fetchVersion(service: Service): Promise<string | null | undefined> {
  const call = { method: "GET", template: "/meta", subject: "the server type" } as const;
  const { status, headers, body } = await responseTo(service, call);
  // In every response of an Enterprise Server (docs.github.com, "Resources in the REST API").
  const version = headers?.["x-github-enterprise-version"];
  // An Enterprise Server in private mode rejects requests without credentials.
  if (version !== undefined && (status === 401 || status === 403)) return readVersion(version);
  const content = status === 200 ? objectIn(body) : {};
  return typeof content["verifiable_password_authentication"] === "boolean"
    ? readVersion(content["installed_version"] ?? version)
    : undefined;
}

/** The number without any text after it; undefined for Enterprise Server 2. */
function readVersion(value: unknown): string | null | undefined {
  if (typeof value !== "string") return null;
  const version = /^\d{1,4}(?:\.\d{1,4}){0,3}/.exec(value)?.[0] ?? "of unknown version";
  return version.startsWith("2.") ? undefined : version;
}
