// The notices of a sandbox to the owners of reported tokens, as rows.
import { fieldsOf, objectWith, text, type TypeOf } from "../../output/json-schema.ts";
import type { Presentation } from "../../output/presentation.ts";

export const noticeSchema = objectWith("Notice", "What the owner of a reported token was told.", {
  login: text("the owner's user name"),
  token_last_eight: text("the last eight characters of the token"),
  sent_at: text("when, ISO 8601"),
});

export type NoticeRow = TypeOf<typeof noticeSchema>;

export const noticesPresentation: Presentation<NoticeRow> = {
  fields: fieldsOf(noticeSchema),
  columns: [
    { title: "SENT", text: (row) => row.sent_at, isWhole: true, priority: 2 },
    { title: "TO", text: (row) => row.login },
    { title: "LAST EIGHT", field: "token_last_eight", text: (row) => row.token_last_eight, isWhole: true },
  ],
};
