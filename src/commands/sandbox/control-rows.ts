// What a running sandbox tells its owner, as rows: one-time passwords, and the notices to owners of reported tokens.
import { objectWith, text, type TypeOf } from "../../output/json-schema.ts";
import { column, present } from "../../output/presentation.ts";

export const codeSchema = objectWith("Code", "A one-time password that was sent and is still taken.", {
  login: text("the account's user name"),
  code: text("the code, six digits"),
  sent_at: text("when it was sent, ISO 8601"),
  expires_at: text("until when it is taken, ISO 8601"),
});

/** A code that the sandbox accepts, with the times of its sending and its end. */
export type CodeRow = TypeOf<typeof codeSchema>;

export const codesPresentation = present(codeSchema, [
  column("SENT", "sent_at", { isWhole: true, priority: 2 }),
  column("TO", "login"),
  column("CODE", "code", { isWhole: true }),
  column("GOOD UNTIL", "expires_at", { isWhole: true, priority: 2 }),
]);

export const noticeSchema = objectWith("Notice", "What the owner of a reported token was told.", {
  login: text("the owner's user name"),
  token_last_eight: text("the last eight characters of the token"),
  sent_at: text("when, ISO 8601"),
});

export type NoticeRow = TypeOf<typeof noticeSchema>;

export const noticesPresentation = present(noticeSchema, [
  column("SENT", "sent_at", { isWhole: true, priority: 2 }),
  column("TO", "login"),
  column("LAST EIGHT", "token_last_eight", { isWhole: true }),
]);
