import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLScalarType,
  type GraphQLSchema,
} from 'graphql';

/* The texts of the schema, which authors of dashboards read instead of the code. */

const schema = buildSchema(readFileSync(join(import.meta.dirname, '../../schema/schema.graphql'), 'utf8'), {
  assumeValid: true,
});
const types = Object.values(schema.getTypeMap()).filter(
  (type): type is GraphQLObjectType =>
    (isObjectType(type) || isInterfaceType(type)) && !type.name.startsWith('__') && !type.name.endsWith('Payload'),
);
const fields = types.flatMap((type) =>
  Object.values(type.getFields()).map((field) => ({ path: `${type.name}.${field.name}`, field })),
);
const pathsOf = (isWrong: (field: GraphQLField<unknown, unknown>) => boolean): string[] =>
  fields.filter(({ field }) => isWrong(field)).map(({ path }) => path);

it('every type, field, argument and value has a description', () => {
  const members = Object.values(schema.getTypeMap())
    .filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type))
    .flatMap((type) => [{ path: type.name, description: type.description }, ...membersOf(type)]);
  expect(members.length).toBeGreaterThan(2500);
  expect(members.filter(({ description }) => isEmpty(description)).map(({ path }) => path)).toEqual([]);
});

it('every custom scalar names its specification', () => {
  const custom = Object.values(schema.getTypeMap()).filter(
    (type): type is GraphQLScalarType => isScalarType(type) && !isSpecifiedScalarType(type),
  );
  expect(custom.map(({ name }) => name).sort()).toEqual([
    'DateTime',
    'Decimal',
    'JSON',
    'Quota',
    'SafeInt',
    'TimeZone',
  ]);
  expect(custom.filter(({ specifiedByURL }) => !specifiedByURL?.startsWith('http'))).toEqual([]);
});

it('every root field that needs a role names the scope of access tokens', () => {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const restricted = roots
    .flatMap((type) => Object.values(type?.getFields() ?? {}))
    .flatMap(({ name, astNode }) => {
      const access = astNode?.directives?.find((directive) => directive.name.value === 'access');
      return access ? [{ name, given: access.arguments?.map((argument) => argument.name.value) }] : [];
    });
  expect(restricted.length).toBeGreaterThan(100);
  expect(restricted.filter(({ given }) => !given?.includes('scope')).map(({ name }) => name)).toEqual([]);
});

interface Member {
  readonly path: string;
  readonly description?: string | null | undefined;
}

function membersOf(type: GraphQLNamedType): Member[] {
  if (isEnumType(type)) return type.getValues().map((value) => memberOf(type.name, value));
  if (isInputObjectType(type)) return Object.values(type.getFields()).map((field) => memberOf(type.name, field));
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  return Object.values(type.getFields()).flatMap((field) => [
    memberOf(type.name, field),
    ...field.args.map((argument) => memberOf(`${type.name}.${field.name}`, argument)),
  ]);
}

const memberOf = (parent: string, { name, description }: Pick<GraphQLArgument, 'name' | 'description'>): Member => ({
  path: `${parent}.${name}`,
  description,
});

/** Whether nothing is left without the sentences that the server appends: who may select the field, and its cost. */
const isEmpty = (description: Member['description']): boolean =>
  (description ?? '')
    .replace(/^For (signed-in users|admins|root)\.( Opened by [\w. ]*\.)?( Scope \w+( or \w+)?\.)?/, '')
    .replace(/^ ?Costs [^.]*\./, '')
    .trim() === '';

it('every list says what it costs, and what becomes of a page size out of bounds', () => {
  const sizeOf = ({ args }: GraphQLField<unknown, unknown>) => args.find(({ name }) => name === 'pageSize');
  const lists = fields.filter(({ field }) => sizeOf(field));
  expect(lists.length).toBeGreaterThan(20);
  expect(
    pathsOf((field) => sizeOf(field) !== undefined && !/Costs \d+, and pageSize/.test(field.description ?? '')),
  ).toEqual([]);
  const bounds =
    /^1 to 100, (10|all) when absent\. More than 100 is 100, less than 1 is absent\.$|^1 to 5000\. Others are refused\.$/;
  expect(pathsOf((field) => sizeOf(field) !== undefined && !bounds.test(sizeOf(field)?.description ?? ''))).toEqual([]);
});

it('ids have a type by the rule of docs/schema-changes.md', () => {
  const members = Object.values(schema.getTypeMap())
    .flatMap((type) => (!isIntrospectionType(type) && (isObjectType(type) || isInputObjectType(type)) ? [type] : []))
    .flatMap((type) =>
      Object.values<GraphQLField<unknown, unknown> | GraphQLInputField>(type.getFields()).flatMap((field) => [
        { path: `${type.name}.${field.name}`, name: field.name, type: field.type },
        ...('args' in field ? field.args : []).map((argument) => ({
          path: `${type.name}.${field.name}.${argument.name}`,
          name: argument.name,
          type: argument.type,
        })),
      ]),
    )
    .filter(({ name }) => /^ids?$|Ids?$/.test(name));
  const pathsWith = (type: string): string[] =>
    members.filter((member) => getNamedType(member.type).name === type).map(({ path }) => path);
  expect(pathsWith('Int').length).toBeGreaterThan(100);
  const texts = [
    'AuditEntry.id',
    'FailedAttempt.id',
    'Mutation.resendWebhook.id',
    'Mutation.restoreAuditEntry.id',
    'Mutation.revokeSession.id',
    'OwnLog.id',
    'RevokeSessionPayload.id',
    'Session.id',
    'SiteEvent.id',
    'WebhookDelivery.eventId',
    'WebhookDelivery.id',
  ];
  expect(pathsWith('ID')).toEqual(texts);
  expect(pathsWith('SafeInt')).toEqual(['Log.id']);
  // Chosen by clients or other systems.
  const chosen = /\.(requestId|taskIds?|externalIds?|\w+ClientId)$|^Audit\w+\.subjectIds?$|^ImportRow\.id$/;
  expect(pathsWith('String').filter((path) => !chosen.test(path))).toEqual([]);
  const known = ['Int', 'ID', 'SafeInt', 'String'];
  expect(members.filter(({ type }) => !known.includes(getNamedType(type).name)).map(({ path }) => path)).toEqual([]);
});

it('a mutation takes one argument, which is `input` where it has several values', () => {
  const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});
  expect(mutations.length).toBeGreaterThan(100);
  expect(mutations.filter(({ args }) => args.length > 1).map(({ name }) => name)).toEqual([]);
  const isInput = (argument: GraphQLArgument): boolean => isInputObjectType(getNamedType(argument.type));
  expect(
    mutations.filter(({ args }) => args.some((one) => isInput(one) !== (one.name === 'input'))).map(({ name }) => name),
  ).toEqual([]);
});

it('every id of a row has the row itself beside it', () => {
  const targets: Readonly<Record<string, string>> = {
    user: 'User',
    account: 'User',
    token: 'Token',
    channel: 'Channel',
    plan: 'Plan',
    organisation: 'Organisation',
    member: 'Member',
    project: 'Project',
    endpoint: 'WebhookEndpoint',
  };
  const people = /^(actor|owner|createdBy|changedBy)Id$/;
  const objects = types.filter(
    (type) =>
      isObjectType(type) && !['Query', 'Mutation', 'Subscription'].includes(type.name) && type.name !== 'LiveCallEvent',
  );
  const pairs = objects.flatMap((type) => {
    const own = Object.values(type.getFields());
    return own.flatMap(({ name }) => {
      const noun = /^(\w+)Id$/.exec(name)?.[1] ?? '';
      const target = people.test(name) ? 'User' : targets[noun];
      if (target === undefined) return [];
      // Members and projects of groups of usage, and what an invitation leads to, are read by their name.
      const isNamed = /^(organisation|member|project)$/.test(noun) && own.some((one) => one.name === `${noun}Name`);
      const isThere = isNamed || own.some(({ type: of }) => getNamedType(of).name === target);
      return [{ path: `${type.name}.${name}`, isThere }];
    });
  });
  expect(pairs.length).toBeGreaterThan(25);
  // The membership of the caller, in an organisation that the caller reads.
  expect(pairs.filter(({ isThere }) => !isThere).map(({ path }) => path)).toEqual(['Organisation.memberId']);
});

describe('deprecated members', () => {
  /** Members against the policy of docs/schema-changes.md: without a successor in the reason, or an entry with its release. */
  const unfit = (of: GraphQLSchema, page: string): string[] =>
    Object.values(of.getTypeMap())
      .flatMap((type) => [
        ...(isObjectType(type) || isInputObjectType(type) || isInterfaceType(type)
          ? Object.values<GraphQLField<unknown, unknown> | GraphQLInputField>(type.getFields())
          : []
        ).map((member) => ({ path: `${type.name}.${member.name}`, reason: member.deprecationReason })),
        ...(isEnumType(type) ? type.getValues() : []).map((value) => ({
          path: `${type.name}.${value.name}`,
          reason: value.deprecationReason,
        })),
      ])
      .filter(({ reason }) => reason != null)
      .filter(
        ({ path, reason }) =>
          !/^Use `\w[\w.]*`/.test(reason ?? '') || !page.includes(`\`${path}\` is deprecated since`),
      )
      .map(({ path }) => path);

  it('name their successor, and are listed with the release', () => {
    expect(unfit(schema, readFileSync(join(import.meta.dirname, '../../docs/schema-changes.md'), 'utf8'))).toEqual([]);
  });

  it('are found where they do not', () => {
    const sample = buildSchema(`type Query {
      one: Int @deprecated(reason: "Use \`two\`.")  two: Int
      three: Int @deprecated(reason: "It is slow.")  four: Kind }
      enum Kind { OLD @deprecated(reason: "Use \`NEW\`.") NEW }`);
    expect(unfit(sample, '`Query.one` is deprecated since 0.2.0')).toEqual(['Query.three', 'Kind.OLD']);
  });
});
