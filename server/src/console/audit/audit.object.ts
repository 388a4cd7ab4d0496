import { ArgsType, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { enumType } from '../../platform/graphql/enums.js';
import { omitNullish } from '../../platform/graphql/nullable.js';
import { listArgs, pageObject, sortInput, type SortFields } from '../../platform/graphql/pagination.js';
import { TimeRangeObject } from '../../platform/graphql/ranges.js';
import type { AuditSubject } from '../../shared/audit.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import { resolveTimeRange } from '../../shared/time-range.js';
import type { AuditRecord, FieldChange } from './audit.entity.js';
import type { AuditFilter, AuditSortField } from './audit.service.js';

const AuditSubjectEnum = enumType(
  'AuditSubject',
  {
    OPTION: 'option',
    USER: 'user',
    CHANNEL: 'channel',
    REDEMPTION: 'redemption',
    IMPORT: 'import',
    BUDGET: 'budget',
    ROLE: 'role',
    TOKEN: 'token',
    LOG: 'log',
    DASHBOARD: 'dashboard',
  } satisfies Record<string, AuditSubject>,
  'What was changed.',
  {
    OPTION: 'A setting of the site.',
    USER: 'An account, with its role, balance, access tokens and second factors.',
    CHANNEL: 'A channel, with its keys.',
    REDEMPTION: 'A redemption or gift code.',
    IMPORT: 'An import from another program.',
    BUDGET: 'A budget.',
    ROLE: 'A custom role.',
    TOKEN: 'An API key.',
    LOG: 'Deleted log rows.',
    DASHBOARD: 'A saved dashboard.',
  },
);

@ObjectType('AuditFieldChange', { description: 'A changed field. Values of secrets are hidden.' })
export class AuditFieldChangeObject implements FieldChange {
  @Field(() => String, { description: 'Name of the changed field; for an option, its key.' })
  field: string;

  @Field(() => String, { nullable: true, description: 'As text. Null: there was no value before.' })
  before: string | null;

  @Field(() => String, { nullable: true, description: 'As text. Null: there is no value after.' })
  after: string | null;
}

@ObjectType('AuditEntry', { description: 'A change by an admin.' })
export class AuditEntryObject {
  @Field(() => ID, { description: 'Ids grow with time.' })
  id: string;

  @Field(() => Date, { description: 'When the change was made.' })
  createdAt: Date;

  @Field(() => Int, { description: 'The user who made the change.' })
  actorId: number;

  @Field(() => String, { description: 'Name at that time.' })
  actorName: string;

  @Field(() => String, { nullable: true, description: 'IP address of the client.' })
  ip: string | null;

  @Field(() => String, { description: '`create`, `update`, `delete`, or a verb of the subject such as `promote`.' })
  action: string;

  @Field(() => AuditSubjectEnum, { description: 'The kind of object that was changed.' })
  subject: AuditSubject;

  @Field(() => String, { description: 'The id of the object; for an option its key.' })
  subjectId: string;

  @Field(() => [AuditFieldChangeObject], {
    description: 'What differs, field by field. Empty where the action says everything.',
  })
  changes: FieldChange[];
}

export const toAuditEntry = ({ subject, ip, ...entry }: AuditRecord): AuditEntryObject => ({
  ...entry,
  subject: subject as AuditSubject,
  ip: ip || null,
});

export const AuditEntryPage = pageObject(AuditEntryObject, 'AuditEntryPage', 'A page of the audit log.');

@InputType('AuditFilter', { description: 'Conditions on entries. All must match. An empty list matches nothing.' })
export class AuditFilterInput {
  @Field(() => [AuditSubjectEnum], { nullable: true, description: 'Only changes of these kinds of objects.' })
  subjects?: AuditSubject[] | null;

  @Field(() => [String], { nullable: true, description: 'Ids of objects; for options their keys.' })
  subjectIds?: string[] | null;

  @Field(() => [Int], { nullable: true, description: 'Only changes by these users.' })
  actorIds?: number[] | null;

  @Field(() => [String], { nullable: true, description: 'Only these actions, such as `update` or `promote`.' })
  actions?: string[] | null;

  @Field(() => String, {
    nullable: true,
    description: 'Only changes of this entry of a price table or of the groups, such as the name of a model.',
  })
  entry?: string | null;

  @Field(() => TimeRangeObject, { nullable: true, description: 'When the change was made.' })
  created?: TimeRangeObject | null;
}

const sortFields: SortFields<AuditSortField> = { CREATED_AT: ['id', 'When the change was made.'] };
const AuditSort = sortInput('Audit', sortFields);

@ArgsType()
export class AuditListArgs extends listArgs(AuditFilterInput, AuditSort, 'Default: newest first.') {}

/**
 * Converts the filter of the GraphQL input.
 * @throws InvalidInputError for an invalid range
 */
export function toAuditFilter({ created, ...rest }: AuditFilterInput): AuditFilter {
  return omitUndefined({
    ...omitNullish<Omit<AuditFilter, 'created'>>(rest),
    created: created ? resolveTimeRange(created, { field: 'filter.created' }) : undefined,
  });
}
