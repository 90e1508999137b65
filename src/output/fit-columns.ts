// Which columns of a table a window has room for, and how wide each is: columns go before texts are cut to nothing,
// and what is of use only whole is never cut. Knows widths alone, no texts.

/** Between two columns. */
export const gap = 2;

/** A text that is cut to less says little; a column goes first. */
const useful = 12;
/** A text that has to stay is cut to no less. */
const narrowest = 4;

/** What a column asks for. */
export interface ColumnWish {
  /** Terminal columns of its widest text. */
  readonly width: number;
  /** Whether part of a text is of no use. */
  readonly isWhole: boolean;
  /** 1 is for what has to stay; of the others the greatest goes first. */
  readonly priority: number;
  /** Whether nothing stands in it, as far as is known. */
  readonly isEmpty: boolean;
}

/**
 * The positions of the columns to draw, in order. What is asked for with priority 1 goes only where even a few
 * characters of it are too many, and never where it is whole.
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
 * The widths of columns that are all drawn: as asked for, the widest texts cut until the whole fits. What has to stay
 * whole keeps its width, even where it is wider than the window.
 */
export function fitWidths(wishes: readonly ColumnWish[], window: number): readonly number[] {
  const widths = wishes.map(({ width }) => width);
  narrow(widths, window, (index) => wishes[index]?.isWhole !== true);
  // Only where later rows are wider than those that the columns were chosen for.
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

/** The greater, the sooner it goes: where nothing stands, nothing is lost. */
function rank(wish: ColumnWish | undefined): number {
  if (wish === undefined) return 0;
  return wish.priority + (wish.isEmpty && wish.priority > 1 ? 1000 : 0);
}
