// A multi-select list with incremental search.
//
//   rows      no more than fit into the window, below their titles, however long the list is
//   ticks     kept when the search changes; ticked rows that the search does not match are shown below the others
//   keys      space or Tab ticks; during a search a space is part of it, so only Tab ticks
//   resize    redraws the whole screen, because the terminal has rewrapped the old rows
import type { WriteStream } from "node:tty";
import {
  createPrompt,
  isDownKey,
  isEnterKey,
  isSpaceKey,
  isTabKey,
  isUpKey,
  useEffect,
  useKeypress,
  useMemo,
  useState,
  type KeypressEvent,
} from "@inquirer/core";
import { foldText } from "../drawing/fold-text.ts";
import type { PickRows } from "../drawing/pick-rows.ts";

interface PickConfig {
  readonly message: string;
  readonly choices: PickRows;
  readonly hasColours: boolean;
  readonly output: WriteStream;
}

/** Lines besides the rows: question, titles, number of ticks, keys, and one for a search that wraps. */
const linesAround = 5;
const prefix = "?";
const mark = { ticked: "[x] ", open: "[ ] " };
/** The key help, most important first; as many as fit are shown. */
const keys = ["space or tab selects", "enter continues", "ctrl-c quits", "type to search", "ctrl-a all"];
const searchKeys = [
  "tab selects",
  "enter continues",
  "ctrl-c quits",
  "ctrl-u clears",
  "ctrl-a selects all found",
];

/** Emphasis without a colour is readable on any background. */
const emphasised = {
  bold: (text: string) => `\u001b[1m${text}\u001b[22m`,
  reversed: (text: string) => `\u001b[7m${text}\u001b[27m`,
};
const asItIs = (text: string): string => text;
const plain = { bold: asItIs, reversed: asItIs };
const pointer = { here: "> ", elsewhere: "  " };

/** Prompts for rows; resolves with their positions in list order, at least one. */
export const pick = createPrompt<readonly number[], PickConfig>((config, done) => {
  const { message, choices, hasColours, output } = config;
  const style = hasColours ? emphasised : plain;
  const [status, setStatus] = useState<"idle" | "done">("idle");
  const [size, setSize] = useState(() => terminalSize(output));
  const [search, setSearch] = useState("");
  const [active, setActive] = useState(0);
  const [ticked, setTicked] = useState<ReadonlySet<number>>(new Set());
  const [complaint, setComplaint] = useState("");

  const texts = useMemo(() => choices.texts.map(foldText), [choices]);
  const found = useMemo(() => matchingRows(texts, search), [texts, search]);
  const page = layOutPage(found, active, ticked, Math.max(1, size.rows - linesAround));

  useEffect(() => {
    const resize = (): void => {
      // The terminal has rewrapped the old rows, so the number of lines to erase is unknown.
      output.write("\u001b[2J\u001b[H");
      setSize(terminalSize(output));
    };
    output.on("resize", resize);
    return () => output.off("resize", resize);
  }, []);

  useKeypress((key, line) => {
    setComplaint("");
    const here = found[active];
    if (isEnterKey(key)) {
      if (ticked.size === 0) {
        setComplaint(
          here === undefined
            ? "; ctrl-u clears the search"
            : `: ${search === "" ? "space" : "tab"} selects the row`,
        );
      } else {
        setStatus("done");
        done([...ticked].toSorted((a, b) => a - b));
        return;
      }
    } else if (isTabKey(key) || key.name === "right" || (search === "" && isSpaceKey(key))) {
      if (here !== undefined) setTicked(toggled(ticked, [here]));
    } else if (key.ctrl && key.name === "a") setTicked(toggled(ticked, found));
    else if (keyStep(key, page.rows.length) !== 0) {
      setActive(Math.max(0, Math.min(found.length - 1, active + keyStep(key, page.rows.length))));
    } else {
      // A cleared search keeps the current row, whose position is now that in the whole list.
      if (line.line !== search) setActive(line.line === "" ? (here ?? 0) : 0);
      setSearch(line.line);
      return;
    }
    // Undo the effect of the key in Node's line editor, which also received it.
    line.clearLine(0);
    line.write(search);
  });

  const question = `${prefix} ${style.bold(message)}`;
  const count = `${ticked.size} of ${texts.length} selected`;
  if (status === "done") {
    const isTooLong = `? ${message} ${count}`.length > size.columns;
    return `${question}${isTooLong ? "\n  " : " "}${count}`;
  }

  const indent = pointer.here.length + mark.open.length;
  const columns = Math.max(1, size.columns - 1 - indent);
  const titles = style.bold(" ".repeat(indent) + choices.drawTitles(columns));
  const rows = page.rows.map((index) => {
    const isHere = index === found[active];
    const row = `${isHere ? pointer.here : pointer.elsewhere}${ticked.has(index) ? mark.ticked : mark.open}${choices.draw(index, columns)}`;
    return isHere ? style.reversed(row) : row;
  });
  const others = page.others.map(
    (index) => `${pointer.elsewhere}${mark.ticked}${choices.draw(index, columns)}`,
  );
  const heading = page.hasHeading ? [`${" ".repeat(indent)}also selected:`] : [];
  const more = page.unseen === 0 ? [] : [`${" ".repeat(indent)}and ${page.unseen} more that are selected`];
  const first = page.rows.length === found.length ? 0 : found.indexOf(page.rows[0] ?? 0) + 1;
  const state = [
    `${count}${complaint}`,
    ...(search === "" ? [] : [`${found.length} found`]),
    ...(first === 0 ? [] : [`showing ${first} to ${first + page.rows.length - 1}`]),
  ];
  const advice = search === "" ? keys : searchKeys;
  return [
    `${question} ${search}`,
    [
      titles,
      ...rows,
      ...heading,
      ...others,
      ...more,
      fitHints(state, size.columns),
      fitHints(advice, size.columns),
    ].join("\n"),
  ];
});

function terminalSize({ columns, rows }: WriteStream): { readonly columns: number; readonly rows: number } {
  // A terminal whose size was never set reports 0.
  return { columns: columns || 80, rows: rows || 24 };
}

interface PickPage {
  /** The matching rows, as many as fit. */
  readonly rows: readonly number[];
  /** The ticked rows that the search does not match, and the number of them that do not fit. */
  readonly others: readonly number[];
  readonly unseen: number;
  /** True if there is space to name the others. */
  readonly hasHeading: boolean;
}

/** Lays out the rows around the current one, and below them the ticked rows that do not match. */
function layOutPage(
  found: readonly number[],
  active: number,
  ticked: ReadonlySet<number>,
  lines: number,
): PickPage {
  const around = (count: number): readonly number[] => {
    const first = Math.max(0, Math.min(active - Math.floor(count / 2), found.length - count));
    return found.slice(first, first + count);
  };
  const tickedOutside = (rows: readonly number[]): readonly number[] => {
    const seen = new Set(rows);
    return [...ticked].filter((index) => !seen.has(index)).toSorted((a, b) => a - b);
  };
  const whole = around(lines);
  const outside = tickedOutside(whole).length;
  if (outside === 0) return { rows: whole, others: [], unseen: 0, hasHeading: false };
  // At most a third of the lines, plus those that the matches leave free.
  const most = Math.max(1, Math.floor(lines / 3), lines - whole.length);
  const headings = most < 3 ? 0 : 1;
  const rows = around(Math.max(1, lines - Math.min(most, outside + headings)));
  const others = tickedOutside(rows);
  const shownLines = most - headings;
  const shown = others.length <= shownLines || shownLines === 1 ? shownLines : shownLines - 1;
  const seen = others.slice(0, shown);
  const unseen = shownLines === 1 ? 0 : others.length - seen.length;
  return { rows, others: seen, unseen, hasHeading: headings > 0 };
}

/** The rows that contain every word of the search; words end at spaces and commas. */
function matchingRows(texts: readonly string[], search: string): readonly number[] {
  const words = foldText(search)
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
  if (key.name === "home") return -Infinity;
  if (key.name === "end") return Infinity;
  if (key.name === "pageup") return -pageSize;
  return key.name === "pagedown" ? pageSize : 0;
}

/** As many of these parts as fit, in one line. */
function fitHints(parts: readonly string[], columns: number): string {
  let line = "";
  for (const part of parts) {
    const longer = line === "" ? part : `${line}, ${part}`;
    if (longer.length >= columns) break;
    line = longer;
  }
  return line === "" ? (parts[0] ?? "").slice(0, columns - 1) : line;
}
