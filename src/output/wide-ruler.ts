// The ruler for every script: wide characters count as two columns, marks as none. Its tables of emoji take longer to
// load than a whole start: where texts may well be plain, ask `rulerFor`.
import displayWidth from "string-width";
import { createRuler } from "./ruler.ts";

export const wideRuler = createRuler(displayWidth);
