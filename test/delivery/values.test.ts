// Where the new values of a job go, and what its rows show then, by receiver, shape and format.
import { expect, test } from "vitest";
import { openDelivery } from "../../src/delivery/values.ts";
import { statusColumn } from "../../src/output/presentation.ts";
import { createPrinter } from "../../src/output/printer.ts";
import { tokenValue } from "../support/resources.ts";

type Shape = Parameters<typeof openDelivery>[2];
type Batch = readonly { readonly text: string; readonly value: { readonly token: string } }[];

/** A jq program that prints a value, unless it is that of the first item. */
const jq = (json: string): readonly string[] =>
  [...json.matchAll(/"token":"(\w*)"/g)].flatMap(([, value = ""]) => (value === tokenValue(1) ? [] : value));

/** A text in which {T1} is a row with the first value, {} one without its value, and / the end of a line. */
const shorten = (text: string): string =>
  [1, 2]
    .reduce((short, number) => short.replaceAll(tokenValue(number), `T${number}`), text)
    .replaceAll(/\{"status":"done","token":"(\w*)"\}/g, "{$1}")
    .replaceAll(/\r?\n/g, "/");

/** Delivers one value, or two; then prints the rows, unless they were delivered. */
async function deliver(receiver: object, shape: Shape, format: string) {
  let [printed, taken, marked] = ["", "", ""];
  const write = async (text: string): Promise<void> => void (printed += text);
  const isTerminal = receiver === file && shape === "object";
  const stdout = { isTerminal, columns: 80, write, flush: async () => undefined };
  const choice = { format: format || "table", isFormatRequested: format !== "", fields: null };
  const printer = createPrinter({ ...choice, stdout, jq: format === "ndjson" ? jq : null } as never);
  const context = {
    printer,
    stdout,
    redactor: new Set(),
    options: { concurrency: 1, format: format || undefined },
  };
  const take = async (batch: Batch): Promise<void> => {
    const texts = batch.map(({ text, value }) => ("toCommand" in receiver ? `${value.token};` : text));
    if (receiver === output) await write(texts.join(""));
    else taken += texts.join("");
  };
  const rows = (shape === "many" ? [1, 2] : [1]).map((each) => ({ status: "done", token: tokenValue(each) }));
  const presentation = { fields: ["status", "token"], columns: [statusColumn] };
  const values = openDelivery<(typeof rows)[0]>({ ...receiver, take }, presentation, shape, context as never);
  const failures = await values.deliver(rows, async (position) => {
    await new Promise(setImmediate);
    marked += position;
    // The next command must not run before.
    if (receiver === command) taken += `${position} `;
  });
  if (!values.deliversRows) await values.list.add(rows.map((row) => ({ ...row, token: "" })));
  await values.list.end();
  await new Promise(setImmediate);
  const kinds = failures.map((failure) => failure?.kind ?? "done").join(" ");
  return [shorten(printed), shorten(taken), kinds, marked];
}

const [output, file, command] = [{}, { outputFile: "new.txt" }, { toCommand: "take" }];

test.each<[receiver: object, Shape, format: string, printed: string, taken: string]>([
  [output, "object", "json", "{T1}/", ""],
  [output, "one", "", "T1/", ""],
  [output, "one", "json", "[/{T1}/]/", ""],
  [output, "many", "", "{T1}/{T2}/", ""],
  [output, "many", "json", "[/{T1},/{T2}/]/", ""],
  [output, "many", "csv", "STATUS,TOKEN/done,T1/done,T2/", ""],
  [file, "object", "json", "", "{T1}/"],
  [file, "one", "", "", "T1/"],
  [file, "one", "json", "[/{}/]/", "{T1}/"],
  [file, "many", "", "STATUS/done/done/", "{T1}/{T2}/"],
  [command, "object", "json", "{}/", "T1;0 "],
  [command, "one", "", "", "T1;0 "],
  [command, "many", "", "STATUS/done/done/", "T1;0 T2;1 "],
])("to %o, %s, as %j", async (receiver, shape, format, printed, taken) => {
  const [kinds, marked] = shape === "many" ? ["done done", "01"] : ["done", "0"];
  expect(await deliver(receiver, shape, format)).toEqual([printed, taken, kinds, marked]);
});

test.each<[receiver: object, Shape, printed: string, taken: string, kinds: string, marked: string]>([
  [output, "one", "", "", "undelivered", ""],
  [output, "many", "T2/", "", "undelivered done", "1"],
  [file, "many", "//", "T2/", "undelivered done", "1"],
  [command, "many", "//", "T1;0 T2;1 ", "done done", "01"],
])("of values to %o, %s, jq may leave one out, and only its own delivery fails", async (...row) => {
  const [receiver, shape, ...wanted] = row;
  expect(await deliver(receiver, shape, "ndjson")).toEqual(wanted);
});
