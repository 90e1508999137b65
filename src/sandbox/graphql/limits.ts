// Limits of a query: its depth, and the number of fields that its answer can have. Reads a validated document, so
// fragments exist and do not contain themselves.
import {
  GraphQLError,
  Kind,
  Lexer,
  Source,
  TokenKind,
  type DocumentNode,
  type FieldNode,
  type SelectionSetNode,
} from "graphql";
import { largestSize } from "./connections.ts";

/** The most tokens that the parser reads, because nothing limits a document before it is parsed. */
export const mostTokens = 5000;
const mostLevels = 20;
/** The deepest nesting of brackets, more than the other limits allow. The parser calls itself for each level. */
const mostBrackets = 200;
const mostFields = 100_000;

interface Size {
  readonly levels: number;
  readonly fields: number;
}

const nothing: Size = { levels: 0, fields: 0 };

/**
 * The error for a text whose brackets are nested too deep, or null. The text is not parsed yet: throws a GraphQLError
 * at the first character that begins no token.
 */
export function checkNesting(text: string): GraphQLError | null {
  const source = new Source(text);
  const lexer = new Lexer(source);
  let depth = 0;
  for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) {
    if (opening.has(token.kind)) depth += 1;
    else if (closing.has(token.kind)) depth -= 1;
    if (depth > mostBrackets) {
      return new GraphQLError(`The query has more than ${mostBrackets} brackets in one another.`, {
        source,
        positions: [token.start],
      });
    }
  }
  return null;
}

const opening: ReadonlySet<string> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const closing: ReadonlySet<string> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

/** The error for a document whose operations go too far, or null. */
export function checkSize(
  document: DocumentNode,
  variables: Readonly<Record<string, unknown>>,
): GraphQLError | null {
  const fragments = new Map<string, SelectionSetNode>();
  const measured = new Map<string, Size>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION)
      fragments.set(definition.name.value, definition.selectionSet);
  }

  function measure(set: SelectionSetNode | undefined): Size {
    let levels = 0;
    let fields = 0;
    for (const selection of set?.selections ?? []) {
      const size =
        selection.kind === Kind.FIELD
          ? measureField(selection)
          : selection.kind === Kind.INLINE_FRAGMENT
            ? measure(selection.selectionSet)
            : measureFragment(selection.name.value);
      levels = Math.max(levels, size.levels);
      fields += size.fields;
    }
    return { levels, fields };
  }

  function measureField(field: FieldNode): Size {
    // Introspection has limits of its own, in the reference implementation.
    if (field.name.value.startsWith("__")) return { levels: 1, fields: 1 };
    const below = measure(field.selectionSet);
    return { levels: below.levels + 1, fields: 1 + below.fields * mostRows(field, variables) };
  }

  function measureFragment(name: string): Size {
    const size = measured.get(name) ?? measure(fragments.get(name));
    measured.set(name, size);
    return size;
  }

  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const { levels, fields } =
      definition.selectionSet === undefined ? nothing : measure(definition.selectionSet);
    const excess =
      levels > mostLevels
        ? `is ${levels} levels deep, and may be ${mostLevels}`
        : fields > mostFields
          ? `asks for up to ${fields} fields, and may for ${mostFields}`
          : null;
    if (excess !== null) return new GraphQLError(`The query ${excess}.`, { nodes: [definition] });
  }
  return null;
}

/** How many times the fields below this one can occur: for a connection, once for each row of its page. */
function mostRows(field: FieldNode, variables: Readonly<Record<string, unknown>>): number {
  const isConnection = field.selectionSet?.selections.some(
    (selection) => selection.kind !== Kind.FIELD || ["nodes", "edges"].includes(selection.name.value),
  );
  if (isConnection !== true) return 1;
  const sizes = ["first", "last"].map((name) => {
    const value = field.arguments?.find((argument) => argument.name.value === name)?.value;
    if (value?.kind === Kind.INT) return Number(value.value);
    return value?.kind === Kind.VARIABLE ? variables[value.name.value] : undefined;
  });
  const size = sizes.find((given) => typeof given === "number");
  return size === undefined ? largestSize : rowsOf(size);
}

/**
 * The rows of a page for the limit. A number that is refused later counts as 1, because a negative one would lower it.
 */
function rowsOf(size: number): number {
  return Math.min(Math.max(size, 1), largestSize);
}
