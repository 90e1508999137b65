// Says so when a profile is pointed elsewhere and its commands go with it.
import type { ProfileValues } from "../config/profile-keys.ts";
import type { Context } from "./context.ts";

/** Stored secrets stay with the address they were proven at; what a command prints goes wherever its profile does. */
export function warnOfMovedProfile(address: string, values: ProfileValues, { notices }: Context): void {
  const commands = (["password_command", "client_secret_command", "otp_command"] as const).filter(
    (key) => values[key] !== undefined,
  );
  const before = values.base_url;
  if (commands.length === 0 || before === undefined || new URL(before).origin === new URL(address).origin)
    return;
  notices.warn(`${commands.join(", ")} of this profile now serve ${new URL(address).origin}`);
}
