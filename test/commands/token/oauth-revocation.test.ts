// The outcome of a revocation at an OAuth 2.0 server, which only the introspections before and after it tell.
import { expect, test } from "vitest";
import { revokeVerified } from "../../../src/commands/token/oauth-revocation.ts";
import { isFailure } from "../../../src/errors/errors.ts";
import type { Entry } from "../../../src/jobs/journal.ts";
import { earlierRevocation, type EarlierRevocation as Earlier } from "../../../src/jobs/leftover.ts";
import { connectTo, makeAnswer } from "../../http/doubles.ts";

/** A status, or a body with status 200. */
type Answer = number | string | object;
const active = { active: true };
const inactive = { active: false };
const foreign = { active: true, client_id: "another" };
const noClient = makeAnswer(400, { error: "invalid_client" });
const throttled = makeAnswer(503, {}, { "retry-after": "100" });

/** What an introspection shows; two answers: without and with the hint that it is a refresh token. */
type Shown = Answer | readonly [plain: Answer, hinted: Answer];
const hinted: Shown = [inactive, active];

function answerOf(shown: Shown, isHinted: boolean) {
  const answer = Array.isArray(shown) ? (shown[isHinted ? 1 : 0] as Answer) : shown;
  if (answer === noClient) return noClient;
  if (answer === throttled) return throttled;
  return typeof answer === "number" ? makeAnswer(answer) : makeAnswer(200, answer);
}

/** Revokes a token. Of the requests, i is an introspection and r the revocation, in capitals with the hint. */
async function revoke(before: Shown, revocation: Answer, after: Shown, earlier?: Earlier, sendsAll = true) {
  let requests = "";
  const noted: string[] = [];
  const service = connectTo(
    async ({ target, body }) => {
      const isSent = /r/i.test(requests);
      const isHinted = String(body).includes("token_type_hint");
      const [, letter = ""] = target.path;
      requests += isHinted ? letter.toUpperCase() : letter;
      return letter === "r" ? answerOf(revocation, false) : answerOf(isSent ? after : before, isHinted);
    },
    { endpoints: { pathOf: async (name) => (name === "revocation" ? "/r" : "/i") } },
  );
  const shared = { active: new Map(), sendsInactive: sendsAll, onUnverified: () => noted.push("unverified") };
  const intent = { beforeSending: async () => undefined, keepResponse: async () => undefined };
  /** Adds what a later run makes of the entry. */
  const note = (more: Partial<Entry>): void => {
    const sentState = earlier === "to-verify" ? "answered" : "sent";
    noted.push(earlierRevocation({ key: "", state: sentState, ...more }) ?? "");
  };
  const entry = { markUnsynced: note, mark: async (more: Partial<Entry>) => note(more) };
  const work = revokeVerified(service, "client", "at_one", { shared, earlier, intent, entry });
  const outcome = await work.catch((error: unknown) => {
    if (!isFailure(error)) throw error;
    return `${error.kind}${error.details.isStillActive ? " active" : ""}`;
  });
  return { said: [outcome, ...noted].join(", "), requests, sendsInactive: shared.sendsInactive };
}

test.each<[words: string, Shown, revocation: Answer, Shown, said: string, requests: string]>([
  ["active before and inactive after is revoked", active, 200, inactive, "revoked", "iriI"],
  ["still active after a 2xx is refused", active, 200, active, "refused active, unseen", "iri"],
  ["inactive before and after may be hidden", inactive, 200, inactive, "not-found, unseen", "iIriI"],
  ["of another client is not sent", foreign, 0, 0, "refused", "i"],
  ["shown only with the hint is revoked with it", hinted, 200, inactive, "revoked", "iIRiI"],

  // What the server refuses.
  ["that is active, refused with 400", active, 400, 0, "refused, unseen", "ir"],
  ["with 403", active, 403, 0, "refused, unseen", "ir"],
  ["with a 200 that says no as a text", active, { revoked: "false" }, 0, "refused, unseen", "ir"],
  ["with a 200 that is not ok", active, { ok: false }, 0, "refused, unseen", "ir"],
  ["with a 200 without success", active, { success: false }, 0, "refused, unseen", "ir"],
  ["with a 200 that has an error", active, { error: "x" }, 0, "refused, unseen", "ir"],
  ["that is inactive before and after a refusal", inactive, 400, inactive, "not-found, unseen", "iIriI"],
  ["that is inactive, refused, and then active", inactive, 400, active, "refused, unseen", "iIri"],
  ["that is inactive, refused, and then hidden", inactive, 400, 403, "refused, unseen", "iIri"],

  // What nothing shows.
  ["with an introspection that says 400", 400, 200, 0, "accepted, unverified", "ir"],
  ["with one that says 403", 403, 200, 0, "accepted, unverified", "ir"],
  ["with one that says 404", 404, 200, 0, "accepted, unverified", "ir"],
  ["with one that says 405", 405, 200, 0, "accepted, unverified", "ir"],
  ["with one that fails", 500, 200, 0, "accepted, unverified", "ir"],
  ["with one that is refused afterwards", active, 200, 403, "accepted, unverified", "iri"],
  ["whose hint is refused is inactive", [inactive, 400], 200, inactive, "not-found, unseen", "iIriI"],
  ["whose hint makes it fail", [inactive, 500], 200, 0, "accepted, unverified", "iIr"],
  ["whose hint is refused afterwards", hinted, 200, [inactive, 403], "accepted, unverified", "iIRiI"],

  // What must not be sent, and what has an unknown outcome.
  ["by a wrong client", 401, 0, 0, "authentication", "i"],
  ["by a wrong client, said with 400", noClient, 0, 0, "authentication", "i"],
  ["at a server that asks to wait", throttled, 0, 0, "rate-limited", "i"],
  ["with an introspection of another form", { active: "true" }, 0, 0, "protocol", "i"],
  ["with one that says two things", '{"active":false,"active":true}', 0, 0, "protocol", "i"],
  ["with an answer that is no object", [[true], 0], 0, 0, "protocol", "i"],
  ["of a client that is no text", { active: true, client_id: 7 }, 0, 0, "protocol", "i"],
  ["by a client that the revocation rejects", active, 401, 0, "authentication", "ir"],
  ["at a path that is not there", active, 404, 0, "protocol", "ir"],
  ["whose response is lost", active, 503, 0, "unknown", "ir"],
  ["accepted, and then the client is rejected", active, 200, 401, "unknown, to-verify", "iri"],
  ["inactive, sent, and then the client is rejected", inactive, 200, 401, "unknown, unseen", "iIri"],
])("a token %s", async (_, before, revocation, after, said, requests) => {
  expect(await revoke(before, revocation, after)).toMatchObject({ said, requests });
});

test.each<[words: string, Earlier, Shown, said: string, requests: string]>([
  ["without a response: sent again if it is active", "unanswered", active, "revoked", "iriI"],
  ["without a response: not sent again if it is inactive", "unanswered", inactive, "not-found", "iI"],
  ["without a response: sent again if nothing shows it", "unanswered", 403, "accepted, unverified", "ir"],
  ["answered while it was inactive: not sent again", "unseen", inactive, "not-found", "iI"],
  ["answered, but it is active now: sent again", "unseen", active, "revoked", "iriI"],
  ["answered, and nothing shows it: left alone", "unseen", 403, "incomplete", "i"],
  ["accepted while it was active: revoked if it is inactive", "to-verify", inactive, "revoked", "iI"],
  ["accepted while it was active, and it still is", "to-verify", active, "refused active, unseen", "i"],
  ["accepted while it was active, and nothing shows it", "to-verify", 403, "accepted, unverified", "i"],
])("a request in an earlier run, %s", async (_, earlier, before, said, requests) => {
  expect(await revoke(before, 200, inactive, earlier)).toMatchObject({ said, requests });
});

test("a refusal says nothing of an earlier request without a response", async () => {
  expect(await revoke(403, 400, 0)).toMatchObject({ said: "refused, unseen" });
  expect(await revoke(403, 400, 0, "unanswered")).toMatchObject({ said: "refused" });
});

test("after a refusal of an inactive token, no other inactive one is sent", async () => {
  expect(await revoke(inactive, 400, inactive)).toMatchObject({ sendsInactive: false });
  expect(await revoke(inactive, 200, inactive)).toMatchObject({ sendsInactive: true });
  expect(await revoke(active, 400, inactive)).toMatchObject({ sendsInactive: true });
  expect(await revoke(inactive, 0, 0, undefined, false)).toMatchObject({ said: "not-found", requests: "iI" });
});
