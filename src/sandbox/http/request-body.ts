// Request bodies: JSON objects, whatever type the client says they have, and the forms of pages. Owns the size limit
// and the answers to a body that is not one.
import type { IncomingMessage } from "node:http";
import { failure, Refusal } from "./answer.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

const maximumBytes = 1024 * 1024;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

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

/** The fields of a browser's form; of several with one name the last. Throws and rejects like `readJsonObject`. */
export async function readForm(message: IncomingMessage): Promise<JsonObject> {
  return Object.fromEntries(new URLSearchParams((await readBytes(message)).toString("utf8")));
}

/** All bytes. Beyond the limit it still reads to the end, because a client that is sending reads no answer. */
function readBytes(message: IncomingMessage): Promise<Buffer> {
  // Events, because an async iterator takes longer than all other work on a short body.
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      if (!message.readableEnded) reject(new Error("the client went away"));
    };
    // The client may have gone away while the password was checked: then there are no more events.
    if (message.destroyed) giveUp();
    const chunks: Buffer[] = [];
    let length = 0;
    message
      .on("data", (chunk: Buffer) => {
        length += chunk.length;
        if (length <= maximumBytes) chunks.push(chunk);
        else chunks.length = 0;
      })
      .once("end", () => {
        if (length <= maximumBytes) resolve(Buffer.concat(chunks));
        else reject(new Refusal(failure(413, "Request body is too large")));
      })
      .once("error", reject)
      .once("close", giveUp);
  });
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) {
      throw new Refusal(failure(400, "Problems parsing JSON"));
    }
    throw error;
  }
}
