import { ArgsType, ID, InputType, ObjectType } from 'type-graphql';
import { fields, inputFields, int, ints, moment, nullable, of, text, texts } from '../../platform/graphql/fields.js';
import { enumType } from '../../platform/graphql/enums.js';
import { listArgs, pageObject, sortInput, type SortFields } from '../../platform/graphql/pagination.js';
import { TimeRangeObject, toFilter } from '../../platform/graphql/ranges.js';
import type { AuditSubject } from '../../shared/audit.js';
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
    PLAN: 'plan',
    ROLE: 'role',
    TOKEN: 'token',
    LOG: 'log',
    DASHBOARD: 'dashboard',
    ORGANISATION: 'organisation',
    WEBHOOK: 'webhook',
  } satisfies Record<string, AuditSubject>,
  'What was changed.',
  {
    OPTION: 'A setting of the site.',
    USER: 'An account, with its role, balance, access tokens and second factors.',
    CHANNEL: 'A channel, with its keys.',
    REDEMPTION: 'A redemption or gift code.',
    IMPORT: 'An import from another program.',
    BUDGET: 'A budget.',
    PLAN: 'A plan that the site sells.',
    ROLE: 'A custom role.',
    TOKEN: 'An API key.',
    LOG: 'Deleted log rows.',
    DASHBOARD: 'A saved dashboard.',
    ORGANISATION: 'An organisation, with its members, projects and invitations.',
    WEBHOOK: 'An endpoint of webhooks.',
  },
);

@ObjectType('AuditFieldChange', { description: 'A changed field. Values of secrets are hidden.' })
export class AuditFieldChangeObject
  extends fields({
    field: text('Name of the changed field; for an option, its key.'),
    before: text.orNull('As text. Null: there was no value before.'),
    after: text.orNull('As text. Null: there is no value after.'),
  })
  implements FieldChange {}

@ObjectType('AuditEntry', { description: 'A change by an admin.' })
export class AuditEntryObject extends fields({
  id: of<string>(() => ID, 'Ids grow with time.'),
  createdAt: moment('When the change was made.'),
  actorId: int('The user who made the change.'),
  actorName: text('Name at that time.'),
  ip: text.orNull('IP address of the client.'),
  action: text('`create`, `update`, `delete`, or a verb of the subject such as `promote`.'),
  subject: of<AuditSubject>(() => AuditSubjectEnum, 'The kind of object that was changed.'),
  subjectId: text('The id of the object; for an option its key.'),
  changes: of<FieldChange[]>(
    () => [AuditFieldChangeObject],
    'What differs, field by field. Empty where the action says everything.',
  ),
}) {}

export const toAuditEntry = ({ subject, ip, ...entry }: AuditRecord): AuditEntryObject => ({
  ...entry,
  subject: subject as AuditSubject,
  ip: ip || null,
});

export const AuditEntryPage = pageObject(AuditEntryObject, 'AuditEntryPage', 'A page of the audit log.');

@InputType('AuditFilter', { description: 'Conditions on entries. All must match. An empty list matches nothing.' })
export class AuditFilterInput extends inputFields({
  subjects: nullable<AuditSubject[]>(() => [AuditSubjectEnum], 'Only changes of these kinds of objects.'),
  subjectIds: texts.orNull('Ids of objects; for options their keys.'),
  actorIds: ints.orNull('Only changes by these users.'),
  actions: texts.orNull('Only these actions, such as `update` or `promote`.'),
  entry: text.orNull('Only changes of this entry of a price table or of the groups, such as the name of a model.'),
  created: nullable<TimeRangeObject>(() => TimeRangeObject, 'When the change was made.'),
}) {}

const sortFields: SortFields<AuditSortField> = { CREATED_AT: ['id', 'When the change was made.'] };
const AuditSort = sortInput('Audit', sortFields);

@ArgsType()
export class AuditListArgs extends listArgs(AuditFilterInput, AuditSort, 'Default: newest first.') {}

/**
 * Converts the filter of the GraphQL input.
 * @throws InvalidInputError for an invalid range
 */
export const toAuditFilter = (input: AuditFilterInput): AuditFilter => toFilter<AuditFilter>(input, ['created']);
