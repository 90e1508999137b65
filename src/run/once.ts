// A value that is made when it is first asked for, and then kept.

/** Gives what `make` makes, which is called at most once; again only where it threw. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}
