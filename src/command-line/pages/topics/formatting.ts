// `grantctl help formatting`: how results are printed.
import { examples, section, terms, type Section } from "../page.ts";

export const formattingSections: readonly Section[] = [
  section(
    null,
    "Results go to standard output, everything else to standard error. A terminal gets a table with a header; a pipe gets tab-separated lines without one. Flags choose something else.",
  ),
  section(
    "Formats",
    terms([
      ["--format table", "columns under a header, as wide as the terminal"],
      ["--format tsv", "tab-separated lines without a header"],
      ["--format csv", "comma-separated lines under a header"],
      ["--format json, --json", "one JSON document: an array for a list, an object for one item"],
      ["--format ndjson", "one JSON object a line, each printed when it arrives"],
    ]),
  ),
  section(
    "Empty cells",
    "A shell's IFS=$'\\t' read treats several tabs as one, so an empty cell moves those after it to the left. Ask for one field with --jq, or read csv or JSON with something that knows them; cut -f and awk -F'\\t' keep empty cells.",
  ),
  section(
    "Fields",
    "--json id,app.name prints those fields, in JSON, csv and tsv alike; a dot leads into an object. A wrong name is answered with the right ones. JSON carries the service's data unchanged: ids keep every digit, dates their time.",
  ),
  section(
    "jq",
    "--jq takes a program for jq; the real jq is built in. It sees the whole array, or with --format ndjson each object; a program that begins with .[] and goes on as a plain pipe is given the pages as they come. Strings come out raw, everything else as JSON on a line. $ENV holds the environment, without grantctl's own variables.",
  ),
  section(
    "Lists that break off",
    "A list that fails half-way leaves its JSON array unclosed and does not exit 0, so that no reader takes it for whole.",
  ),
  section(
    "Jobs with many items",
    "Each item is a line, its status and its id or the last eight characters of its token, or an object with --format ndjson.",
  ),
  section(
    "Examples",
    examples(
      "grantctl grant list --json id,app.name",
      "grantctl grant list --format csv > grants.csv",
      "grantctl authorization list --jq '.[] | select(.note == null).id'",
      "grantctl authorization list --format ndjson --jq .token_last_eight",
    ),
  ),
];
