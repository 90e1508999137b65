// The credentials that `api` and `graphql` send: by default a token if there is one, otherwise the account's.
import { Option, type Command } from "commander";
import type { Context } from "../../run/context.ts";
import type { Service } from "../../http/service.ts";
import { finishing } from "./change.ts";

const kinds = ["basic", "token", "app", "none"] as const;

export interface AuthenticationOptions {
  readonly auth?: (typeof kinds)[number];
}

/** Adds `--auth`. */
export function addAuthentication(command: Command): Command {
  return command.addOption(
    new Option(
      "--auth <kind>",
      "send the account's credentials, a token, an application's credentials, or nothing; by default a token, if there is one, else the account's",
    ).choices(kinds),
  );
}

/** The service with these credentials. Ctrl-C waits for the answer to a change. */
export async function openRawService(options: AuthenticationOptions, context: Context): Promise<Service> {
  return finishing(await openWith(options, context), context);
}

async function openWith({ auth }: AuthenticationOptions, context: Context): Promise<Service> {
  if (auth === "basic") return (await context.address.accountService()).service;
  if (auth === "app") return (await context.address.applicationService()).service;
  if (auth === "none") return context.address.tokenService(null);
  return auth === "token" ? context.address.ownTokenService() : context.address.anyService();
}
