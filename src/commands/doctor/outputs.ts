// What the doctor prints as JSON.
import { printsList, type Outputs } from "../../shapes/command-output.ts";
import { findingSchema } from "./finding.ts";

export const doctorOutputs: Outputs = { doctor: printsList("an array of findings", findingSchema) };
