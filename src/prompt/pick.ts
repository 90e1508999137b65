// A list to tick, searched by typing: the one question that @inquirer/prompts does not have. Draws no more rows than
// the window holds, however long the list is, below their titles. What is ticked stays ticked when the search changes.
import type { WriteStream } from "node:tty";
import {
  createPrompt,
  isDownKey,
  isEnterKey,
  isSpaceKey,
  isTabKey,
  isUpKey,
  makeTheme,
  useEffect,
  useKeypress,
  useMemo,
  useState,
  type KeypressEvent,
} from "@inquirer/core";
import type { Choices } from "./prompter.ts";

/** What a person has done to the list so far. */
export interface PickState {
  readonly search: string;
  /** The position of the row in front, among those found. */
  readonly active: number;
  readonly ticked: ReadonlySet<number>;
}

interface PickConfig {
  readonly message: string;
  readonly choices: Choices;
  /** The terminal, for its size. */
  readonly output: WriteStream;
  /** Where it was left before. */
  readonly start: PickState | undefined;
  readonly onChange: (state: PickState) => void;
}

/** The question, the titles, the state of the ticks, the keys, and one line for a search that wraps. */
const linesAround = 5;
const prefix = "?";
const mark = { ticked: "[x] ", open: "[ ] " };
/** In a narrow window the first of them, which nobody would guess; in one of 80 columns all. */
const keys = ["type to search", "space ticks", "enter goes on", "ctrl-c leaves", "tab ticks all found"];
const pointer = { here: "> ", elsewhere: "  " };

/** Asks for any number of rows; resolves with their positions in the list's order, at least one. */
export const pick = createPrompt<readonly number[], PickConfig>((config, done) => {
  const { message, choices, output, start, onChange } = config;
  const theme = makeTheme({});
  const [status, setStatus] = useState<"idle" | "done">("idle");
  const [size, setSize] = useState(() => sizeOf(output));
  const [search, setSearch] = useState(start?.search ?? "");
  const [active, setActive] = useState(start?.active ?? 0);
  const [ticked, setTicked] = useState<ReadonlySet<number>>(start?.ticked ?? new Set());
  const [complaint, setComplaint] = useState("");

  const texts = useMemo(() => choices.texts.map(folded), [choices]);
  const found = useMemo(() => matches(texts, search), [texts, search]);
  const pageSize = Math.max(1, size.rows - linesAround);

  onChange({ search, active, ticked });

  useEffect((line) => {
    line.write(search);
    const resize = (): void => {
      // What stands there was wrapped anew by the terminal: nobody knows how many lines it takes now.
      output.write("\u001b[2J\u001b[H");
      setSize(sizeOf(output));
    };
    output.on("resize", resize);
    return () => output.off("resize", resize);
  }, []);

  useKeypress((key, line) => {
    setComplaint("");
    if (isEnterKey(key)) {
      if (ticked.size === 0) setComplaint(": space ticks the row, ctrl-c leaves");
      else {
        setStatus("done");
        done([...ticked].toSorted((a, b) => a - b));
        return;
      }
    } else if (isSpaceKey(key)) {
      const here = found[active];
      if (here !== undefined) setTicked(toggled(ticked, [here]));
    } else if (isTabKey(key)) setTicked(toggled(ticked, found));
    else if (stepOf(key, pageSize) !== 0) {
      setActive(Math.max(0, Math.min(found.length - 1, active + stepOf(key, pageSize))));
    } else {
      if (line.line !== search) setActive(0);
      setSearch(line.line);
      return;
    }
    // The line editor takes these keys for itself: it adds to the search, or goes to its ends.
    line.clearLine(0);
    line.write(search);
  });

  const question = `${prefix} ${theme.style.message(message, status)}`;
  const count = `${ticked.size} of ${texts.length} ticked`;
  if (status === "done") return `${question} ${theme.style.answer(count)}`;

  const indent = pointer.here.length + mark.open.length;
  const columns = Math.max(1, size.columns - 1 - indent);
  const titles = theme.style.message(" ".repeat(indent) + choices.drawTitles(columns), status);
  const first = Math.max(0, Math.min(active - Math.floor(pageSize / 2), found.length - pageSize));
  const rows = found.slice(first, first + pageSize).map((index, position) => {
    const isHere = first + position === active;
    const row = `${isHere ? pointer.here : pointer.elsewhere}${ticked.has(index) ? mark.ticked : mark.open}${choices.draw(index, columns)}`;
    return isHere ? theme.style.highlight(row) : row;
  });
  const state = `${count}${search === "" ? "" : `, ${found.length} found`}${complaint}`;
  const advice = search === "" || complaint !== "" ? [] : ["comma between words"];
  return [
    `${question} ${search}`,
    [titles, ...rows, fitted([state, ...advice], size.columns), fitted(keys, size.columns)].join("\n"),
  ];
});

function sizeOf({ columns, rows }: WriteStream): { readonly columns: number; readonly rows: number } {
  // A terminal that was never told its size says 0.
  return { columns: columns || 80, rows: rows || 24 };
}

/** The rows that hold every one of the words, which commas part: a space ticks. */
function matches(texts: readonly string[], search: string): readonly number[] {
  const words = folded(search)
    .split(",")
    .filter((word) => word !== "");
  return [...texts.keys()].filter((index) => words.every((word) => texts[index]?.includes(word)));
}

function folded(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

/** With these rows ticked as well; or, where all of them are, with none of them. */
function toggled(ticked: ReadonlySet<number>, rows: readonly number[]): ReadonlySet<number> {
  const others = new Set(ticked);
  if (rows.every((row) => ticked.has(row))) for (const row of rows) others.delete(row);
  else for (const row of rows) others.add(row);
  return others;
}

function stepOf(key: KeypressEvent, pageSize: number): number {
  if (isUpKey(key)) return -1;
  if (isDownKey(key)) return 1;
  if (key.name === "home") return -Infinity;
  if (key.name === "end") return Infinity;
  if (key.name === "pageup") return -pageSize;
  return key.name === "pagedown" ? pageSize : 0;
}

function fitted(parts: readonly string[], columns: number): string {
  let line = "";
  for (const part of parts) {
    const longer = line === "" ? part : `${line}, ${part}`;
    if (longer.length >= columns) break;
    line = longer;
  }
  return line === "" ? (parts[0] ?? "").slice(0, columns - 1) : line;
}
