// The headers of request and answer for `--verbose-headers`. Those that may hold credentials have only their names.
import type { Context } from "../../run/context.ts";
import { isFailure } from "../../errors/errors.ts";
import { foreign } from "../../errors/foreign.ts";
import type { HttpAnswer, HttpRequest } from "../../http/request.ts";
import type { RawCall, Service } from "../../http/service.ts";

/** Headers of an answer that may hold a secret, or an address that leads to one. */
const hidden = /^(?:set-cookie|authorization|www-authenticate|location)$|-(?:otp|sso)$/;
/** Headers of a user's own that may hold a secret. */
const hiddenOfUsers = /cookie|auth|key|secret|token|password|signature/i;

/** The service, describing each exchange on standard error, refusals included. */
export function describing(service: Service, hasCredentials: boolean, context: Context): Service {
  const exchangeRaw = async (call: RawCall): ReturnType<Service["exchangeRaw"]> => {
    const sent: HttpRequest[] = [];
    const tell = (answer: Pick<HttpAnswer, "status" | "headers">): void => {
      for (const request of sent) describeRequest(call.subject, request, hasCredentials, context);
      describeAnswer(answer, context);
    };
    try {
      const exchange = await service.exchangeRaw({ ...call, onSend: (request) => void sent.push(request) });
      tell(exchange.answer);
      return exchange;
    } catch (error) {
      const received = isFailure(error) ? error.details.received : undefined;
      if (received !== undefined) tell({ status: received.status, headers: received.headers ?? {} });
      throw error;
    }
  };
  return { ...service, exchangeRaw };
}

function describeRequest(
  subject: string,
  { method, headers }: HttpRequest,
  hasCredentials: boolean,
  { notices }: Context,
): void {
  notices.show(`> ${subject.startsWith(`${method} `) ? subject : `${method} ${subject}`}`);
  for (const [name, value] of Object.entries(headers)) {
    notices.show(`> ${name}: ${hiddenOfUsers.test(name) ? "(not shown)" : foreign(value)}`);
  }
  if (hasCredentials) notices.show("> Authorization: (not shown)");
}

function describeAnswer(
  { status, headers }: Pick<HttpAnswer, "status" | "headers">,
  { notices }: Context,
): void {
  notices.show(`< ${status}`);
  for (const [name, value] of Object.entries(headers)) {
    notices.show(`< ${name}: ${hidden.test(name) ? "(not shown)" : foreign(value)}`);
  }
}
