// Pages of a list: reads the page that a query asks for, and makes the `Link` header to the others. Reads integers as
// leniently as real operators do; a query is never an error.

export interface Page {
  readonly number: number;
  readonly size: number;
}

const largestSize = 100;
/** Keeps number times size an exact integer. */
const largestNumber = 2 ** 40;

/** The page that a query asks for. Nonsense counts as not sent; sizes are 1 to 100. */
export function readPage(query: string, defaultSize: number): Page {
  const parameters = new URLSearchParams(query);
  return {
    number: Math.min(readPositive(parameters.getAll("page").at(-1)) ?? 1, largestNumber),
    size: Math.min(readPositive(parameters.getAll("per_page").at(-1)) ?? defaultSize, largestSize),
  };
}

/** How many rows come before a page. */
export function offsetOf(page: Page): number {
  return (page.number - 1) * page.size;
}

/**
 * The `Link` header of a list (RFC 8288), or none when everything fits on one page. Repeats the query's other
 * parameters. `address` is the list's own, without a query.
 */
export function createLinkHeader(address: string, query: string, page: Page, total: number): string | null {
  const last = Math.ceil(total / page.size);
  if (last <= 1) return null;
  const links: string[] = [];
  const add = (relation: string, number: number): void => {
    const parameters = new URLSearchParams(query);
    parameters.delete("page");
    parameters.set("page", String(number));
    links.push(`<${address}?${parameters.toString()}>; rel="${relation}"`);
  };
  if (page.number < last) {
    add("next", page.number + 1);
    add("last", last);
  }
  if (page.number > 1) {
    add("first", 1);
    add("prev", Math.min(page.number - 1, last));
  }
  return links.join(", ");
}

function readPositive(text: string | undefined): number | null {
  const number = Number.parseInt(text ?? "", 10);
  return number > 0 ? number : null;
}
