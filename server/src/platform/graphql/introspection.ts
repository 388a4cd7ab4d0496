import {
  execute,
  Kind,
  print,
  type ExecutionResult,
  type FormattedExecutionResult,
  type FieldNode,
  type GraphQLField,
  type DocumentNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';

/** The cost of reading any part of the schema. The standard query of tools costs this. */
export const introspectionCost = 500;
/** Objects that the standard query of tools reads for each type of the schema, by `rowsOfLists`. */
const objectsOfType = 310;
/**
 * Rows that are assumed for a list, from the average of the schema. `types` has as many rows as the schema has types.
 */
const rowsOfLists: Readonly<Record<string, number>> = { fields: 12, directives: 12, inputFields: 2, enumValues: 2 };
/** Maximum number of characters of stored results. Tools send a few documents, each repeatedly, for less than a megabyte each. */
const maxStored = 16_000_000;
/** Maximum number of characters of one stored result: a document may ask for the schema many times. */
const maxResult = 2_000_000;

export const isIntrospection = ({ name: { value } }: FieldNode): boolean => value === '__schema' || value === '__type';

/** @param objects number of objects that the selection reads */
export function costOfIntrospection(schema: GraphQLSchema, objects: number): number {
  const ofStandard = Object.keys(schema.getTypeMap()).length * objectsOfType;
  return Math.max(introspectionCost, Math.ceil((introspectionCost * objects) / ofStandard));
}

/** Returns the rows of a list of the schema about itself; null for every other field. */
export function introspectionRows(
  schema: GraphQLSchema,
  parent: GraphQLNamedType,
  field: GraphQLField<unknown, unknown>,
): number | null {
  if (!parent.name.startsWith('__')) return null;
  return field.name === 'types' ? Object.keys(schema.getTypeMap()).length : (rowsOfLists[field.name] ?? 1);
}

/** The JSON of stored data. Writing that of the whole schema takes ten milliseconds. */
const written = new WeakMap<object, string>();

/** Returns the characters of a stored result; 0 if it is not stored. */
export const lengthOf = ({ data }: ExecutionResult): number => (data && written.get(data)?.length) ?? 0;

/** Returns the body of a response. */
export function responseText(result: FormattedExecutionResult): string {
  const data = result.data && written.get(result.data);
  return data
    ? `{"data":${data},"extensions":${JSON.stringify(result.extensions ?? {})}}\n`
    : `${JSON.stringify(result)}\n`;
}

/**
 * Responds to documents that ask only for the schema, which never changes while the server runs. If the same document
 * was processed before with the same values of its variables, the stored result is sent.
 */
export class Introspection {
  private readonly stored = new LRUCache<string, ExecutionResult>({ maxSize: maxStored });

  /** @returns null for every other operation, and for one that fails */
  async resultOf(
    schema: GraphQLSchema,
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: Readonly<Record<string, unknown>> = {},
  ): Promise<ExecutionResult | null> {
    if (!operation.selectionSet.selections.every(asksForSchema)) return null;
    const declared = operation.variableDefinitions?.map(({ variable }) => variable.name.value) ?? [];
    const values = JSON.stringify(declared.map((name) => [Object.hasOwn(variables, name), variables[name]]));
    const key = `${operation.name?.value ?? ''} ${values} ${print(document)}`;
    const known = this.stored.get(key);
    if (known) return known;
    const operationName = operation.name?.value ?? null;
    const result = await execute({ schema, document, operationName, variableValues: variables });
    if (!result.data || result.errors) return null;
    const text = JSON.stringify(result.data);
    if (text.length > maxResult) return result;
    written.set(result.data, text);
    this.stored.set(key, result, { size: text.length + key.length });
    return result;
  }
}

const asksForSchema = (node: OperationDefinitionNode['selectionSet']['selections'][number]): boolean =>
  node.kind === Kind.FIELD && isIntrospection(node);
