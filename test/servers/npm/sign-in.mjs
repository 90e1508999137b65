// An authorization code flow with PKCE (RFC 6749, 4.1; RFC 7636): what a client sends to sign in and get its tokens.
import { createHash, randomBytes } from "node:crypto";

/** `authorize` sends the question and resolves with the URL that the server redirects to; `grant` sends the token request. */
export async function signIn({ id, secret, redirect, scope }, authorize, grant) {
  const verifier = randomBytes(32).toString("base64url");
  const question = new URLSearchParams({
    response_type: "code",
    client_id: id,
    redirect_uri: redirect,
    scope,
    state: "s",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  });
  const location = await authorize(question.toString());
  const granted = await grant({
    method: "POST",
    headers: { Authorization: `Basic ${btoa(`${id}:${secret}`)}` },
    body: new URLSearchParams({
      grant_type: "authorization_code",
      code: new URL(location, redirect).searchParams.get("code"),
      redirect_uri: redirect,
      code_verifier: verifier,
    }),
  });
  return granted.text();
}
