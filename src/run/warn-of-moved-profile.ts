// Warns when a profile with commands for secrets is given another address: what those commands print will go there.
import type { ProfileValues } from "../config/profile-keys.ts";
import type { Context } from "./context.ts";

/**
 * Warns where there are such commands. Stored secrets need no warning: they stay with the address they were proven at.
 */
export function warnOfMovedProfile(address: string, values: ProfileValues, { notices }: Context): void {
  const commands = (["password_command", "client_secret_command", "otp_command"] as const).filter(
    (key) => values[key] !== undefined,
  );
  const before = values.base_url;
  if (commands.length === 0 || before === undefined || new URL(before).origin === new URL(address).origin)
    return;
  notices.warn(`${commands.join(", ")} of this profile now serve ${new URL(address).origin}`);
}
