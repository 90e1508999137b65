// Prompts on a terminal that supports only lines: a secret that is typed early is not echoed either.
import { PassThrough, Writable } from "node:stream";
import type { ReadStream, WriteStream } from "node:tty";
import { expect, test } from "vitest";
import { linePrompts } from "../../src/prompt/plain-prompts.ts";

test("the terminal does not echo typed text from the prompt for a secret until its reply is complete", async () => {
  const events: string[] = [];
  const input = Object.assign(new PassThrough(), {
    setRawMode: (isRaw: boolean) => void events.push(isRaw ? "raw" : "cooked"),
  });
  // The user types as soon as the prompt appears.
  const answers = ["\r", "hunter2\r"];
  const write = (chunk: Buffer, _: string, done: () => void): void => {
    events.push(chunk.toString());
    if (chunk.toString().startsWith("?")) input.write(answers.shift());
    done();
  };
  const output = Object.assign(new Writable({ write }), { columns: 80 });
  const { signal } = new AbortController();
  const options = {
    input: input as unknown as ReadStream,
    output: output as unknown as WriteStream,
    signal,
  };
  expect(await linePrompts.askSecret("Password", options)).toBe("hunter2");
  const asked = "? Password ";
  expect(events).toEqual([
    "raw",
    asked,
    "\n",
    "enter a value, or press Ctrl-C to cancel\n",
    asked,
    "\n",
    "cooked",
  ]);
});
