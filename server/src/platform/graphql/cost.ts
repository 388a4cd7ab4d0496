import {
  getArgumentValues,
  getDirectiveValues,
  getNamedType,
  getVariableValues,
  GraphQLError,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  isCompositeType,
  isLeafType,
  isListType,
  isInterfaceType,
  isObjectType,
  getNullableType,
  Kind,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { IncomingHttpHeaders } from 'node:http';
import { maxDelivered } from '../live/mailbox.js';
import { costOfSearch } from '../../shared/list-bounds.js';
import { clampPageSize } from '../../shared/page.js';
import type { FieldCost } from './access.js';
import { costOfIntrospection, introspectionRows, isIntrospection } from './introspection.js';

/** The fixed cost of an operation, so that many cheap operations are limited too. */
export const operationCost = 10;
/**
 * Bytes of a request per unit of cost, because they are scanned and parsed before the cost of the document is known.
 */
const bytesPerCost = 1000;
/** Maximum length of a request in bytes. */
export const bodyLimit = 1024 * 1024;
/** The number of rows that is assumed for a list without a page size. */
const maxRows = 5000;
/** The maximum cost of one operation. It allows a thousand rows with eight objects each. */
export const maxOperationCost = 10_000;

/**
 * Returns the cost of a request before it is read. A request without a stated length has the cost of the longest one.
 */
export function arrivalCost({ headers }: { readonly headers: IncomingHttpHeaders }): number {
  const announced = Number(headers['content-length'] ?? bodyLimit);
  return operationCost + Math.floor(Math.min(announced, bodyLimit) / bytesPerCost);
}

/** The shape of a field. Only the shape is read, so its resolver may have any type. */
type FieldShape = Pick<GraphQLField<unknown, unknown>, 'type' | 'args' | 'extensions'>;

/** Returns the cost of a field: as declared, or derived from its shape. A list that takes `pageSize` costs its rows. */
export function costOf(field: FieldShape): FieldCost {
  const { cost } = field.extensions;
  if (cost) return cost;
  const weight = isLeafType(getNamedType(field.type)) ? 0 : 1;
  return field.args.some(({ name }) => name === 'pageSize') ? { weight, times: ['pageSize'] } : { weight };
}

/** Returns the number of rows that is assumed if the argument of `times` is absent. */
export function defaultPageSizeOf(field: FieldShape): number {
  const { times, rows } = costOf(field);
  if (rows !== undefined) return rows;
  const [argument] = field.args.filter(({ name }) => times?.includes(name));
  return typeof argument?.defaultValue === 'number' ? argument.defaultValue : clampPageSize(null);
}

/**
 * Returns the cost of an operation: each field's weight; for lists, the number of requested rows times the cost of the
 * selection per row; and the values of searches. The document must be valid. Fragments count at each place where they
 * are spread. The cost of a subscription is that of its largest delivery.
 * @throws AppError INVALID_INPUT naming a list or text of a search that is too long
 */
export function costOfOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  given: Readonly<Record<string, unknown>>,
): number {
  const { coerced: variables } = getVariableValues(schema, operation.variableDefinitions ?? [], given, {
    maxErrors: 1,
  });
  // Invalid variables are refused before anything is read.
  if (!variables) return operationCost;
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  const known = new Map<string, { readonly cost: number; readonly once: number }>();
  /** Costs that no row multiplies. */
  let once = 0;

  /** @param rows number of rows of the lists among these fields */
  function costOfSet(set: SelectionSetNode, parent: GraphQLNamedType, rows: number): number {
    let sum = 0;
    for (const selection of set.selections) {
      if (isLeftOut(selection)) continue;
      if (selection.kind === Kind.FIELD) sum += costOfField(selection, parent, rows);
      else if (selection.kind === Kind.INLINE_FRAGMENT) {
        const name = selection.typeCondition?.name.value;
        sum += costOfSet(selection.selectionSet, (name && schema.getType(name)) || parent, rows);
      } else sum += costOfFragment(selection.name.value, rows);
    }
    return sum;
  }

  function costOfFragment(name: string, rows: number): number {
    const fragment = fragments.get(name);
    const type = fragment && schema.getType(fragment.typeCondition.name.value);
    if (!fragment || !type) return 0;
    // Cached: fragments that spread each other twice would otherwise take exponential time.
    const key = `${rows} ${name}`;
    const found = known.get(key);
    if (found) once += found.once;
    if (found) return found.cost;
    const before = once;
    const cost = costOfSet(fragment.selectionSet, type, rows);
    known.set(key, { cost, once: once - before });
    return cost;
  }

  function costOfField(node: FieldNode, parent: GraphQLNamedType, rows: number): number {
    if (!isObjectType(parent) && !isInterfaceType(parent)) return 0;
    const field = parent.getFields()[node.name.value];
    if (!field) {
      // `__typename` is free.
      const meta = isIntrospection(node) && schema.getType(node.name.value === '__type' ? '__Type' : '__Schema');
      return meta && node.selectionSet ? costOfIntrospection(schema, costOfSet(node.selectionSet, meta, 1)) : 0;
    }
    const { weight, times, rows: assumed, once: ownOnce = 0 } = costOf(field);
    once += typeof ownOnce === 'number' ? ownOnce : ownOnce(argumentsOf(field, node) as never);
    const searched = costOfArguments(field, node, parent);
    const isList = isListType(getNullableType(field.type));
    const delivered = parent === schema.getSubscriptionType() ? maxDelivered : introspectionRows(schema, parent, field);
    const asked = times ? rowsOf(field, node, times) : (assumed ?? delivered);
    const type = getNamedType(field.type);
    const below =
      node.selectionSet && isCompositeType(type) ? costOfSet(node.selectionSet, type, isList ? 1 : (asked ?? 1)) : 0;
    // A list inside a page has the page's length; a list with its own size argument has that length.
    return searched + (isList ? (weight + below) * (asked ?? rows) : weight + below);
  }

  /** Services bound the input of mutations; only the filter of the rows that they change is bounded here. */
  function costOfArguments(field: GraphQLField<unknown, unknown>, node: FieldNode, parent: GraphQLNamedType): number {
    if (!node.arguments?.length || field.extensions.takesSettings) return 0;
    const names = Object.entries(argumentsOf(field, node)).filter(
      ([name]) => parent !== schema.getMutationType() || name === 'filter',
    );
    return names.reduce((cost, [name, value]) => cost + costOfSearch(value, name), 0);
  }

  /** Returns the arguments; none if they are invalid, because such a field is refused when it is executed. */
  function argumentsOf(field: GraphQLField<unknown, unknown>, node: FieldNode): Record<string, unknown> {
    try {
      return getArgumentValues(field, node, variables);
    } catch {
      return {};
    }
  }

  function rowsOf(field: GraphQLField<unknown, unknown>, node: FieldNode, times: readonly string[]): number {
    const args = argumentsOf(field, node);
    return times.reduce((product, name) => {
      const value = args[name];
      // Lists read sizes below 1 as the default.
      const size = typeof value === 'number' && value >= 1 ? value : defaultPageSizeOf(field);
      return product * Math.min(Math.trunc(size), maxRows);
    }, 1);
  }

  function isLeftOut(node: SelectionSetNode['selections'][number]): boolean {
    if (!node.directives || node.directives.length === 0) return false;
    if (getDirectiveValues(GraphQLSkipDirective, node, variables)?.['if'] === true) return true;
    return getDirectiveValues(GraphQLIncludeDirective, node, variables)?.['if'] === false;
  }

  const root = schema.getRootType(operation.operation);
  const cost = root ? costOfSet(operation.selectionSet, root, 1) : 0;
  return operationCost + cost + once;
}

/** Returns the refusal of an operation whose cost is above `maxOperationCost`; null for others. */
export const tooExpensive = (requested: number): GraphQLError | null =>
  requested <= maxOperationCost
    ? null
    : new GraphQLError(
        `This operation costs ${requested}, more than ${maxOperationCost}: select fewer rows, or fewer objects per row`,
        { extensions: { code: 'QUERY_TOO_EXPENSIVE', http: { status: 400 } } },
      );
