// The text of the progress line, fitted into the window: in a narrow one the bar is left out first, then the rate, then
// the remaining time.
import { withCommas } from "./with-commas.ts";

/** What is known of work under way. */
export interface ProgressState {
  /** In the singular: item, page. */
  readonly unit: string;
  readonly done: number;
  /** Null while it is not known. */
  readonly total: number | null;
  /** A second; null while too little is known. */
  readonly rate: number | null;
  /** Milliseconds until the next try, which the service may have asked for; 0 for none. */
  readonly waitMs: number;
}

const widestBar = 30;
const narrowestBar = 10;

/** The line, at most `columns` wide. */
export function progressText(state: ProgressState, columns: number): string {
  const { done, total, rate, waitMs } = state;
  const count = `${withCommas(done)}${total === null ? "" : ` of ${withCommas(total)}`}`;
  const counted = state.unit === "item" ? count : `${state.unit} ${count}`;
  const rest =
    waitMs > 0
      ? [`waiting ${durationText(waitMs)} for the service`]
      : [speedText(rate), leftText(state)].filter((part) => part !== "");
  const whole = join([counted, ...rest]);
  const room = columns - whole.length - 3;
  if (total !== null && total > 0 && room >= narrowestBar) {
    return `${barText(done / total, Math.min(widestBar, room))} ${whole}`;
  }
  const choices = [whole, join([counted, ...rest.slice(-1)]), counted];
  return choices.find((text) => text.length <= columns) ?? counted.slice(0, Math.max(0, columns));
}

/** A time as a person says it, in at most two units, rounded up to whole seconds. */
export function durationText(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return twoUnits(minutes, "min", seconds % 60, "s");
  return twoUnits(Math.floor(minutes / 60), "h", minutes % 60, "min");
}

function twoUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

function join(parts: readonly string[]): string {
  return parts.join("  ");
}

function barText(share: number, width: number): string {
  const full = Math.floor(Math.min(1, share) * width);
  return `[${"#".repeat(full)}${"-".repeat(width - full)}]`;
}

function speedText(rate: number | null): string {
  if (rate === null || rate <= 0) return "";
  return `${rate < 10 ? rate.toFixed(1) : withCommas(Math.round(rate))}/s`;
}

function leftText({ done, total, rate }: ProgressState): string {
  if (rate === null || rate <= 0 || total === null || total <= done) return "";
  return `${durationText(((total - done) / rate) * 1000)} left`;
}
