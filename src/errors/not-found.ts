// True if the server itself reports that it does not have an item: only that may count as gone. The 404 of a gateway in
// front of the service ends a run with the same exit code, and says nothing about the item.
import { isFailure, type Failure, type Received } from "./errors.ts";

type Answer = Partial<Pick<Received, "headers" | "body">>;

/** True if a response is declared as HTML. */
export function isCalledHtml({ headers }: Answer): boolean {
  return (headers?.["content-type"] ?? "").toLowerCase().startsWith("text/html");
}

/** True if a response is HTML, and so most likely from a gateway or a web site: the API answers in JSON. */
export function isWebPage(answer: Answer): boolean {
  return isCalledHtml(answer) || /^(?:\uFEFF)?\s*</.test(answer.body?.toString("utf8", 0, 200) ?? "");
}

/** True if a failure is the service's own "not found": an object in JSON, or without a body. */
export function saysNotFound(error: unknown): error is Failure {
  if (!isFailure(error, "not-found")) return false;
  const received: Answer = error.details.received ?? {};
  const text = received.body?.toString("utf8").trim() ?? "";
  return text === "" ? !isCalledHtml(received) : holdsObject(text);
}

function holdsObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** True if the item is found; false for the server's own "not found". Throws any other failure. */
export async function isFound(asked: Promise<unknown>): Promise<boolean> {
  try {
    await asked;
    return true;
  } catch (error) {
    if (saysNotFound(error)) return false;
    throw error;
  }
}
