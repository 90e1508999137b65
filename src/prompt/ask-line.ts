// A question for one line on a terminal with a cursor. After an answer that is refused the line is empty again; keys
// without a meaning, such as the arrows, do not type anything.
import { createPrompt, isEnterKey, isTabKey, useKeypress, useState } from "@inquirer/core";
import type { WriteStream } from "node:tty";
import { questionLines, type LineQuestion } from "./line-question.ts";

interface LineConfig extends LineQuestion {
  /** The terminal, for its size. */
  readonly output: WriteStream;
}

const hideCursor = "\u001b[?25l";

/** Resolves with the first line that is accepted as an answer. */
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
      // The line editor has typed a blank for this key.
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
