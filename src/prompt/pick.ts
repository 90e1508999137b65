// A list to select from, with incremental search.
//
//   rows     no more than fit into the window, below their titles, however long the list is
//   ticks    kept when the search changes; their number is always shown; without one, Enter does nothing: it may delete
//   keys     space or Tab ticks; during a search a space is part of it, so only Tab ticks
import type { WriteStream } from "node:tty";
import {
  createPrompt,
  isDownKey,
  isEnterKey,
  isSpaceKey,
  isTabKey,
  isUpKey,
  useKeypress,
  useMemo,
  useState,
  type KeypressEvent,
} from "@inquirer/core";
import { Chalk } from "chalk";
import wrapAnsi from "wrap-ansi";
import { cutText, type layOutRows } from "../output/table.ts";
import { foldCase } from "../output/presentation.ts";

interface PickConfig {
  readonly message: string;
  readonly rows: ReturnType<typeof layOutRows>;
  readonly hasColours: boolean;
  /** True to select one row, which has no box to tick. */
  readonly isSingle: boolean;
  readonly output: WriteStream;
}

/** Lines besides the rows and the keys: question, titles, state, and one for a search that wraps. */
const linesAround = 4;
const boxes = { ticked: "[x] ", open: "[ ] " };

/** Prompts for rows; resolves with their positions in list order, at least one. */
export const pick = createPrompt<readonly number[], PickConfig>((config, done) => {
  const { message, isSingle, output } = config;
  const chalk = new Chalk({ level: config.hasColours ? 1 : 0 });
  const [isDone, setDone] = useState(false);
  const [columns, height] = [output.columns || 80, output.rows || 24];
  const [search, setSearch] = useState("");
  const [active, setActive] = useState(0);
  const [ticked, setTicked] = useState<ReadonlySet<number>>(new Set());

  const texts = useMemo(() => config.rows.texts.map(foldCase), [config.rows]);
  const indent = isSingle ? 2 : 2 + boxes.open.length;
  const table = useMemo(() => config.rows.fit(Math.max(1, columns - 1 - indent)), [config.rows, columns]);
  const found = useMemo(() => matchingRows(texts, search), [texts, search]);
  const help = wrapAnsi(isSingle ? keysOfSingle : keys, columns - 1);
  const lines = Math.max(1, height - linesAround - help.split("\n").length);
  const first = Math.max(0, Math.min(active - Math.floor(lines / 2), found.length - lines));
  const page = found.slice(first, first + lines);
  const here = found[active];

  useKeypress((key, line) => {
    if (isEnterKey(key)) {
      const chosen = isSingle
        ? found.slice(active, active + 1)
        : [...ticked].toSorted((one, other) => one - other);
      if (chosen.length > 0) {
        setDone(true);
        done(chosen);
        return;
      }
    } else if (!isSingle && (isTabKey(key) || (search === "" && isSpaceKey(key)))) {
      if (here !== undefined) setTicked(toggled(ticked, [here]));
    } else if (!isSingle && key.ctrl && key.name === "a") setTicked(toggled(ticked, found));
    else if (keyStep(key, lines) !== 0)
      setActive(Math.max(0, Math.min(found.length - 1, active + keyStep(key, lines))));
    else {
      // A cleared search keeps the current row, whose position is now that in the whole list.
      if (line.line !== search) setActive(line.line === "" ? (here ?? 0) : 0);
      setSearch(line.line);
      return;
    }
    // Undo the effect of the key in Node's line editor, which also received it.
    line.clearLine(0);
    line.write(search);
  });

  const question = `? ${chalk.bold(message)}`;
  const count = `${ticked.size} of ${texts.length} selected${ticked.size === 0 ? ": press Tab first" : ""}`;
  if (isDone) return `${question} ${isSingle ? (config.rows.texts[here ?? 0] ?? "") : count}`;

  const box = (index: number): string => (isSingle ? "" : ticked.has(index) ? boxes.ticked : boxes.open);
  const drawn = table.draw(page).map((row, position) => {
    const index = page[position] ?? 0;
    const text = `${index === here ? "> " : "  "}${box(index)}${row}`;
    return index === here ? chalk.inverse(text) : text;
  });
  const total = isSingle ? `${texts.length} in all` : count;
  const state = search === "" ? total : `${total}, ${found.length} found`;
  return [
    `${question} ${search}`,
    [chalk.bold(" ".repeat(indent) + table.titles), ...drawn, cutText(state, columns - 1), help].join("\n"),
  ];
});

const keys = "tab selects, enter continues, ctrl-c quits, type to search, ctrl-a all";
const keysOfSingle = "enter selects, type to search, ctrl-c quits";

/** The rows that contain every word of the search; words end at spaces and commas. */
function matchingRows(texts: readonly string[], search: string): readonly number[] {
  const words = foldCase(search)
    .split(/[\s,]+/)
    .filter((word) => word !== "");
  return [...texts.keys()].filter((index) => words.every((word) => texts[index]?.includes(word)));
}

/** Ticks all of these rows, or unticks them if all are ticked. */
function toggled(ticked: ReadonlySet<number>, rows: readonly number[]): ReadonlySet<number> {
  const others = new Set(ticked);
  if (rows.every((row) => ticked.has(row))) for (const row of rows) others.delete(row);
  else for (const row of rows) others.add(row);
  return others;
}

function keyStep(key: KeypressEvent, pageSize: number): number {
  if (isUpKey(key)) return -1;
  if (isDownKey(key)) return 1;
  const steps = { home: -Infinity, end: Infinity, pageup: -pageSize, pagedown: pageSize };
  return steps[key.name as keyof typeof steps] ?? 0;
}
