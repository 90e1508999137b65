// The doctor's look at this machine's clock: one-time passwords are good for a moment, so both sides have to agree on it.
import type { HttpAnswer } from "../../http/request.ts";
import { fine, note, wrong, type Finding } from "./finding.ts";

/** A code from an authenticator application is good for half a minute, and for the one before. */
const codePeriodMs = 30_000;

/** The header has whole seconds, and the answer took its time. */
const unavoidableMs = 2000;

/** Compares the Date header of an answer with the times between which it was asked for and came. */
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
