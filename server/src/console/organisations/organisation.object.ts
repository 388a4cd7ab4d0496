import { ArgsType, InputType, ObjectType } from 'type-graphql';
import { enumType } from '../../platform/graphql/enums.js';
import {
  fields,
  flag,
  inputFields,
  int,
  moment,
  nullable,
  of,
  quota,
  safeInt,
  text,
} from '../../platform/graphql/fields.js';
import { omitNullish } from '../../platform/graphql/nullable.js';
import { listArgs, pageObject, sortInput } from '../../platform/graphql/pagination.js';
import type { UserStatus } from '../../shared/actor.js';
import type { OrganisationRole } from '../../shared/organisation.js';
import { UserStatusEnum } from '../users/user.object.js';
import type { OrganisationFilter, OrganisationSortField } from './organisation.service.js';

export const OrganisationRoleEnum: { readonly [Role in OrganisationRole as Uppercase<Role>]: Role } = enumType(
  'OrganisationRole',
  { OWNER: 'owner', BILLING: 'billing', MEMBER: 'member' },
  'What a member may do in an organisation.',
  {
    OWNER: 'Everything, also members, keys of others, and the deletion.',
    BILLING: 'Wallet, top-ups, usage, projects and budgets; of keys and calls only the own ones.',
    MEMBER: 'Own keys, and their calls and usage.',
  },
);

@ObjectType('OrganisationBalance', { description: 'The wallet of an organisation.' })
export class OrganisationBalanceObject extends fields({
  quota: quota('Remaining quota, without reservations of calls in flight.'),
  usedQuota: quota('Quota that was charged.'),
  requestCount: safeInt('Calls that were charged.'),
}) {}

@ObjectType('Organisation', {
  description:
    'An account without sign-in, for which its members act: operations on the own account (keys, wallet, usage, calls) are those of the organisation when a request has its id in the header `Tollgate-Organization`.',
})
export class OrganisationObject extends fields({
  id: int('The id of its account, as `User.id` and `Token.userId`.'),
  name: text('No two accounts have one name.'),
  status: of<UserStatus>(() => UserStatusEnum, 'Whether its keys work.'),
  group: text('Determines prices and channels.'),
  createdAt: moment('When it was created.'),
  memberCount: int('Members now.'),
  role: nullable<OrganisationRole>(() => OrganisationRoleEnum, 'The caller’s role. Null: an admin who is no member.'),
  memberId: int.orNull('`Member.id` of the caller. Null: an admin who is no member.'),
  balance: nullable<OrganisationBalanceObject>(
    () => OrganisationBalanceObject,
    'Null: the caller may not see the wallet.',
  ),
}) {}

export const OrganisationPage = pageObject(OrganisationObject, 'OrganisationPage', 'A page of organisations.');

@ObjectType('Member', { description: 'A person in an organisation, now or in the past.' })
export class MemberObject extends fields({
  id: int('Names the membership in mutations, in budgets and in `Token.memberId`.'),
  organisationId: int('`Organisation.id`.'),
  userId: int('`User.id` of the person.'),
  username: text('The person’s user name. Empty when the account was removed.'),
  displayName: text('The person’s display name.'),
  role: of<OrganisationRole>(() => OrganisationRoleEnum, 'What the person may do.'),
  createdAt: moment('When the person became a member.'),
  leftAt: moment.orNull('Null: a member now.'),
  keyCount: int('Keys of the member that are not deleted.'),
  usedQuota: quota('Quota that all keys of the member were charged, deleted ones too.'),
}) {}

@ObjectType('Project', { description: 'A cost centre of an organisation.' })
export class ProjectObject extends fields({
  id: int('Names the project in mutations, in budgets and in `Token.projectId`.'),
  organisationId: int('`Organisation.id`.'),
  name: text('Unique in the organisation.'),
  createdAt: moment('When it was created.'),
  archivedAt: moment.orNull('Null: keys can be made for it.'),
  keyCount: int.orNull('Keys that are not deleted. Null: the caller may not see the usage of others.'),
  usedQuota: quota.orNull('Quota that its keys were charged. Null: the caller may not see the usage of others.'),
}) {}

export const MemberPage = pageObject(MemberObject, 'MemberPage', 'A page of the members of an organisation.');
export const ProjectPage = pageObject(ProjectObject, 'ProjectPage', 'A page of the projects of an organisation.');

@ObjectType('Invitation', { description: 'An invitation to an organisation that can still be accepted.' })
export class InvitationObject extends fields({
  id: int('Names the invitation in `revokeInvitation`.'),
  organisationId: int('`Organisation.id`.'),
  role: of<OrganisationRole>(() => OrganisationRoleEnum, 'The role that the invitation gives.'),
  email: text('Where the link was sent. Empty: it was only shown.'),
  createdAt: moment('When it was made.'),
  expiresAt: moment('The link works until then.'),
}) {}

@ObjectType('InvitationPreview', { description: 'What a link invites to.' })
export class InvitationPreviewObject extends fields({
  organisationId: int('`Organisation.id`.'),
  organisationName: text('`Organisation.name`.'),
  role: of<OrganisationRole>(() => OrganisationRoleEnum, 'The role that the invitation gives.'),
  expiresAt: moment('The link works until then.'),
  isMember: flag('The caller is a member already.'),
}) {}

@InputType('OrganisationFilter', { description: 'Organisations must meet all conditions.' })
export class OrganisationFilterInput extends inputFields({
  keyword: text.orNull('Part of the name.'),
  statuses: nullable<UserStatus[]>(() => [UserStatusEnum], 'Only organisations with one of these statuses.'),
}) {}

export const toOrganisationFilter = (input: OrganisationFilterInput | null | undefined): OrganisationFilter =>
  omitNullish<OrganisationFilter>(input ?? {});

const OrganisationSort = sortInput<OrganisationSortField>('Organisation', {
  ID: ['id', 'The id, which grows with time.'],
  NAME: ['name', 'The name.'],
  QUOTA: ['quota', 'Remaining quota.'],
  USED_QUOTA: ['usedQuota', 'Quota that was charged.'],
  CREATED_AT: ['createdAt', 'When it was created.'],
});

@ArgsType()
export class OrganisationListArgs extends listArgs(
  OrganisationFilterInput,
  OrganisationSort,
  'Default: newest first.',
) {}

@InputType({ description: 'A new organisation.' })
export class CreateOrganisationInput extends inputFields({
  name: text('1 to 64 characters, without an @. No two accounts have one name.'),
  idempotencyKey: text.orNull('A retry with the same key returns the organisation of the first call.'),
}) {}

@InputType({ description: 'A new name of an organisation.' })
export class RenameOrganisationInput extends inputFields({
  id: int('`Organisation.id`.'),
  name: text('1 to 64 characters, without an @.'),
}) {}

@InputType({ description: 'A person who becomes a member.' })
export class AddMemberInput extends inputFields({
  organisationId: int('`Organisation.id`.'),
  userId: int('`User.id` of the person.'),
  role: of<OrganisationRole>(() => OrganisationRoleEnum, 'What the person may do.'),
}) {}

@InputType({ description: 'A new role of a member.' })
export class SetMemberRoleInput extends inputFields({
  id: int('`Member.id`.'),
  role: of<OrganisationRole>(() => OrganisationRoleEnum, 'What the person may do.'),
}) {}

@InputType({ description: 'A new invitation.' })
export class InviteMemberInput extends inputFields({
  organisationId: int('`Organisation.id`.'),
  role: of<OrganisationRole>(() => OrganisationRoleEnum, 'The role that the invitation gives.'),
  email: text.orNull('Where the link is sent. Absent: it is only shown.'),
  days: int.orNull('Days until it expires, 1 to 30. Absent: 7.'),
}) {}

@InputType({ description: 'A new project.' })
export class CreateProjectInput extends inputFields({
  organisationId: int('`Organisation.id`.'),
  name: text('1 to 64 characters, unique in the organisation.'),
}) {}

@InputType({ description: 'Changes of a project.' })
export class UpdateProjectInput extends inputFields({
  id: int('`Project.id`.'),
  name: text.orNull('Absent: unchanged.'),
  isArchived: flag.orNull('True: no keys can be made for it; those that exist go on working. Absent: unchanged.'),
}) {}
