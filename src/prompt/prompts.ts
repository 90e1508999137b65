// The questions of a terminal with a cursor: with the libraries behind them they are one chunk of their own.
export { askLine } from "./ask-line.ts";
export { pick } from "./pick.ts";
