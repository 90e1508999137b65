// Prompts for a terminal that cannot move its cursor (TERM=dumb). The terminal provides the line editing. For a secret,
// raw mode turns echo off, and the keys are read one by one.
import { constants } from "node:os";
import { emitKeypressEvents } from "node:readline";
import { exitCodeOfSignal, QuietExit } from "../errors/errors.ts";
import {
  nothingTyped,
  notYesOrNo,
  parseYesOrNo,
  prefix,
  wrapQuestion,
  yesOrNo,
  type LinePrompts,
  type PromptOptions,
} from "./question.ts";

export const linePrompts: LinePrompts = {
  askText: (message, options) =>
    askUntilAccepted(message, options, readLine, (typed) => (typed.trim() === "" ? nothingTyped : null)),
  async askSecret(message, options) {
    const { input } = options;
    // Raw mode starts before the question appears; otherwise the terminal would echo keys that are typed early.
    input.setRawMode(true);
    try {
      return await askUntilAccepted(message, options, readHidden, (typed) =>
        typed === "" ? nothingTyped : null,
      );
    } finally {
      input.setRawMode(false);
    }
  },
  async confirm(message, options) {
    const typed = await askUntilAccepted(message + yesOrNo, options, readLine, (line) =>
      parseYesOrNo(line) === null ? notYesOrNo : null,
    );
    return parseYesOrNo(typed) === true;
  },
};

async function askUntilAccepted(
  message: string,
  options: PromptOptions,
  read: (options: PromptOptions) => Promise<string>,
  complain: (typed: string) => string | null,
): Promise<string> {
  const question = `${prefix} ${wrapQuestion(message, options.output.columns)} `;
  for (;;) {
    options.output.write(question);
    const typed = await read(options);
    const complaint = complain(typed);
    if (complaint === null) return typed;
    options.output.write(`${complaint}\n`);
  }
}

/** Reads a line in the terminal's line mode. At end of file, moves the cursor below the question. */
async function readLine({ input, output, signal }: PromptOptions): Promise<string> {
  const typed = untilAborted<string>(signal, (resolve) => {
    let text = "";
    const onData = (chunk: Buffer): void => {
      text += chunk.toString("utf8");
      if (!text.includes("\n")) return;
      input.off("data", onData);
      input.pause();
      resolve(text.slice(0, text.indexOf("\n")).replace(/\r$/, ""));
    };
    input.on("data", onData);
    // A new listener does not resume a paused stream.
    input.resume();
  });
  try {
    return await typed;
  } catch (error) {
    output.write("\n");
    throw error;
  }
}

interface Key {
  readonly name?: string;
  readonly ctrl?: boolean;
}

/** Reads a line without echo, in raw mode. */
async function readHidden({ input, output, signal }: PromptOptions): Promise<string> {
  emitKeypressEvents(input);
  try {
    const typed = await untilAborted<string | null>(signal, (resolve) => {
      let text = "";
      const onKeypress = (piece: string | undefined, { name, ctrl }: Key): void => {
        const isEnd = name === "return" || name === "enter";
        if (isEnd || (ctrl === true && name === "c")) {
          input.off("keypress", onKeypress);
          input.pause();
          resolve(isEnd ? text : null);
        } else if (name === "backspace") text = text.replace(/.$/u, "");
        else if (ctrl === true && name === "u") text = "";
        else if (ctrl !== true && piece !== undefined && !/\p{Cc}/u.test(piece)) text += piece;
      };
      input.on("keypress", onKeypress);
      input.resume();
    });
    // In raw mode the terminal sends no signal for Ctrl-C.
    if (typed === null) throw new QuietExit(exitCodeOfSignal(constants.signals.SIGINT));
    return typed;
  } finally {
    output.write("\n");
  }
}

function untilAborted<T>(signal: AbortSignal, read: (resolve: (answer: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      const error = new Error("the question was cancelled");
      error.name = "AbortPromptError";
      reject(error);
    };
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    read(resolve);
  });
}
