// A value that is made when it is first asked for, and remembered.

/** A function that calls `make` once and returns that value every time; after a throw it tries again. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}
