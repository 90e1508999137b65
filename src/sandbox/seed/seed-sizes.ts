// How many grants and authorizations a new sandbox starts with, with defaults for numbers that were not given.

export interface SeedSizes {
  /** Applications that hold at least one token. */
  readonly grants: number;
  /** All authorizations of the account. */
  readonly authorizations: number;
}

const defaultGrants = 3;
/** The default number of authorizations besides one for each application. */
const defaultExtras = 3;

/** Null asks for the default. Throws a RangeError when there are fewer authorizations than grants. */
export function chooseSeedSizes(grants: number | null, authorizations: number | null): SeedSizes {
  for (const number of [grants, authorizations]) {
    if (number !== null && (!Number.isSafeInteger(number) || number < 0)) {
      throw new RangeError(`${number} is not a number of grants or authorizations`);
    }
  }
  const chosenGrants = grants ?? Math.min(defaultGrants, authorizations ?? defaultGrants);
  const chosenAuthorizations = authorizations ?? chosenGrants + defaultExtras;
  if (chosenAuthorizations < chosenGrants) {
    throw new RangeError(
      `${chosenGrants} grants need at least ${chosenGrants} authorizations, not ${chosenAuthorizations}`,
    );
  }
  return { grants: chosenGrants, authorizations: chosenAuthorizations };
}
