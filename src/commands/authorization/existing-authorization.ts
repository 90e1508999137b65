// get-or-create with an authorization that exists already, whose token the service does not show again: reports it, or
// replaces it.
import type { WantedAuthorization } from "../../api/authorizations.ts";
import type { Authorization } from "../../api/resources.ts";
import type { ItemRecord } from "../../jobs/job.ts";
import { hasValue } from "../../delivery/deliver.ts";
import { checkScopesAreTold } from "../../delivery/new-value.ts";
import { Failure, isFailure } from "../../errors/errors.ts";
import { saysNotFound } from "../../errors/not-found.ts";
import { toJson } from "../../json/exact-json.ts";
import { printWhileRead } from "../../printing/output-stream.ts";
import type { Service } from "../../http/service.ts";
import type { Context } from "../../run/context.ts";
import { authorizationPresentation } from "../../printing/resources.ts";
import { inWords } from "./in-words.ts";
import { whatItHad } from "./replaced-authorization.ts";

export interface ExistingOptions {
  readonly allowExisting?: true;
  readonly replaceExisting?: true;
}

/** The failure for an authorization that exists, whose token cannot be shown. */
export function existsFailure({ id }: Authorization): Failure {
  return new Failure(
    "exists",
    `authorization ${toJson(id, 0)} exists already, and the service shows the value of a token only when it is new`,
    { status: 200, hint: "replace it with --replace-existing, or accept it with --allow-existing" },
  );
}

/** Reports the existing authorization. Throws an `exists` failure unless --allow-existing was given. */
export async function reportExisting(
  existing: Authorization,
  options: ExistingOptions,
  context: Context,
): Promise<void> {
  if (context.printer.isJson)
    await printWhileRead(() => context.printer.printItem(existing, authorizationPresentation));
  const failure = existsFailure(existing);
  if (options.allowExisting !== true) throw failure;
  context.notices.note(failure.message);
}

/** Throws for an authorization of unknown scopes, where no flag says which scopes its successor gets. */
export function checkCanReplace(existing: Authorization, wanted: readonly string[] | undefined): void {
  if (wanted === undefined)
    checkScopesAreTold(existing, { hint: "name them with --scope, or give --scope '' for none" });
}

/** What an authorization was asked for by. */
interface Key {
  readonly client_id: string;
  readonly fingerprint?: string;
}

/**
 * Throws where the answer is about another application or machine than the request: its token would be deleted in place
 * of the one that was meant. A service that leaves these fields out is believed.
 */
function checkIsMeant({ id, app, fingerprint }: Authorization, asked: Key): void {
  const isMeant =
    (app?.client_id ?? asked.client_id) === asked.client_id &&
    (asked.fingerprint === undefined || (fingerprint || asked.fingerprint) === asked.fingerprint);
  if (isMeant) return;
  throw new Failure(
    "protocol",
    `the service answered with authorization ${toJson(id, 0)}, of another application or fingerprint than was asked for: it was not deleted`,
  );
}

/** The deletion that comes before the creation of a new authorization. */
export interface Deletion {
  /** Deletes the old one, unless it is deleted already, after the journal says what is about to happen. */
  carryOut(record: ItemRecord): Promise<void>;
  /** A sentence on the deletion, and the way on; undefined until it is carried out. */
  said(): string | undefined;
}

/** How the new authorization is made. */
interface Replacement {
  readonly service: Service;
  readonly key: Key;
  readonly wanted: WantedAuthorization;
  /** Creates one with this body, after the deletion. */
  readonly create: (body: WantedAuthorization, deletion: Deletion) => Promise<Authorization>;
}

/**
 * Asks, and creates a new authorization, with the wanted fields and those of the existing one, which is deleted before.
 * The failure says so if only the deletion succeeded; nothing is deleted that was not asked for by `key`.
 */
export async function replaceExisting(
  existing: Authorization,
  { service, key, wanted, create }: Replacement,
  context: Context,
): Promise<void> {
  checkIsMeant(existing, key);
  checkCanReplace(existing, wanted.scopes);
  const what = `${inWords(existing)} at ${context.address.origin().href}`;
  await context.confirm(`Replace ${what}, so that its token stops working?`);
  const id = toJson(existing.id, 0);
  const { deleteAuthorization } = await import("../../api/authorizations.ts");
  const kept = keptOf(existing);
  const gone = `authorization ${id} was deleted`;
  const again = `once it can succeed, the same command creates it${whatItHad(kept)}`;
  let isGone = false;
  const deletion: Deletion = {
    async carryOut(record) {
      if (isGone) return;
      await record.keep({ state: "sent", replaces: { id, ...kept } });
      await deleteAuthorization(service, id).catch((error: unknown) => {
        // The same credentials have just found it, so they are right: somebody else has deleted it.
        if (!saysNotFound(error)) throw error;
      });
      isGone = true;
    },
    said: () => (isGone ? `${gone}: ${again}` : undefined),
  };
  let created: Authorization;
  try {
    created = await create({ ...kept, ...wanted }, deletion);
  } catch (error) {
    if (!isFailure(error) || !isGone) throw error;
    const isDecided = error.kind !== "unknown" && error.kind !== "undelivered";
    throw new Failure(
      isDecided ? "incomplete" : error.kind,
      isDecided ? `${gone}, but no new one was created: ${error.marked}` : `${gone}; ${error.marked}`,
      isDecided ? { ...error.details, hint: again } : error.details,
    );
  }
  if (!hasValue(created)) {
    throw anotherFailure(`${gone}, but another one exists: ${toJson(created.id, 0)}`);
  }
}

/** The failure of a replacement that deletes one authorization and finds the next one of the same application. */
export function anotherFailure(message: string): Failure {
  return new Failure("incomplete", message, {
    hint: "the same command deletes that one next; with --fingerprint or --machine-fingerprint, each machine has its own",
  });
}

/** The fields that a new authorization takes from the one that it replaces, where no flag sets them. */
function keptOf({
  scopes,
  note,
  note_url,
}: Authorization): Omit<Partial<WantedAuthorization>, "client_secret"> {
  return {
    ...(scopes === null || scopes === undefined ? {} : { scopes }),
    ...(typeof note !== "string" || note === "" ? {} : { note }),
    ...(typeof note_url !== "string" || note_url === "" ? {} : { note_url }),
  };
}
