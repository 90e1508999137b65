/** The beginning of the IDs of runs that begin at this moment (milliseconds since the epoch): YYYYMMDD-HHMMSS, in UTC. */
export function stampOf(moment: number): string {
  return new Date(moment).toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
}
