// What the old value of a token tells about a reset that was never answered.
import { isFailure } from "../../errors/errors.ts";
import type { Service } from "../../http/service.ts";

/** Checks the old value, and says in a sentence what follows. Throws what the check threw, but "not found". */
export async function lookAtOldValue(service: Service, clientId: string, token: string): Promise<string> {
  const { checkToken } = await import("../../api/tokens.ts");
  try {
    await checkToken(service, clientId, token);
    return "the old value is still live, so the reset has not taken effect";
  } catch (error) {
    if (!isFailure(error, "not-found")) throw error;
    return "the service does not find the old value now: the reset took effect, or the credentials are wrong";
  }
}
