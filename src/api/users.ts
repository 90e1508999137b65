// Finds the account of a token with a request that most operators have besides the specification's operations.
import * as v from "valibot";
import { sendForJson, type Service } from "../http/service.ts";

const user = v.looseObject({ login: v.pipe(v.string(), v.nonEmpty()) });

/** The user name of the account whose token the service sends. Throws the request's failure. */
export async function getUsername(service: Service): Promise<string> {
  const call = { method: "GET", template: "/user", subject: "the user behind the token" } as const;
  return (await sendForJson(service, call, [200], (body) => v.parse(user, body))).body.login;
}
