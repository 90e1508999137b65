// Request bodies: JSON objects, whatever type the client says they have, and the forms of pages. Owns the size limit
// and the answers to a body that is not one.
import type { IncomingMessage } from "node:http";
import { failure, Refusal } from "./answer.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

const maximumBytes = 1024 * 1024;

/**
 * The body as an object; an empty body is an empty one. Throws a Refusal for one that is too large, is not JSON or
 * is not an object; rejects when the client goes away.
 */
export async function readJsonObject(message: IncomingMessage): Promise<JsonObject> {
  const bytes = await readBytes(message);
  if (bytes.length === 0) return {};
  const value = parseJson(bytes);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Refusal(failure(400, "Body should be a JSON object"));
  }
  return value as JsonObject;
}

/** The fields of a form as browsers send it, each the last of its name. Throws and rejects like `readJsonObject`. */
export async function readForm(message: IncomingMessage): Promise<JsonObject> {
  return Object.fromEntries(new URLSearchParams((await readBytes(message)).toString("utf8")));
}

/** All bytes. Reads on to the end beyond the limit, because a client that still sends hears nothing. */
async function readBytes(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= maximumBytes) chunks.push(chunk);
    else chunks.length = 0;
  }
  if (length > maximumBytes) throw new Refusal(failure(413, "Request body is too large"));
  return Buffer.concat(chunks);
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) {
      throw new Refusal(failure(400, "Problems parsing JSON"));
    }
    throw error;
  }
}
