// Distinguishes the service's own "not found" from the 404 of a gateway in front of it.
//
// Both end a run with the same exit code, but only the first proves that an item does not exist. The service responds
// with a JSON object or an empty body; a gateway or web site responds with HTML.
import { isFailure, type Failure, type Received } from "./errors.ts";

type PartialResponse = Partial<Pick<Received, "headers" | "body">>;

/** True if a response is declared as HTML. */
export function isHtml({ headers }: PartialResponse): boolean {
  return (headers?.["content-type"] ?? "").toLowerCase().startsWith("text/html");
}

/** True if a response is HTML, and so most likely from a gateway or a web site: the API returns JSON. */
export function isWebPage(response: PartialResponse): boolean {
  return isHtml(response) || /^(?:\uFEFF)?\s*</.test(response.body?.toString("utf8", 0, 200) ?? "");
}

/** True if a failure is the service's own "not found": a JSON object, or an empty body. */
export function isItemNotFound(error: unknown): error is Failure {
  if (!isFailure(error, "not-found")) return false;
  const received: PartialResponse = error.details.received ?? {};
  const text = received.body?.toString("utf8").trim() ?? "";
  return text === "" ? !isHtml(received) : holdsObject(text);
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
export async function isFound(read: Promise<unknown>): Promise<boolean> {
  try {
    await read;
    return true;
  } catch (error) {
    if (isItemNotFound(error)) return false;
    throw error;
  }
}
