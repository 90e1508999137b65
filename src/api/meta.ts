// `GET /meta`: facts that a GitHub server publishes about itself, requested without credentials. A response in any
// other format means that it is not a GitHub server. Neither is Enterprise Server 2 for our purposes: its older versions
// accept tokens only in the path, so it is used as `service`.
import { isFailure, type Failure, type Received } from "../errors/errors.ts";
import { readResponse, type Service } from "../http/service.ts";
import { isObject } from "../json.ts";

export interface ServerFacts {
  /** The version of an Enterprise Server, as in `3.19.2`; null for github.com and Enterprise Cloud. */
  readonly version: string | null;
  /** True if the server accepts passwords, or does not report whether it does. */
  readonly acceptsPasswords: boolean;
}

/**
 * Requests the server's facts; null if it is not a GitHub server. Throws only network failures: any other failure means
 * that it is another type of server.
 */
export async function fetchServerFacts(service: Service): Promise<ServerFacts | null> {
  const call = { method: "GET", template: "/meta", subject: "the server type" } as const;
  try {
    const exchange = await service.exchange(call);
    return readResponse(exchange, [200], (body) => readFacts(body, exchange.response));
  } catch (error) {
    if (!isFailure(error) || isFailure(error, "network")) throw error;
    return factsInRefusal(error);
  }
}

type HeadersOnly = Pick<Received, "headers">;

/** The version in every response of an Enterprise Server (docs.github.com, "Resources in the REST API"). */
function versionInHeaders({ headers }: HeadersOnly): string | undefined {
  return headers?.["x-github-enterprise-version"];
}

/**
 * The facts in the headers of a rejection: an Enterprise Server in private mode rejects requests without credentials.
 */
function factsInRefusal({ details: { status, received } }: Failure): ServerFacts | null {
  const version = versionInHeaders(received ?? {});
  return version === undefined || (status !== 401 && status !== 403) ? null : createFacts(version, true);
}

function readFacts(body: unknown, response: HeadersOnly): ServerFacts | null {
  const fields = isObject(body) ? body : {};
  const takesPasswords = fields["verifiable_password_authentication"];
  if (typeof takesPasswords !== "boolean") throw new TypeError("this is not GitHub's");
  return createFacts(fields["installed_version"] ?? versionInHeaders(response), takesPasswords);
}

/** Null for Enterprise Server 2. */
function createFacts(installed: unknown, acceptsPasswords: boolean): ServerFacts | null {
  const version = readVersion(installed);
  return version?.startsWith("2.") === true ? null : { version, acceptsPasswords };
}

/** The version number without any text after it; null if the value is not a string. */
function readVersion(value: unknown): string | null {
  if (typeof value !== "string") return null;
  return /^\d{1,4}(?:\.\d{1,4}){0,3}/.exec(value)?.[0] ?? "of unknown version";
}
