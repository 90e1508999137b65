// The verb `delete` of grants and authorizations. IDs come from arguments, standard input, an interactive selection or the
// record.
import { idText, type Id } from "../api/resources.ts";
import { addExamples, printsFields, type Define } from "../command-line/command.ts";
import { usageFailure } from "../errors/errors.ts";
import { withIntent, type Service } from "../http/service.ts";
import type { Operation } from "../jobs/operations.ts";
import { accountProof } from "../jobs/proof.ts";
import { addJobOptions, type JobOptions } from "../jobs/job.ts";
import { parseJson } from "../json.ts";
import { noneExists } from "../nouns.ts";
import { addFilterOptions } from "../lists/filtered-list.ts";
import { hasFilters, type FilterOptions, type Listed } from "../lists/filters.ts";
import { column, statusColumn, type Presentation } from "../output/presentation.ts";
import type { Context } from "../run/context.ts";
import { actionInWords, changeItems, type ActionWords } from "../jobs/change-items.ts";
import { findItems } from "../lists/pick-items.ts";

/** The outcome of one item. Its name is null if it was not read, or has none. */
function deletionRow(id: string, status: string, name: string | null, reason: string | null) {
  return { id: parseJson(id) as Id, status, name, reason };
}

type DeletionRow = ReturnType<typeof deletionRow>;

const deletionPresentation: Presentation<DeletionRow> = {
  fields: "id status name reason".split(" "),
  columns: [statusColumn, column("ID", "id", { isWhole: true })],
};

const namedPresentation: Presentation<DeletionRow> = {
  ...deletionPresentation,
  columns: [...deletionPresentation.columns, column("NAME", "name")],
};

type DeletionOptions = JobOptions & FilterOptions;

interface Deletion<Item extends Listed> extends ActionWords<Item> {
  readonly operation: Operation;
  readonly remove: (service: Service, id: string) => Promise<void>;
}

/** Defines the verb `delete` of a noun. `consequence`: a sentence for the help. */
export function defineDelete<Item extends Listed>(
  deletion: Deletion<Item>,
  consequence: string,
  examples: readonly string[],
): Define {
  const { name } = deletion;
  const run = (context: Context, words: readonly string[], options: DeletionOptions): Promise<void> =>
    deleteItems(words, options, context, deletion);
  return (command, act) => {
    command
      .description(
        `Delete ${name}s. ${consequence} One that is proven not to exist counts as deleted. Prompts for confirmation; --yes skips that. On a terminal, if you omit the IDs, you can choose from a list of the ${name}s that match the filters: type to search, and press Tab to select.`,
      )
      .argument("[id...]", `IDs of the ${name}s, or - to read them from standard input`)
      .action(act(run));
    addJobOptions(command, `no ${name} IDs needed`);
    addFilterOptions(command, name);
    printsFields(command, deletionPresentation.fields);
    addExamples(command, examples);
  };
}

/** Deletes items, or with --dry-run only reads them. Throws the failure of a single item, or the job's. */
async function deleteItems<Item extends Listed>(
  words: readonly string[],
  options: DeletionOptions,
  context: Context,
  deletion: Deletion<Item>,
): Promise<void> {
  const { operation, name, namesOf, read, remove } = deletion;
  // Allowed with --resume, because its hint repeats the original command line, including the filters of the selection.
  if (words.length > 0 && options.resume === undefined && hasFilters(options))
    throw usageFailure(
      "filters cannot be combined with IDs",
      `Run \`grantctl ${name} list\` with the same filters, and pipe its lines into \`grantctl ${name} delete -\`.`,
    );
  const { given, picked } = await findItems(words, options, context, deletion, "delete");
  const known = new Map(picked.map((item) => [idText(item.id), item]));
  // Names appear only in a table on a terminal, if the items are read; scripts get the documented columns.
  const hasNames = picked.length > 0 || options.dryRun === true || context.options.yes !== true;
  const presentation = context.printer.isForPerson && hasNames ? namedPresentation : deletionPresentation;
  const command = { operation, what: `${name} to delete`, given, typed: words, presentation };
  await changeItems(context, options, command, async () => {
    const { service, username: requester } = await context.server.accountService();
    return {
      requester,
      connect: async () => ({
        proof: accountProof(service, deletion, context),
        change: {
          // Always a request: after a question, an earlier read proves nothing.
          async read(id: string) {
            const item = await read(service, id);
            known.set(id, item);
            return item;
          },
          act: (id, { intent }) => remove(withIntent(service, intent), id),
        },
        report: {
          doneWord: "deleted",
          isGoneDone: true,
          verified: noneExists(name),
          presentation,
          createRow(id, status, _, reason) {
            const item = known.get(id);
            const names = item === undefined ? [] : namesOf(item);
            return deletionRow(id, status, names.length === 0 ? null : names.join(" of "), reason);
          },
        },
      }),
      inWords: (ids) => actionInWords("delete", ids, known, deletion, context),
    };
  });
}
