// What a running sandbox tells its owner, as rows: one-time passwords, and the notices to owners of reported tokens.
import { fieldsOf, objectWith, text, type TypeOf } from "../../output/json-schema.ts";
import type { Presentation } from "../../output/presentation.ts";

export const codeSchema = objectWith("Code", "A one-time password that was sent and is still taken.", {
  login: text("the account's user name"),
  code: text("the code, six digits"),
  sent_at: text("when it was sent, ISO 8601"),
  expires_at: text("until when it is taken, ISO 8601"),
});

/** A code that the sandbox accepts, with the times of its sending and its end. */
export type CodeRow = TypeOf<typeof codeSchema>;

export const codesPresentation: Presentation<CodeRow> = {
  fields: fieldsOf(codeSchema),
  columns: [
    { title: "SENT", text: (row) => row.sent_at, isWhole: true, priority: 2 },
    { title: "TO", text: (row) => row.login },
    { title: "CODE", text: (row) => row.code, isWhole: true },
    { title: "GOOD UNTIL", text: (row) => row.expires_at, isWhole: true, priority: 2 },
  ],
};

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
