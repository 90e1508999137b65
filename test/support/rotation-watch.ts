// Watches a truth service while authorizations are rotated: at the instant of each deletion, that a successor is
// active, was proven and was delivered; and in the end, that every value is somewhere or was reported.
import type { TruthRequest, TruthService } from "./truth-service.ts";

export interface RotationWatch {
  /** Violations at any instant. */
  readonly wrong: readonly string[];
  /** Returns the violations after all rotations; `said` is the standard error of the runs. */
  problemsAtEnd(said: string): readonly string[];
  /** Values that were made, and that nothing took. */
  lost(): readonly string[];
}

/** Watches the successors of these active tokens, found by their notes. `isDelivered` is called at each deletion. */
export function watchRotations(
  service: TruthService,
  olds: readonly string[],
  isDelivered: (value: string) => boolean,
): RotationWatch {
  const wrong: string[] = [];
  const proven = new Set<string>();
  const from = service.writes.length;
  const watched = olds.map((old) => ({
    old,
    id: String(service.idOf(old)),
    note: String(service.fieldsOf(old)["note"]),
  }));
  const made = (note: string): readonly string[] =>
    service.writes
      .slice(from)
      .filter(({ operation, subject }) => operation === "create" && subject.startsWith(`${note} (rotated`))
      .map(({ value }) => value ?? "");

  const lost = (): readonly string[] =>
    watched.flatMap(({ note }) => made(note)).filter((value) => !isDelivered(value));
  const isGood = (value: string): boolean => service.isLive(value) && proven.has(value) && isDelivered(value);
  let isOver = false;
  const look = ({ operation, subject, headers }: TruthRequest): void => {
    if (isOver) return;
    if (operation === "user") proven.add(/^token (.+)$/.exec(String(headers.authorization))?.[1] ?? "");
    if (["reset", "revoke", "revoke-grant", "get-or-create"].includes(operation))
      wrong.push(`a ${operation} was sent`);
    if (operation !== "delete") return;
    const meant = watched.find(({ id }) => id === subject);
    if (meant === undefined) {
      const isLost = lost().some((value) => service.isLive(value) && String(service.idOf(value)) === subject);
      if (!isLost) wrong.push(`authorization ${subject} was deleted, which nobody asked for`);
    } else if (service.isLive(meant.old) && !made(meant.note).some(isGood))
      wrong.push(`${meant.note} was deleted before its successor was alive, proven and delivered`);
  };
  service.onRequest(look);

  return {
    wrong,
    lost,
    problemsAtEnd(said) {
      isOver = true;
      const problems: string[] = [];
      for (const { old, note } of watched) {
        if (service.isLive(old)) problems.push(`${note}: the old one is alive`);
        const named = made(note).filter(
          (value) => service.isLive(value) && service.fieldsOf(value)["note"] === note,
        );
        if (named.length !== 1) problems.push(`${note}: ${named.length} successors have its note`);
        for (const value of made(note)) {
          if (named.includes(value)) {
            if (!isGood(value)) problems.push(`${note}: its successor is not delivered and proven`);
          } else if (service.isLive(value) && !said.includes(`authorization ${service.idOf(value)} `))
            problems.push(`${note}: authorization ${service.idOf(value)} was made as well, without a word`);
        }
      }
      return problems;
    },
  };
}
