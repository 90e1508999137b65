// What the doctor prints as JSON.
import { object, orNull, text, word } from "../../output/json-schema.ts";
import { printsList, type Outputs } from "../../shapes/command-output.ts";
import type { Finding } from "./finding.ts";

const finding = object<Omit<Finding, "kind">>("Finding", "What one check found.", {
  check: text("what was looked at"),
  status: word(
    "fine; note: worth knowing; wrong: something does not work, or is not safe",
    "fine",
    "note",
    "wrong",
  ),
  message: text("what was found"),
  hint: orNull(text("what to do about it; null where there is nothing to do")),
});

export const doctorOutputs: Outputs = { doctor: printsList("an array of findings", finding) };
