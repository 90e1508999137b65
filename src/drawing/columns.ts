// Fits the columns of a table into a window.
//
// Columns are removed before their text is cut so short that it says little. The column with the greatest priority
// number goes first; columns with priority 1 stay. Ids and tokens are never cut. Works with widths, not with text.
/** Blanks between two columns. */
export const gap = 2;

/** A text cut shorter than this says little: before that, a column is left out. */
const useful = 12;
/** A column that must stay is cut to no less than this. */
const narrowest = 4;

/** The needs of a column. */
export interface ColumnWish {
  /** Terminal columns of its widest text. */
  readonly width: number;
  /** Whether its texts are useless when cut, as ids are. */
  readonly isWhole: boolean;
  /** Columns with 1 stay; of the others, the one with the greatest number is left out first. */
  readonly priority: number;
  /** Whether all its cells are empty, as far as is known. */
  readonly isEmpty: boolean;
}

/**
 * The positions of the columns to draw, in order. A column of priority 1 is left out only where not even a few of its
 * characters fit, and never where it may not be cut.
 */
export function chooseColumns(wishes: readonly ColumnWish[], window: number): readonly number[] {
  let kept = wishes.map((_, index) => index);
  const isTooWide = (shortest: number): boolean =>
    totalWidth(kept.map((index) => leastWidth(wishes[index], shortest))) > window;
  const drop = (mayGo: (wish: ColumnWish) => boolean, shortest: number): void => {
    while (kept.length > 1 && isTooWide(shortest)) {
      const going = kept
        .filter((index) => wishes[index] !== undefined && mayGo(wishes[index]))
        .toSorted((one, other) => rank(wishes[other]) - rank(wishes[one]) || other - one)[0];
      if (going === undefined) return;
      kept = kept.filter((index) => index !== going);
    }
  };
  drop(({ priority }) => priority > 1, useful);
  drop(({ isWhole }) => !isWhole, narrowest);
  return kept;
}

/**
 * The widths of the columns that are drawn: the widest ones are cut until all fit. A column that may not be cut keeps
 * its width, even where it is wider than the window.
 */
export function fitWidths(wishes: readonly ColumnWish[], window: number): readonly number[] {
  const widths = wishes.map(({ width }) => width);
  narrow(widths, window, (index) => wishes[index]?.isWhole !== true);
  // This happens only where later rows are wider than those that the columns were chosen for.
  narrow(widths, window, (index) => (wishes[index]?.priority ?? 1) > 1);
  return widths;
}

function narrow(widths: number[], window: number, mayCut: (index: number) => boolean): void {
  for (let excess = totalWidth(widths) - window; excess > 0; excess -= 1) {
    const widest = Math.max(0, ...widths.filter((_, index) => mayCut(index)));
    if (widest <= narrowest) return;
    widths[widths.findIndex((width, index) => width === widest && mayCut(index))] = widest - 1;
  }
}

function totalWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0) + gap * Math.max(0, widths.length - 1);
}

function leastWidth(wish: ColumnWish | undefined, shortest: number): number {
  if (wish === undefined) return 0;
  return wish.isWhole ? wish.width : Math.min(wish.width, shortest);
}

/** The column with the greatest rank is left out first; an empty one before all others. */
function rank(wish: ColumnWish | undefined): number {
  if (wish === undefined) return 0;
  return wish.priority + (wish.isEmpty && wish.priority > 1 ? 1000 : 0);
}
