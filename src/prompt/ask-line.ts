// A question for one line on a terminal with a cursor. An answer that is refused leaves the line empty, and keys that
// mean nothing here type nothing.
import { createPrompt, isEnterKey, isTabKey, useKeypress, useState } from "@inquirer/core";
import type { WriteStream } from "node:tty";
import { questionLines, type LineQuestion } from "./line-question.ts";

interface LineConfig extends LineQuestion {
  /** The terminal, for its size. */
  readonly output: WriteStream;
}

const hideCursor = "\u001b[?25l";

/** Resolves with what was typed, once it is an answer. */
export const askLine = createPrompt<string, LineConfig>((config, done) => {
  const { message, isSecret, complain, show, output } = config;
  const [isDone, setDone] = useState(false);
  const [typed, setTyped] = useState("");
  const [complaint, setComplaint] = useState("");

  useKeypress((key, line) => {
    if (isDone) return;
    if (isEnterKey(key)) {
      const problem = complain(typed);
      if (problem === null) {
        setDone(true);
        done(typed);
        return;
      }
      line.clearLine(0);
      setTyped("");
      setComplaint(problem);
    } else if (isTabKey(key)) {
      // The line editor has taken it for a blank.
      line.clearLine(0);
      line.write(typed);
    } else {
      setTyped(line.line);
      setComplaint("");
    }
  });

  const question = questionLines(message, output.columns).join("\n");
  if (isDone) return `${question} ${show(typed)}`;
  return [isSecret ? `${question} (not shown)${hideCursor}` : `${question} ${typed}`, complaint];
});
