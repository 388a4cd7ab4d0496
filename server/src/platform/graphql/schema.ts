import {
  defaultFieldResolver,
  getNullableType,
  GraphQLSchema,
  isInputObjectType,
  isInterfaceType,
  isNonNullType,
  isObjectType,
  type GraphQLField,
  type GraphQLFieldResolver,
} from 'graphql';
import { buildSchema, type ClassType, type PubSub } from 'type-graphql';
import {
  hasScope,
  holds,
  requireAccount,
  requireRole,
  requireScope,
  type AccessScope,
  type MaybeActor,
} from '../../shared/actor.js';
import { accessDirective, costDirective, scopeOf, semanticNonNullDirective, type FieldAccess } from './access.js';
import { resolveInTurn, type GraphQLContext } from './context.js';
import { costOf, defaultPageSizeOf } from './cost.js';
import { GraphQLDateTime } from './scalars.js';

/** A class with TypeGraphQL's `@Resolver`. */
export type ResolverClass = ClassType;

/** The constructed resolvers of a schema, by class. They may be added after it is built. */
export class ResolverInstances {
  private readonly byClass = new Map<unknown, object>();

  add(instances: readonly object[]): void {
    for (const instance of instances) this.byClass.set(instance.constructor, instance);
  }

  get(wanted: ResolverClass): object {
    const instance = this.byClass.get(wanted);
    if (!instance) throw new Error(`no instance of ${wanted.name}`);
    return instance;
  }
}

/**
 * @param classes every resolver class
 * @param instances their instances; until they are added the schema can be printed but not executed
 */
export async function createSchema(
  classes: readonly ResolverClass[],
  instances: ResolverInstances,
): Promise<GraphQLSchema> {
  const [first, ...rest] = classes;
  if (!first) throw new Error('a schema requires resolvers');
  const schema = await buildSchema({
    resolvers: [first, ...rest],
    container: instances,
    scalarsMap: [{ type: Date, scalar: GraphQLDateTime }],
    // Apollo Server validates the schema. A second check by introspection took a fifth of a second of each start.
    skipCheck: true,
    // The services validate input, once for both APIs.
    validate: false,
    pubSub: noTopics,
  });
  applyRules(schema);
  const config = schema.toConfig();
  return new GraphQLSchema({
    ...config,
    directives: [...config.directives, accessDirective(schema), costDirective, semanticNonNullDirective],
  });
}

/**
 * Rules that apply to every field. Root fields are nullable, so that a failed one does not empty the response. Access
 * tokens need the scope of each root field. `@Access` is enforced on the fields of other types; for root fields the
 * service checks it. Access and cost are appended to the description, because introspection shows no applied
 * directives.
 */
function applyRules(schema: GraphQLSchema): void {
  const kinds = new Map([
    [schema.getQueryType(), 'query' as const],
    [schema.getMutationType(), 'mutation' as const],
    [schema.getSubscriptionType(), 'subscription' as const],
  ]);
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__')) continue;
    if (isInputObjectType(type)) {
      for (const field of Object.values(type.getFields())) {
        field.description = closed(field.description, accessSentence(field.extensions.access));
      }
    } else if (isObjectType(type) || isInterfaceType(type)) {
      const kind = isObjectType(type) ? kinds.get(type) : undefined;
      if (kind) type.description = rootTexts[kind];
      for (const field of Object.values(type.getFields()) as Field[]) {
        const { access, synchronous } = field.extensions;
        if (synchronous) field.resolve = defaultFieldResolver;
        if (kind) {
          const scope = scopeOf(kind, access);
          if (isNonNullType(field.type)) field.extensions = { ...field.extensions, semanticNonNull: true };
          field.type = getNullableType(field.type);
          if (access && scope) field.extensions = { ...field.extensions, access: { ...access, scope } };
          guard(field, kind, null, scope, access?.orScope);
          if (kind === 'query') takeTurns(field);
        } else if (access) guard(field, 'query', access, access.scope ?? null);
        field.description = closed(field.description, accessSentence(field.extensions.access), costSentence(field));
      }
    }
  }
}

const rootTexts = {
  query: 'Reads. Each field is null when it fails, with an entry in `errors`; the others keep their data.',
  mutation: 'Changes. The fields of one document run one after another, and a failed one does not undo the others.',
  subscription: 'Changes as they happen, as server-sent events of `POST /graphql/stream`. One field for each request.',
} as const;

type Field = GraphQLField<unknown, GraphQLContext>;

/** Wraps the function that runs first: the source of a subscription, else the resolver. */
function guard(
  field: Field,
  kind: 'query' | 'mutation' | 'subscription',
  access: FieldAccess | null,
  scope: AccessScope | null,
  orScope?: AccessScope,
): void {
  if (access === null && scope === null) return;
  const step = kind === 'subscription' ? 'subscribe' : 'resolve';
  const guarded: GraphQLFieldResolver<unknown, GraphQLContext> = field[step] ?? defaultFieldResolver;
  field[step] = (source, args, context, info) => {
    if (access !== null && !isOpen(access, context.actor)) return null;
    const hasOther = orScope !== undefined && context.actor !== null && hasScope(context.actor, orScope);
    if (scope !== null && !hasOther) requireScope(context.actor, scope);
    return guarded(source, args, context, info);
  };
}

/** Lets the root fields of a query run one after another where the caller has a share of the time. */
function takeTurns(field: Field): void {
  const resolve = field.resolve ?? defaultFieldResolver;
  field.resolve = (source, args, context, info) => resolveInTurn(context, () => resolve(source, args, context, info));
}

/**
 * Whether the caller may select a field of a row. A custom role opens rows without everything that they refer to: such
 * a field is null without an error, so that one document serves every role.
 * @throws AppError NOT_SIGNED_IN, INSUFFICIENT_PRIVILEGES for the fixed roles
 */
function isOpen({ least, anyOf = [] }: FieldAccess, actor: MaybeActor): boolean {
  if (actor && holds(actor, ...anyOf)) return true;
  if (actor?.permissions && least !== 'common') return false;
  // The service that reads the field decides what a caller may see who acts for an organisation.
  if (actor?.membership && least === 'common') requireAccount(actor, 'organisation.read');
  else requireRole(actor, least);
  return true;
}

const accessSentences: Record<FieldAccess['least'], string> = {
  common: 'For signed-in users.',
  admin: 'For admins.',
  root: 'For root.',
};
function accessSentence(access: FieldAccess | undefined): string {
  if (!access) return '';
  const { least, anyOf, scope, orScope } = access;
  const scopes = [scope, orScope].filter((one) => one !== undefined).join(' or ');
  return `${accessSentences[least]}${anyOf ? ` Opened by ${anyOf.join(' or ')}.` : ''}${scopes ? ` Scope ${scopes}.` : ''}`;
}

function costSentence(field: Field): string {
  const cost = costOf(field);
  // A cost of 1 for an object is the rule, and is not stated for each.
  if (!field.extensions.cost && !cost.times) return '';
  if (cost.weight === 0) return '';
  const own = `Costs ${cost.weight}`;
  if (!cost.times && cost.rows) return `${own} and what is selected of a row, each ${cost.rows} times.`;
  return cost.times
    ? `${own}, and ${cost.times.join(' times ')} (${defaultPageSizeOf(field)} when absent) times what is selected of a row.`
    : `${own}.`;
}

const closed = (description: string | null | undefined, ...sentences: string[]): string | undefined =>
  sentences
    .filter((sentence) => sentence !== '' && !description?.endsWith(sentence))
    .reduce((text, sentence) => `${text} ${sentence}`, description ?? '')
    .trim() || undefined;

/** The publisher that TypeGraphQL requires. Every subscription here opens its own source (`live-sources.ts`). */
const noTopics: PubSub = {
  publish: refuseTopic,
  subscribe: refuseTopic,
};

function refuseTopic(topic: string): never {
  throw new Error(`no topic ${topic}`);
}
