// Selection from a list on the terminal, in place of typing IDs (`findItems` for many, `idOrPick` for one); and the verb
// `view`, which shows one item.
import { idText } from "../api/resources.ts";
import { addExamples, printsFields, type Define } from "../command-line/command.ts";
import { usageFailure } from "../errors/errors.ts";
import type { JobOptions } from "../jobs/job.ts";
import { parseId, readIds } from "./read-ids.ts";
import type { Context } from "../run/context.ts";
import { createFilter, type FilterOptions, type Listed } from "./filters.ts";
import type { Noun } from "../nouns.ts";

/** In list order; none if the list is empty. Throws a usage failure if nothing is selected, or there is no terminal. */
async function pickItems<Item extends Listed>(
  context: Context,
  { name, list, presentation }: Noun<Item>,
  verb: string,
  { filters = {}, isSingle = false }: { readonly filters?: FilterOptions; readonly isSingle?: boolean } = {},
): Promise<readonly Item[]> {
  const what = isSingle ? `${name === "authorization" ? "an" : "a"} ${name}` : `${name}s`;
  const cannotPick = (why: string): Error =>
    usageFailure(
      `no ID given, and ${what} cannot be selected: ${why}`,
      isSingle
        ? `Run \`grantctl ${name} list\` to see the IDs.`
        : `Run \`grantctl ${name} list\` with the same filters, and pipe its lines into \`grantctl ${name} ${verb} -\`.`,
    );
  await context.prompter.check(cannotPick);
  const filter = createFilter(filters, context.host.now());
  const { service } = await context.server.accountService();
  const items: Item[] = [];
  for await (const page of list(service, context.paging(), filter?.isMatch))
    for (const item of page) items.push(item);
  filter?.warnUnmatched(context.notices);
  if (items.length === 0) return [];
  const { columns } = presentation;
  return context.prompter.pick(`Select ${what} to ${verb}`, { items, columns, isSingle }, cannotPick);
}

/** The IDs that were typed, or those of items that are selected from a list; null with only --resume. */
export async function findItems<Item extends Listed>(
  words: readonly string[],
  { resume, ...filters }: JobOptions & FilterOptions,
  context: Context,
  noun: Noun<Item>,
  verb: string,
): Promise<{ readonly given: readonly string[] | null; readonly picked: readonly Item[] }> {
  context.server.checkAccounts();
  if (words.length > 0) return { given: await readIds(words, context, noun.name), picked: [] };
  if (resume !== undefined) return { given: null, picked: [] };
  const picked = await pickItems(context, noun, verb, { filters });
  return { given: picked.map(({ id }) => idText(id)), picked };
}

export async function idOrPick<Item extends Listed>(
  given: string | undefined,
  context: Context,
  noun: Noun<Item>,
  verb: string,
): Promise<string> {
  if (given !== undefined) return parseId(given, "", `Run \`grantctl ${noun.name} list\` to see the IDs.`);
  const [item] = await pickItems(context, noun, verb, { isSingle: true });
  if (item === undefined) throw usageFailure(`there is no ${noun.name} to ${verb}`);
  return idText(item.id);
}

/** Defines the verb `view` of a noun. */
export function defineView<Item extends Listed>(
  noun: Noun<Item>,
  description: string,
  examples: readonly string[],
): Define {
  const view = async (context: Context, given: string | undefined): Promise<void> => {
    const id = await idOrPick(given, context, noun, "view");
    const { service } = await context.server.accountService();
    await context.printer.printItem(await noun.read(service, id), noun.presentation);
  };
  return (command, act) => {
    command
      .description(description)
      .argument("[id]", `ID of the ${noun.name}; on a terminal, you can select one instead`)
      .action(act(view, { isPaged: true }));
    printsFields(command, noun.presentation.fields);
    addExamples(command, examples);
  };
}
