// A client for the pages: reads their forms, so that a test can send them back, unchanged or not.
import { expect } from "vitest";
import { sendTo, type Reply, type TestSandbox } from "./sandbox-client.ts";

export interface PageForm {
  /** The path that the form is sent to. */
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

function unescape(text: string): string {
  return text.replaceAll(/&(#?\w+);/g, (whole, name: string) => entities[name] ?? whole);
}

/** The forms of a page, in order. */
export function formsOf(reply: Reply): readonly PageForm[] {
  return [...reply.text.matchAll(/<form method="post" action="([^"]*)">([^]*?)<\/form>/g)].map((match) => ({
    action: unescape(match[1] ?? ""),
    fields: Object.fromEntries(
      [...(match[2] ?? "").matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)" ?\/?>/g)].map(
        ([, name = "", value = ""]) => [name, unescape(value)],
      ),
    ),
  }));
}

/** The visible text of a page. */
export function wordsOf(reply: Reply): string {
  const body = reply.text.replace(/^[^]*<main>/, "").replaceAll(/<[^>]*>/g, " ");
  return unescape(body.replaceAll(/\s+/g, " ")).trim();
}

export function titleOf(reply: Reply): string {
  return unescape(/<h1>([^]*?)<\/h1>/.exec(reply.text)?.[1] ?? "")
    .replaceAll(/<[^>]*>/g, "")
    .trim();
}

/** Opens a URL of the sandbox like a browser, without a referrer. */
export function openPage(sandbox: TestSandbox, address: string): Promise<Reply> {
  const { base_url } = sandbox.description;
  return sendTo(base_url, "GET", address.replace(base_url, ""), {
    headers: { Accept: "text/html", "Sec-Fetch-Site": "none" },
  });
}

/** Sends a form like the browser that shows it, with changed fields or headers. */
export function sendForm(
  sandbox: TestSandbox,
  form: PageForm,
  fields: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const { base_url } = sandbox.description;
  return sendTo(base_url, "POST", form.action, {
    headers: {
      "Content-Type": "application/x-www-form-urlencoded",
      Origin: base_url,
      "Sec-Fetch-Site": "same-origin",
      ...headers,
    },
    body: new URLSearchParams({ ...form.fields, ...fields }).toString(),
  });
}

/** The only form of a page. */
export function formOf(reply: Reply): PageForm {
  const forms = formsOf(reply);
  expect(forms).toHaveLength(1);
  return forms[0] as PageForm;
}

/** The URL at which a token can be approved for an organization. */
export async function approvalAddress(
  sandbox: TestSandbox,
  token: string,
  organization = "lanternfish",
): Promise<string> {
  const reply = await sandbox.asToken("GET", `/orgs/${organization}/members`, token);
  expect(reply.status).toBe(403);
  return /^required; url=(\S+)$/.exec(reply.headers["x-service-sso"] ?? "")?.[1] ?? "";
}

/** Approves a token through its page. */
export async function approve(sandbox: TestSandbox, token: string, organization?: string): Promise<void> {
  const page = await openPage(sandbox, await approvalAddress(sandbox, token, organization));
  const reply = await sendForm(sandbox, formOf(page), { decision: "approve" });
  expect(titleOf(reply)).toBe("Approved");
}

/** The headers that every page must have. */
export function expectGuarded(reply: Reply): void {
  const policy = reply.headers["content-security-policy"] ?? "";
  expect(policy).toMatch(
    /^default-src 'none'; style-src 'sha256-[\w+/]+=*'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
  );
  expect(reply.headers).toMatchObject({
    "cache-control": "no-store",
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
  });
  expect(reply.headers["set-cookie"]).toBeUndefined();
}
