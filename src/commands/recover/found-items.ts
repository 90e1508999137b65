// How what became of the tokens of an interrupted job is shown.
import { textOf, type Presentation } from "../../output/presentation.ts";

/** What became of one token of a job. */
export interface FoundItem {
  readonly token_last_eight: string | null;
  /**
   * live: nothing happened to it. gone: revoked. lost: reset, and its new value is nowhere. unproven: not found, but
   * nothing shows that the credentials are right. unknown: it was not looked at.
   */
  readonly state: "live" | "gone" | "lost" | "unproven" | "unknown";
}

export const foundItemPresentation: Presentation<FoundItem> = {
  fields: ["token_last_eight", "state"],
  columns: [
    {
      title: "LAST EIGHT",
      field: "token_last_eight",
      text: (row) => textOf(row.token_last_eight),
      isWhole: true,
    },
    { title: "STATE", text: (row) => row.state, isWhole: true },
  ],
};
