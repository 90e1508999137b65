// Stacks the layers in their one order: the layer nearest to the caller comes first, the transport last.
import { authorizationLayer, clientFormLayer, type BasicCredentials } from "./authorization.ts";
import { errorAnswersLayer } from "./error-answers.ts";
import { foreignLinksLayer } from "./foreign-links.ts";
import type { Operator } from "../operators.ts";
import { oneTimePasswordLayer, type OneTimePasswords } from "./one-time-password.ts";
import { notFoundHintsLayer, type FindHint } from "./not-found-hints.ts";
import { intentLayer } from "./intent.ts";
import type { Origin } from "./origin.ts";
import { stackLayers, type Send } from "./request.ts";
import { createService, type Endpoints, type Service } from "./service.ts";
import { singleSignOnLayer } from "./single-sign-on.ts";
import { traceLayer } from "./trace.ts";
import { retryLayer } from "./waiting.ts";

export interface ConnectOptions {
  readonly origin: Origin;
  /** The kind of server, which decides in what form an operation is sent. */
  readonly operator: Operator;
  readonly headerWord: string;
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly retries: number;
  /** The value of the `Authorization` header; null to send none. */
  readonly authorization: string | null;
  /** A client's ID and secret for the body of forms, in the place of the header. */
  readonly clientInForm?: BasicCredentials | undefined;
  /** The endpoints of a server that has no fixed paths. */
  readonly endpoints?: Endpoints | undefined;
  /** Null for credentials that need no one-time password: an application's, or a token. */
  readonly oneTimePasswords: OneTimePasswords | null;
  /** Finds a better hint for a 404; absent to keep the usual one. */
  readonly findHint?: FindHint;
  readonly onPartialResults: (organizationIds: readonly string[]) => void;
  /** Null without --debug, so that the trace costs nothing. */
  readonly trace: ((line: string) => void) | null;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly random: () => number;
}

/** A service reached through every layer over the given transport. */
export function connect(options: ConnectOptions, transport: Send): Service {
  const { headerWord, oneTimePasswords, authorization, clientInForm, trace, now } = options;
  const send = stackLayers(
    [
      notFoundHintsLayer(options.findHint ?? null),
      retryLayer(options),
      errorAnswersLayer(options, now),
      singleSignOnLayer(headerWord, options.onPartialResults),
      ...(oneTimePasswords === null ? [] : [oneTimePasswordLayer(headerWord, oneTimePasswords)]),
      ...(authorization === null ? [] : [authorizationLayer(authorization)]),
      ...(clientInForm === undefined ? [] : [clientFormLayer(clientInForm)]),
      ...(trace === null ? [] : [foreignLinksLayer(options.origin.root, trace), traceLayer(trace, now)]),
      intentLayer(),
    ],
    transport,
  );
  return createService(options.origin, send, options.headers, options.operator, options.endpoints ?? null);
}
