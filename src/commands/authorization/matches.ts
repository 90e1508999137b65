// How `grantctl authorization identify` prints the authorizations that tokens belong to.
import type { Authorization } from "../../api/resources.ts";
import type { JsonItem } from "../../json/json-items.ts";
import type { ListWriter } from "../../output/list-writers.ts";
import type { Presentation } from "../../output/presentation.ts";
import type { Printer } from "../../output/printer.ts";
import type { GivenTokens } from "../token/read-tokens.ts";

interface Match {
  readonly item: JsonItem<Authorization>;
  readonly token: string;
}

/** Opens a list of matches, with the places of their tokens if those came from a report. */
export function openMatches(
  printer: Printer,
  presentation: Presentation<Authorization>,
  { hasSources, sourcesOf }: GivenTokens,
): ListWriter<Match> {
  if (!hasSources) {
    const list = printer.openSentList(presentation);
    return {
      add: (matches) => list.add(matches.map(({ item }) => item)),
      end: () => list.end(),
    };
  }
  const list = printer.openList(presentation);
  return {
    add: (matches) => list.add(matches.map(({ item, token }) => ({ ...item.value, ...sourcesOf(token) }))),
    end: () => list.end(),
  };
}
