// Bodies whose clients go away: whoever waits for one hears of it, whenever that was.
import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { expect, test } from "vitest";
import { readForm, readJsonObject } from "../../src/sandbox/http/request.ts";

test.each([readJsonObject, readForm])("a body that is never whole is not waited for: %o", async (read) => {
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

test("bytes that are no UTF-8 spoil no later body", async () => {
  await expect(readWhole(Buffer.from([0x7b, 0x22, 0xc3]))).rejects.toMatchObject({
    response: { status: 400 },
  });
  expect(await readWhole(Buffer.from('{"note":"é"}'))).toEqual({ note: "é" });
});
