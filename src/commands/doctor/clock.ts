// The doctor's check of this machine's clock: a one-time password is valid for half a minute by the server's clock.
import type { HttpAnswer } from "../../http/request.ts";
import { fine, note, wrong, type Finding } from "./finding.ts";

/** A code from an authenticator application is valid for its half minute and for the next one. */
const codePeriodMs = 30_000;

/** A difference that proves nothing: the header has whole seconds, and the answer took time to arrive. */
const unavoidableMs = 2000;

/** Compares the Date header of an answer with the times of the request and of the answer. */
export function checkClock({ headers }: HttpAnswer, asked: number, answered: number): Finding {
  const date = Date.parse(headers["date"] ?? "");
  if (Number.isNaN(date)) return note("clock", "the service does not say what time it is");
  const offMs =
    date < asked - unavoidableMs ? date - asked : date > answered + unavoidableMs ? date - answered : 0;
  if (offMs === 0) return fine("clock", "agrees with the service's");
  const message = `this clock is ${Math.round(Math.abs(offMs) / 1000)} s ${offMs > 0 ? "behind" : "ahead of"} the service's`;
  return Math.abs(offMs) < codePeriodMs
    ? note("clock", message, "one-time passwords may be refused now and then: synchronise it")
    : wrong("clock", "otp", message, "one-time passwords of this machine are refused: synchronise its clock");
}
