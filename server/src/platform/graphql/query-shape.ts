import {
  getNamedType,
  getNullableType,
  getVariableValues,
  GraphQLError,
  isEnumType,
  isInterfaceType,
  isLeafType,
  isListType,
  isObjectType,
  Kind,
  OperationTypeNode,
  parse,
  specifiedRules,
  TypeInfo,
  validate,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Actor } from '../../shared/actor.js';
import { AppError, InvalidInputError } from '../../shared/errors.js';
import type { ColumnKind, QueryChecks, QueryColumn, QueryShape, StoredQuery } from '../../shared/stored-query.js';
import { mayRead } from './access.js';
import { costOfOperation, tooExpensive } from './cost.js';
import { assertFewRepeats, documentLimits, maxTokens } from './document-limits.js';

const rules = [...specifiedRules, ...documentLimits.validationRules];

/** Maximum number of characters of remembered documents: those of a few dashboards, whose panels are checked together. */
const maxRemembered = 100_000;

/** Checks queries that are stored and run later, against one schema. */
export class QueryChecker implements QueryChecks {
  /** Documents that fit the schema, by their text. Validation is most of a check. */
  private readonly documents = new LRUCache<string, DocumentNode>({
    maxSize: maxRemembered,
    sizeCalculation: (_, query) => query.length,
  });

  constructor(private readonly schema: GraphQLSchema) {}

  /** See `QueryChecks`. */
  check(
    { query, variables, numbers }: StoredQuery,
    supplied: Readonly<Record<string, unknown>>,
    at: string,
    author: Actor | null,
  ): QueryShape {
    const { schema } = this;
    const refuse = (message: string, field: string): InvalidInputError =>
      new InvalidInputError(message, `${at}.${field}`);
    const document = this.documents.get(query) ?? validated(schema, query, refuse);
    this.documents.set(query, document);
    const operation = readOnly(document, refuse);
    checkFields(schema, document, author, `${at}.query`);
    const declared = operation.variableDefinitions ?? [];
    const names = declared.map(({ variable }) => variable.name.value);
    const unknown = Object.keys(variables).find((name) => !names.includes(name));
    if (unknown !== undefined) throw refuse(`The query has no variable $${unknown.slice(0, 40)}`, 'variables');
    const given = { ...supplied, ...variables };
    const { errors } = getVariableValues(schema, declared, given, { maxErrors: 1 });
    if (errors?.[0]) throw refuse(errors[0].message, 'variables');
    const refusal = tooExpensive(costOfOperation(schema, document, operation, given));
    if (refusal) throw refuse(refusal.message, 'query');
    const shape = shapeOf(schema, document, operation);
    return numbers ? withNumbers(shape, numbers, refuse) : shape;
  }
}

type Refuse = (message: string, field: string) => InvalidInputError;

function validated(schema: GraphQLSchema, query: string, refuse: Refuse): DocumentNode {
  try {
    assertFewRepeats(query);
    const document = parse(query, { maxTokens });
    // Some limits throw their error instead of reporting it.
    const [error] = validate(schema, document, rules, { maxErrors: 1 });
    if (error) throw error;
    return document;
  } catch (error) {
    if (!(error instanceof GraphQLError || error instanceof InvalidInputError)) throw error;
    throw refuse(error.message.replace(/^Syntax Error: /, ''), 'query');
  }
}

function readOnly(document: DocumentNode, refuse: Refuse): OperationDefinitionNode {
  const operations = document.definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
  const [operation, more] = operations;
  if (!operation || more) throw refuse('A panel has exactly one query', 'query');
  if (operation.operation !== OperationTypeNode.QUERY) {
    throw refuse(`A panel reads: it cannot be a ${operation.operation}`, 'query');
  }
  return operation;
}

/** Every selected field is checked, also those that a directive leaves out for now. */
function checkFields(schema: GraphQLSchema, document: DocumentNode, author: Actor | null, at: string): void {
  const types = new TypeInfo(schema);
  const Field = (): void => {
    const field = types.getFieldDef();
    const parent = types.getParentType();
    const isRoot = parent === schema.getQueryType();
    if (field?.extensions.notInPanels) {
      const name = isRoot ? field.name : `${parent?.name}.${field.name}`;
      const reason = 'it changes something, asks another server or returns a secret';
      throw new InvalidInputError(`A panel cannot ask for ${name}: ${reason}`, at);
    }
    const access = isRoot ? field?.extensions.access : undefined;
    if (field && access && author && !mayRead(access, author)) {
      const message = `You may not read ${field.name}, so your panels cannot ask for it`;
      throw new AppError('INSUFFICIENT_PRIVILEGES', message, { field: at });
    }
  };
  visit(document, visitWithTypeInfo(types, { Field }));
}

interface Leaf extends QueryColumn {
  /** The path of the first list above the leaf; null when there is none. */
  readonly list: string | null;
}

/** The fields from the root to a field, each by its key in the response and its name in the schema. */
type Place = ReadonlyArray<{ readonly key: string; readonly name: string }>;

const pathOf = (place: Place): string => place.map(({ key }) => key).join('.');

/**
 * Finds the first list of objects of a query, and the scalars of its rows. Without a list, the response is one row.
 * Lists inside rows are left out: they have no place in a table.
 */
function shapeOf(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): QueryShape {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  const leaves = new Map<string, Leaf>();

  function walk(set: SelectionSetNode, parent: GraphQLNamedType, above: Place, list: number | null): void {
    for (const selection of set.selections) {
      if (selection.kind === Kind.FRAGMENT_SPREAD || selection.kind === Kind.INLINE_FRAGMENT) {
        const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
        const condition = fragment?.typeCondition?.name.value;
        if (fragment) walk(fragment.selectionSet, (condition && schema.getType(condition)) || parent, above, list);
        continue;
      }
      const field = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[selection.name.value] : null;
      if (!field) continue;
      const type = getNamedType(field.type);
      const name = selection.name.value;
      const here = [...above, { key: selection.alias?.value ?? name, name }];
      const isList = isListType(getNullableType(field.type));
      if (isLeafType(type)) {
        if (isList) continue;
        const own = here.slice(list ?? 0);
        leaves.set(pathOf(here), {
          path: pathOf(own),
          field: own.map((one) => one.name).join('.'),
          kind: /^id$|Id$/.test(name) ? 'TEXT' : kindOf(type),
          list: list === null ? null : pathOf(here.slice(0, list)),
        });
      } else if (selection.selectionSet && !(isList && list !== null)) {
        walk(selection.selectionSet, type, here, isList ? here.length : list);
      }
    }
  }

  const root = schema.getQueryType();
  if (root) walk(operation.selectionSet, root, [], null);
  const all = [...leaves.values()];
  const rows = all.find(({ list }) => list !== null)?.list ?? null;
  const columnsOf = (of: string | null): QueryColumn[] =>
    all.filter(({ list }) => list === of).map(({ path, field, kind }) => ({ path, field, kind }));
  return { rows, columns: columnsOf(rows), values: columnsOf(null) };
}

const isNumber = ({ kind }: QueryColumn): boolean => kind === 'NUMBER' || kind === 'QUOTA';

/** Leaves the numbers out that a panel does not show: several panels may have one query, which then runs once. */
function withNumbers({ rows, columns, values }: QueryShape, numbers: readonly string[], refuse: Refuse): QueryShape {
  const named = (name: string) => (column: QueryColumn) =>
    isNumber(column) && column.path.slice(column.path.lastIndexOf('.') + 1) === name;
  const missing = numbers.find((name) => ![...columns, ...values].some(named(name)));
  if (missing !== undefined) throw refuse(`The query selects no number ${missing.slice(0, 40)}`, 'numbers');
  const shown = (all: readonly QueryColumn[]): QueryColumn[] => [
    ...all.filter((column) => !isNumber(column)),
    ...numbers.flatMap((name) => all.filter(named(name))),
  ];
  return { rows, columns: shown(columns), values: shown(values) };
}

const kinds: Readonly<Record<string, ColumnKind>> = {
  DateTime: 'TIME',
  Quota: 'QUOTA',
  Int: 'NUMBER',
  Float: 'NUMBER',
  SafeInt: 'NUMBER',
  Decimal: 'NUMBER',
  Boolean: 'BOOLEAN',
};

const kindOf = (type: GraphQLNamedType): ColumnKind => (isEnumType(type) ? 'TEXT' : (kinds[type.name] ?? 'TEXT'));
