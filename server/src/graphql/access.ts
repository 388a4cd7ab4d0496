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
  /** Scope an access token needs. When absent it is derived from the field (`scopeOf`). */
  readonly scope?: AccessScope;
}

/** Cost of a field without the rows and fields below it. */
export interface FieldCost {
  readonly weight: number;
  /** Arguments whose values count rows: the selection below the field's list is multiplied by them. */
  readonly times?: readonly string[];
}

declare module 'graphql' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    readonly access?: FieldAccess;
    readonly cost?: FieldCost;
    /** A root field that is null only if it failed. */
    readonly semanticNonNull?: true;
  }
  interface GraphQLInputFieldExtensions {
    readonly access?: FieldAccess;
  }
}

/**
 * States the minimum role of a field, once: it is printed as `@access` in the SDL, appended to the description, and
 * expected by the role test. Services check it for root fields; on fields of other types the schema enforces it. A root
 * field without it is public.
 */
export const Access = (least: FieldAccess['least'], scope?: AccessScope): PropertyDecorator & MethodDecorator =>
  Extensions({ access: { least, ...(scope && { scope }) } satisfies FieldAccess });

/** States the cost of a field that is not 1 for an object or 0 for a scalar. Printed as `@cost` in the SDL. */
export const Cost = (weight: number, times?: readonly string[]): PropertyDecorator & MethodDecorator =>
  Extensions({ cost: { weight, ...(times && { times }) } satisfies FieldCost });

/**
 * The scope a named access token needs for a root field; null when the field is public. Without an explicit scope, a
 * mutation needs WRITE, an admin field ADMIN_READ, and any other field ACCOUNT_READ.
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
    description: 'The minimum role that may select the field. Without it, the field is public.',
    locations: [DirectiveLocation.FIELD_DEFINITION, DirectiveLocation.INPUT_FIELD_DEFINITION],
    args: { least: { type: new GraphQLNonNull(role) } },
  });
}

/** For clients that handle errors separately: they may treat the field as non-null. */
export const semanticNonNullDirective = new GraphQLDirective({
  name: 'semanticNonNull',
  description: 'The field is null only if it failed, with an entry in `errors`.',
  locations: [DirectiveLocation.FIELD_DEFINITION],
  args: { levels: { type: new GraphQLList(GraphQLInt), defaultValue: [0] } },
});

export const costDirective = new GraphQLDirective({
  name: 'cost',
  description:
    'Cost of selecting the field. Without it, an object costs 1 and a scalar 0. The cost of the selection below the field’s list is multiplied by the arguments named in `times`.',
  locations: [DirectiveLocation.FIELD_DEFINITION],
  args: {
    weight: { type: new GraphQLNonNull(GraphQLInt) },
    times: { type: new GraphQLList(new GraphQLNonNull(GraphQLString)) },
  },
});
