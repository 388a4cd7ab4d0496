import {
  DirectiveLocation,
  GraphQLDirective,
  GraphQLEnumType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLString,
  isEnumType,
  type GraphQLSchema,
} from 'graphql';
import { Extensions } from 'type-graphql';
import type { AccessScope, RoleName } from '../shared/actor.js';

/** Who may select a field. */
export interface FieldAccess {
  readonly least: Exclude<RoleName, 'guest'>;
  /** What an access token needs. When absent it follows from the field (`scopeOf`). */
  readonly scope?: AccessScope;
}

/** What a field costs beside the rows and fields below it. */
export interface FieldCost {
  readonly weight: number;
  /** Arguments whose values count rows: what is selected below the field's list costs that many times. */
  readonly times?: readonly string[];
}

declare module 'graphql' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    readonly access?: FieldAccess;
    readonly cost?: FieldCost;
    /** A root field that is null only where it failed. */
    readonly semanticNonNull?: true;
  }
  interface GraphQLInputFieldExtensions {
    readonly access?: FieldAccess;
  }
}

/**
 * States the least role of a field, once: it is printed as `@access` in the SDL, closes the description, and is what the
 * role test expects. Services check it for root fields; on fields of other types the schema enforces it.
 * A root field without it is public.
 */
export const Access = (least: FieldAccess['least'], scope?: AccessScope): PropertyDecorator & MethodDecorator =>
  Extensions({ access: { least, ...(scope && { scope }) } satisfies FieldAccess });

/** States what a field costs where that is not 1 for an object and 0 for a scalar. Printed as `@cost` in the SDL. */
export const Cost = (weight: number, times?: readonly string[]): PropertyDecorator & MethodDecorator =>
  Extensions({ cost: { weight, ...(times && { times }) } satisfies FieldCost });

/**
 * What a named access token needs for a root field. Null: nothing, the field is public.
 * Without a scope of its own, a mutation needs WRITE, what admins read ADMIN_READ, and the rest ACCOUNT_READ.
 */
export function scopeOf(
  kind: 'query' | 'mutation' | 'subscription',
  access: FieldAccess | undefined,
): AccessScope | null {
  if (!access) return null;
  if (access.scope) return access.scope;
  if (kind === 'mutation') return 'WRITE';
  return access.least === 'common' ? 'ACCOUNT_READ' : 'ADMIN_READ';
}

export function accessDirective(schema: GraphQLSchema): GraphQLDirective {
  const known = schema.getType('Role');
  const role = isEnumType(known)
    ? known
    : new GraphQLEnumType({ name: 'Role', values: { COMMON: {}, ADMIN: {}, ROOT: {} } });
  return new GraphQLDirective({
    name: 'access',
    description: 'The least role that may select the field. Without it, everyone may.',
    locations: [DirectiveLocation.FIELD_DEFINITION, DirectiveLocation.INPUT_FIELD_DEFINITION],
    args: { least: { type: new GraphQLNonNull(role) } },
  });
}

/** The convention of clients that turn errors into failures of their own: they may read the field as non-null. */
export const semanticNonNullDirective = new GraphQLDirective({
  name: 'semanticNonNull',
  description: 'The field is null only where it failed, with an entry in `errors`.',
  locations: [DirectiveLocation.FIELD_DEFINITION],
  args: { levels: { type: new GraphQLList(GraphQLInt), defaultValue: [0] } },
});

export const costDirective = new GraphQLDirective({
  name: 'cost',
  description:
    'What selecting the field costs. Without it, an object costs 1 and a scalar nothing. What is selected below the list of the field costs as often as the arguments in `times` say.',
  locations: [DirectiveLocation.FIELD_DEFINITION],
  args: {
    weight: { type: new GraphQLNonNull(GraphQLInt) },
    times: { type: new GraphQLList(new GraphQLNonNull(GraphQLString)) },
  },
});
