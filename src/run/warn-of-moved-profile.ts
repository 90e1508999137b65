// Warns when a profile with commands for secrets gets another address: the secrets that they print will be sent there.
import type { ProfileValues } from "../config/profile-keys.ts";
import type { Context } from "./context.ts";

/** Warns of such commands. Stored secrets need no warning: they are bound to the address at which they were tested. */
export function warnOfMovedProfile(address: string, values: ProfileValues, { notices }: Context): void {
  const commands = (["password_command", "client_secret_command", "otp_command"] as const).filter(
    (key) => values[key] !== undefined,
  );
  const before = values.base_url;
  if (commands.length === 0 || before === undefined || new URL(before).origin === new URL(address).origin)
    return;
  notices.warn(`${commands.join(", ")} of this profile now serve ${new URL(address).origin}`);
}
