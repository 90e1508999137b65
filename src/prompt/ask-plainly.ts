// A question for one line on a terminal that cannot move its cursor. The terminal itself edits the line; for a secret,
// the keys are read one by one and nothing is shown.
import { constants } from "node:os";
import { emitKeypressEvents } from "node:readline";
import type { Terminal } from "../host/terminal.ts";
import { exitCodeOfSignal, QuietExit } from "../errors/errors.ts";
import { noMore } from "./prompter.ts";
import { questionLines, type LineQuestion } from "./line-question.ts";

export interface PromptOptions extends Pick<Terminal, "input" | "output"> {
  readonly signal: AbortSignal;
}

/** Resolves with the first line that is accepted as an answer. Rejects with an AbortPromptError at an abort. */
export async function askLine(question: LineQuestion, options: PromptOptions): Promise<string> {
  const { input, output } = options;
  const lines = questionLines(question.message, output.columns).join("\n");
  // Raw mode begins before the question, or the terminal would show keys that are typed at once.
  if (question.isSecret) input.setRawMode(true);
  try {
    for (;;) {
      output.write(`${lines} `);
      const typed = await (question.isSecret ? readHidden(options) : readLine(options));
      const complaint = question.complain(typed);
      if (complaint === null) return typed;
      output.write(`${complaint}\n`);
    }
  } finally {
    if (question.isSecret) input.setRawMode(false);
  }
}

/** A line as the terminal hands it over. At the end of its input, the cursor does not stay behind the question. */
async function readLine({ input, output, signal }: PromptOptions): Promise<string> {
  const typed = untilAborted<string>(signal, (resolve) => {
    let text = "";
    const take = (chunk: Buffer): void => {
      text += chunk.toString("utf8");
      if (!text.includes("\n")) return;
      input.off("data", take);
      input.pause();
      resolve(text.slice(0, text.indexOf("\n")).replace(/\r$/, ""));
    };
    input.on("data", take);
    // A stream that was paused does not flow again because of a new listener.
    input.resume();
  });
  try {
    return await typed;
  } catch (error) {
    if (signal.reason === noMore) output.write("\n");
    throw error;
  }
}

interface Key {
  readonly name?: string;
  readonly ctrl?: boolean;
}

/** Reads a line of a terminal that shows none of it, because it is raw. */
async function readHidden({ input, output, signal }: PromptOptions): Promise<string> {
  emitKeypressEvents(input);
  try {
    const typed = await untilAborted<string | null>(signal, (resolve) => {
      let text = "";
      const take = (piece: string | undefined, { name, ctrl }: Key): void => {
        const isEnd = name === "return" || name === "enter";
        if (isEnd || (ctrl === true && name === "c")) {
          input.off("keypress", take);
          input.pause();
          resolve(isEnd ? text : null);
        } else if (name === "backspace") text = text.replace(/.$/u, "");
        else if (ctrl === true && name === "u") text = "";
        else if (ctrl !== true && piece !== undefined && !/\p{Cc}/u.test(piece)) text += piece;
      };
      input.on("keypress", take);
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
