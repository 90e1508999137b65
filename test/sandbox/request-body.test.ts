// Request bodies: reading one rejects if the client disconnects, at any time.
import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { expect, test } from "vitest";
import { readForm, readJsonObject } from "../../src/sandbox/http/request.ts";

test.each([readJsonObject, readForm])("%o rejects if the body is incomplete", async (read) => {
  const leaving = new IncomingMessage(new Socket());
  const reading = read(leaving);
  leaving.push("{");
  leaving.destroy();
  await expect(reading).rejects.toThrow("went away");

  const gone = new IncomingMessage(new Socket());
  gone.destroy();
  await new Promise((resolve) => void gone.once("close", resolve));
  await expect(read(gone)).rejects.toThrow("went away");
});

function readWhole(bytes: Buffer): Promise<unknown> {
  const message = new IncomingMessage(new Socket());
  message.push(bytes);
  message.push(null);
  return readJsonObject(message);
}

test("invalid UTF-8 does not affect later bodies", async () => {
  await expect(readWhole(Buffer.from([0x7b, 0x22, 0xc3]))).rejects.toMatchObject({
    response: { status: 400 },
  });
  expect(await readWhole(Buffer.from('{"note":"é"}'))).toEqual({ note: "é" });
});
