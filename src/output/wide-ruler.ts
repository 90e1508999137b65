// The ruler for every script: wide characters count as two columns, combining marks as none. Its tables of emoji take
// longer to load than all else at the start, so use `rulerFor` where texts may be plain.
import displayWidth from "string-width";
import { createRuler } from "./ruler.ts";

export const wideRuler = createRuler(displayWidth);
