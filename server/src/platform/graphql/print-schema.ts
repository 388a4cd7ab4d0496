import {
  astFromValue,
  GraphQLList,
  GraphQLInt,
  GraphQLString,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  Kind,
  lexicographicSortSchema,
  parse,
  print,
  printSchema,
  visit,
  type ConstDirectiveNode,
  type GraphQLSchema,
} from 'graphql';
import type { FieldAccess } from './access.js';
import { costOf } from './cost.js';
import { permissionName } from './enums.js';

/** Returns the SDL, sorted, with `@access` and `@cost` on the fields: `printSchema` leaves applied directives out. */
export function printAnnotatedSchema(schema: GraphQLSchema): string {
  const document = parse(printSchema(lexicographicSortSchema(schema)), { noLocation: true });
  let parent = '';
  const annotated = visit(document, {
    enter(node) {
      if (
        node.kind === Kind.OBJECT_TYPE_DEFINITION ||
        node.kind === Kind.INTERFACE_TYPE_DEFINITION ||
        node.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION
      ) {
        parent = node.name.value;
      } else if (node.kind === Kind.FIELD_DEFINITION || node.kind === Kind.INPUT_VALUE_DEFINITION) {
        const applied = directivesOf(schema, parent, node.name.value, node.kind === Kind.FIELD_DEFINITION);
        if (applied.length > 0) return { ...node, directives: [...(node.directives ?? []), ...applied] };
      }
      return undefined;
    },
  });
  return `${spaced(print(annotated))}\n`;
}

/** Adds a blank line before every description inside a type, like `printSchema`. */
function spaced(sdl: string): string {
  let inDescription = false;
  let before = '{';
  return sdl
    .split('\n')
    .flatMap((line) => {
      const text = line.trim();
      const begins = !inDescription && text.startsWith('"""');
      const needsSpace = begins && line !== text && !/[{(]$/.test(before);
      if (begins) inDescription = !/."""$/.test(text.slice(2));
      else if (inDescription) inDescription = !text.endsWith('"""');
      before = line;
      return needsSpace ? ['', line] : [line];
    })
    .join('\n');
}

function directivesOf(
  schema: GraphQLSchema,
  typeName: string,
  fieldName: string,
  isOutput: boolean,
): ConstDirectiveNode[] {
  const type = schema.getType(typeName);
  const applied: ConstDirectiveNode[] = [];
  if (isOutput && (isObjectType(type) || isInterfaceType(type))) {
    const field = type.getFields()[fieldName];
    if (field?.extensions.access) applied.push(accessOf(field.extensions.access));
    if (field?.extensions.semanticNonNull) applied.push(directive('semanticNonNull', {}));
    const cost = field && costOf(field);
    if (cost && (cost.times || field.extensions.cost)) {
      applied.push(
        directive('cost', {
          weight: astFromValue(cost.weight, GraphQLInt),
          ...(cost.times && { times: astFromValue(cost.times, new GraphQLList(GraphQLString)) }),
        }),
      );
    }
  } else if (!isOutput && isInputObjectType(type)) {
    const access = type.getFields()[fieldName]?.extensions.access;
    if (access) applied.push(accessOf(access));
  }
  return applied;
}

const accessOf = ({ least, anyOf, scope, orScope }: FieldAccess): ConstDirectiveNode =>
  directive('access', {
    least: roleOf(least),
    ...(anyOf && {
      anyOf: { kind: Kind.LIST, values: anyOf.map((one) => ({ kind: Kind.ENUM, value: permissionName(one) })) },
    }),
    ...(scope && { scope: { kind: Kind.ENUM, value: scope } }),
    ...(orScope && { orScope: { kind: Kind.ENUM, value: orScope } }),
  });

const roleOf = (least: string): object => ({ kind: Kind.ENUM, value: least.toUpperCase() });

const directive = (name: string, args: Record<string, unknown>): ConstDirectiveNode =>
  ({
    kind: Kind.DIRECTIVE,
    name: { kind: Kind.NAME, value: name },
    arguments: Object.entries(args).map(([argument, value]) => ({
      kind: Kind.ARGUMENT,
      name: { kind: Kind.NAME, value: argument },
      value,
    })),
  }) as ConstDirectiveNode;
