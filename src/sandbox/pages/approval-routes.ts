// The routes where a browser approves a personal token for an organization. The address alone gives access: it cannot
// be guessed, is valid once and for minutes, and was sent to the token's holder only. An operator would require a
// sign-on at the organization's identity provider. The sandbox has none, and does not ask for the password either,
// because users who start it from a script may never have seen it.
import { findOrganization } from "../fixtures/organizations.ts";
import type { Answer } from "../http/answer.ts";
import { route, type Call, type Route } from "../http/routes.ts";
import type { ApprovalRequests } from "../identity/approval-requests.ts";
import type { SingleUseValues } from "../identity/single-use-values.ts";
import type { HandlerOptions } from "../handlers/handler-options.ts";
import {
  answerApproved,
  answerCancelled,
  answerClosedRequest,
  answerUnknownRequest,
  askForApproval,
  type Question,
} from "./approval-pages.ts";
import { refuseForm, textOf } from "./forms.ts";
import { html } from "./html.ts";
import { answerMessage } from "./layout.ts";

export interface ApprovalOptions {
  readonly requests: ApprovalRequests;
  readonly values: SingleUseValues;
}

const template = "/orgs/:org/sso";
const purposeOf = (requestId: string): string => `answer ${requestId}`;

/** The routes of the approval pages, over the open requests. */
export function createApprovalRoutes(
  { store, nowInSeconds }: HandlerOptions,
  { requests, values }: ApprovalOptions,
): readonly Route<null>[] {
  /** The question for a request's ID, or the page that says why it is not open. */
  function find(login: string, id: string): Omit<Question, "once"> | Answer {
    const found = requests.find(id);
    const organization = found && findOrganization(found.request.organizationId);
    if (found === undefined || organization?.login !== login) return answerUnknownRequest();
    if (found.state !== "open") return answerClosedRequest(found.state);
    const authorization = store.authorizations.find(found.request.authorizationId);
    const account = authorization && store.accounts.find(authorization.accountId);
    if (authorization === undefined || account === undefined) return answerClosedRequest("gone");
    return { login: account.login, authorization, organization, path: `/orgs/${login}/sso`, requestId: id };
  }

  function show({ variables, request }: Call<null>): Answer {
    const id = new URLSearchParams(request.query).get("authorization_request") ?? "";
    const question = find(variables["org"] ?? "", id);
    if ("status" in question) return question;
    return askForApproval({ ...question, once: values.issue(purposeOf(id)) });
  }

  function decide({ variables, request, body }: Call<null>): Answer {
    const id = textOf(body, "authorization_request");
    const question = find(variables["org"] ?? "", id);
    if ("status" in question) return question;
    const refusal = refuseForm(request, body, values, purposeOf(id));
    if (refusal !== null) return refusal;
    switch (textOf(body, "decision")) {
      case "approve":
        store.transaction(() =>
          store.approvals.add(question.authorization.id, question.organization.id, nowInSeconds()),
        );
        requests.finish(id);
        return answerApproved(question);
      case "cancel":
        requests.finish(id);
        return answerCancelled();
      default:
        return answerMessage(
          400,
          "Neither approved nor cancelled",
          html`The form says neither. Nothing was changed.`,
        );
    }
  }

  return [route(`GET ${template}`, show), route(`POST ${template}`, decide, "form")];
}
