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
import { holds, ranks, type AccessScope, type Actor, type Role } from '../../shared/actor.js';
import { entryOf, type Permission } from '../../shared/permission.js';

/** The callers who may select a field. */
export interface FieldAccess {
  readonly least: Exclude<Role, 'guest'>;
  /** Permissions of which a custom role needs one. Absent when no custom role may select the field. */
  readonly anyOf?: readonly Permission[];
  /** The scope that an access token needs. When absent it is derived from the field (`scopeOf`). */
  readonly scope?: AccessScope;
  /** Another scope that suffices: for lists of which admins read the rows of everyone. */
  readonly orScope?: AccessScope;
}

/** Cost of a field without the rows and fields below it. */
export interface FieldCost {
  readonly weight: number;
  /** Arguments whose values count rows: the selection below the field's list is multiplied by them. */
  readonly times?: readonly string[];
  /**
   * The number of rows that is assumed when these arguments are absent and all rows are read, or of a list
   * without a size. The default page size when absent.
   */
  readonly rows?: number;
  /**
   * A cost of the field that is not multiplied by the rows above it, because all are read at once. It may depend on the
   * arguments, which are those of the resolver.
   */
  readonly once?: number | ((args: never) => number);
}

declare module 'graphql' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    readonly access?: FieldAccess;
    readonly cost?: FieldCost;
    /** Whether a root field is null only if it failed. */
    readonly semanticNonNull?: true;
    /** The marker that `TakesSettings` sets. */
    readonly takesSettings?: true;
    /** The marker that `NotInPanels` sets. */
    readonly notInPanels?: true;
    /** The marker that `Synchronous` sets. */
    readonly synchronous?: true;
  }
  interface GraphQLInputFieldExtensions {
    readonly access?: FieldAccess;
  }
}

/**
 * Declares the minimum role of a field, or the permissions of which one opens it. The declaration is printed as
 * `@access` in the SDL with the scope, appended to the description, and expected by the role test. Services check it for root fields;
 * on fields of other types the schema enforces it. A root field without it is public.
 */
export function Access(
  needed: 'common' | 'root' | Permission | readonly Permission[],
  scope?: AccessScope,
  orScope?: AccessScope,
): PropertyDecorator & MethodDecorator {
  const isRole = needed === 'common' || needed === 'root';
  const rule: FieldAccess = isRole ? { least: needed } : openedBy(typeof needed === 'string' ? [needed] : needed);
  return Extensions({
    access: { ...rule, ...(scope && { scope }), ...(orScope && { orScope }) } satisfies FieldAccess,
  });
}

/** Returns the lowest fixed role that holds one of the permissions. */
function openedBy(anyOf: readonly Permission[]): FieldAccess {
  return { least: anyOf.some((one) => entryOf(one).least === 'admin') ? 'admin' : 'root', anyOf };
}

/**
 * Declares the cost of a field, unless it is 1 for an object or 0 for a scalar. It is printed as `@cost` in the SDL.
 */
export const Cost = (
  weight: number,
  times?: readonly string[],
  more?: Pick<FieldCost, 'rows' | 'once'>,
): PropertyDecorator & MethodDecorator =>
  Extensions({ cost: { weight, ...(times && { times }), ...more } satisfies FieldCost });

/**
 * Marks a query whose lists and texts are proposed settings or the models of a site, not conditions on rows. Its
 * service bounds them.
 */
export const TakesSettings = (): PropertyDecorator & MethodDecorator => Extensions({ takesSettings: true });

/**
 * Marks a field that no saved panel may select, because it has an effect, sends a request to another server, or returns a
 * secret or notes of admins about payments. A panel runs by itself, with the rights of each viewer.
 */
export const NotInPanels = (): PropertyDecorator & MethodDecorator => Extensions({ notInPanels: true });

/**
 * Marks a method of an object type that is called with all arguments in one object and the context, and returns no promise.
 * TypeGraphQL calls a method asynchronously, which takes longer than the method for thousands of rows.
 */
export const Synchronous = (): MethodDecorator => Extensions({ synchronous: true });

/** Whether the role or a permission of the caller opens a field. Scopes of access tokens are not looked at. */
export const mayRead = ({ least, anyOf }: FieldAccess, actor: Actor): boolean =>
  anyOf ? holds(actor, ...anyOf) : ranks[actor.role] >= ranks[least];

/**
 * Returns the scope that a named access token needs for a root field; null if the field is public. Without an explicit
 * scope, a mutation needs WRITE, an admin field ADMIN_READ, and any other field ACCOUNT_READ.
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

/** Returns the directive as printed in the SDL. It reuses the enums of the schema, which may have one type per name. */
export function accessDirective(schema: GraphQLSchema): GraphQLDirective {
  const known = schema.getType('Role');
  const role = isEnumType(known)
    ? known
    : new GraphQLEnumType({ name: 'Role', values: { COMMON: {}, ADMIN: {}, ROOT: {} } });
  const named = schema.getType('Permission');
  const permission = isEnumType(named) ? named : new GraphQLEnumType({ name: 'Permission', values: {} });
  const listed = schema.getType('AccessScope');
  const scope = isEnumType(listed) ? listed : new GraphQLEnumType({ name: 'AccessScope', values: {} });
  return new GraphQLDirective({
    name: 'access',
    description:
      'The minimum role that may select the field. Without it, the field is public. A custom role with one of the permissions in `anyOf` may select it too. A named access token needs `scope` or `orScope`.',
    locations: [DirectiveLocation.FIELD_DEFINITION, DirectiveLocation.INPUT_FIELD_DEFINITION],
    args: {
      least: { type: new GraphQLNonNull(role), description: 'The lowest fixed role that may select the field.' },
      anyOf: {
        type: new GraphQLList(new GraphQLNonNull(permission)),
        description: 'Permissions of which a custom role needs one. Null: no custom role may select the field.',
      },
      scope: {
        type: scope,
        description: 'The scope that a named access token needs. Null: none beside that of the field above.',
      },
      orScope: { type: scope, description: 'Another scope that suffices. Null: none does.' },
    },
  });
}

/** The directive for clients that handle errors separately: they may treat the field as non-null. */
export const semanticNonNullDirective = new GraphQLDirective({
  name: 'semanticNonNull',
  description: 'The field is null only if it failed, with an entry in `errors`.',
  locations: [DirectiveLocation.FIELD_DEFINITION],
  args: {
    levels: {
      type: new GraphQLList(GraphQLInt),
      defaultValue: [0],
      description: 'Depth of the lists to which it applies: 0 is the field itself.',
    },
  },
});

export const costDirective = new GraphQLDirective({
  name: 'cost',
  description:
    'Cost of selecting the field. Without it, an object costs 1 and a scalar 0. The cost of the selection below the field’s list is multiplied by the arguments named in `times`.',
  locations: [DirectiveLocation.FIELD_DEFINITION],
  args: {
    weight: { type: new GraphQLNonNull(GraphQLInt), description: 'The cost of the field itself.' },
    times: {
      type: new GraphQLList(new GraphQLNonNull(GraphQLString)),
      description: 'Names of arguments whose values multiply the cost of a row. Null: the field is not such a list.',
    },
  },
});
