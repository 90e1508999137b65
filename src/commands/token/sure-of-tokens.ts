// `sureOfGone` for the tokens of an application, which are read by checking them.
import type { Intent } from "../../http/request.ts";
import { withIntent, type Service } from "../../http/service.ts";
import type { ApplicationService } from "../../run/address.ts";
import { lastEight } from "../../token-value.ts";
import type { Proven } from "../../bulk/proof.ts";
import { sureOfGone, type SureOfGone } from "../../bulk/sure-of-gone.ts";

/** The operation on a token, such as its reset, which does not take a token for gone that the service still finds. */
export async function sureOfTokens<Result>(
  { service, clientId, proof }: Proven<ApplicationService>,
  operate: (service: Service, clientId: string, token: string) => Promise<Result>,
): Promise<SureOfGone<[Intent], Result>> {
  const { checkToken } = await import("../../api/tokens.ts");
  return sureOfGone(
    {
      proof,
      read: (token) => checkToken(service, clientId, token),
      nameOf: (token) => `the token ending in ${lastEight(token)}`,
    },
    (token, intent) => operate(withIntent(service, intent), clientId, token),
  );
}
