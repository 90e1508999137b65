// The ruler for every script: wide characters count as two columns, combining marks as none. A separate file because
// its tables are slow to load; use `rulerFor` (text-width.ts) if the text may be plain.
import displayWidth from "string-width";
import { createRuler } from "./text-width.ts";

export const wideRuler = createRuler(displayWidth);
