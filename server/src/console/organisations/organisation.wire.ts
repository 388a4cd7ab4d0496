import { z } from 'zod';
import { int, named, nullish, quota, seconds, text } from '../../platform/http/openapi/operation.js';
import { secondsOrZero, unixSeconds } from '../../shared/clock.js';
import { organisationRoles } from '../../shared/organisation.js';
import type { Invitation } from '../../billing/accounts/index.js';
import type { InvitationPreview } from './invitation.service.js';
import type { MemberView } from './member.service.js';
import type { OrganisationView } from './organisation.service.js';
import type { ProjectView } from './project.service.js';

const role = z.enum(organisationRoles);
/** A number that some roles may not see. */
const hidden = (description: string) => z.int().nullable().describe(description);

export const nameBody = z.object({ name: z.string() });
export const memberBody = z.object({ user_id: z.int(), role });
export const roleBody = z.object({ role });
export const invitationBody = z.object({ role, email: nullish.text, days: nullish.whole });
export const tokenBody = z.object({ token: z.string().max(200) });
export const projectBody = z.object({ name: z.string().nullish(), archived: nullish.flag });

export const organisationShape = named('Organization', 'An account without sign-in, for which its members act.', {
  id: int('Id of its account, as `user_id` of keys and of the log'),
  name: text('No two accounts have one name'),
  status: int('1 enabled, 2 banned'),
  group: text('Determines prices and channels'),
  created_time: seconds('Created'),
  member_count: int('Members now'),
  role: text("The caller's role: `owner`, `billing` or `member`; empty for an admin who is no member"),
  member_id: int("The caller's membership; 0 for an admin who is no member"),
  quota: hidden('Balance, in quota; null for members who may not see the wallet'),
  used_quota: hidden('Charged so far, in quota; null for members who may not see the wallet'),
});

export const toWire = (view: OrganisationView): z.output<typeof organisationShape> => ({
  id: view.id,
  name: view.name,
  status: view.status === 'enabled' ? 1 : 2,
  group: view.group,
  created_time: unixSeconds(view.createdAt),
  member_count: view.memberCount,
  role: view.role ?? '',
  member_id: view.memberId ?? 0,
  quota: view.balance?.quota ?? null,
  used_quota: view.balance?.usedQuota ?? null,
});

export const memberShape = named('Member', 'A person in an organisation, now or in the past.', {
  id: int('Id of the membership, as `member_id` of keys'),
  organization_id: int('Organisation'),
  user_id: int('Person'),
  username: text('Name of the person; empty when the account was removed'),
  display_name: text('Display name of the person'),
  role: text('`owner`, `billing` or `member`'),
  created_time: seconds('Became a member'),
  left_time: seconds('Left, or 0'),
  key_count: int('Keys that are not deleted'),
  used_quota: quota('Charged to all keys of the member, deleted ones too'),
});

export const toMemberWire = (view: MemberView): z.output<typeof memberShape> => ({
  id: view.id,
  organization_id: view.organisationId,
  user_id: view.userId,
  username: view.username,
  display_name: view.displayName,
  role: view.role,
  created_time: unixSeconds(view.createdAt),
  left_time: secondsOrZero(view.leftAt),
  key_count: view.keyCount,
  used_quota: view.usedQuota,
});

export const projectShape = named('Project', 'A cost centre of an organisation.', {
  id: int('Id, as `project_id` of keys'),
  organization_id: int('Organisation'),
  name: text('Unique in the organisation'),
  created_time: seconds('Created'),
  archived_time: seconds('Archived, or 0'),
  key_count: hidden('Keys that are not deleted; null for members who may not see the usage of others'),
  used_quota: hidden('Charged to its keys, in quota; null for members who may not see the usage of others'),
});

export const toProjectWire = (view: ProjectView): z.output<typeof projectShape> => ({
  id: view.id,
  organization_id: view.organisationId,
  name: view.name,
  created_time: unixSeconds(view.createdAt),
  archived_time: secondsOrZero(view.archivedAt),
  key_count: view.keyCount,
  used_quota: view.usedQuota,
});

const invitationFields = {
  id: int('Id'),
  organization_id: int('Organisation'),
  role: text('Role that the invitation gives'),
  email: text('Where the link was sent; empty when it was only shown'),
  created_time: seconds('Made'),
  expires_time: seconds('The link works until then'),
};
export const invitationShape = named('Invitation', 'An invitation that can still be accepted.', invitationFields);
export const newInvitationShape = named('NewInvitation', 'An invitation with its link.', {
  ...invitationFields,
  link: text('Works once. No other response has it'),
});

export const toInvitationWire = (invitation: Invitation): z.output<typeof invitationShape> => ({
  id: invitation.id,
  organization_id: invitation.organisationId,
  role: invitation.role,
  email: invitation.email,
  created_time: unixSeconds(invitation.createdAt),
  expires_time: unixSeconds(invitation.expiresAt),
});

export const previewShape = named('InvitationPreview', 'What a link invites to.', {
  organization_id: int('Organisation'),
  organization_name: text('Its name'),
  role: text('Role that the invitation gives'),
  expires_time: seconds('The link works until then'),
  is_member: z.boolean().describe('The caller is a member already'),
});

export const toPreviewWire = (preview: InvitationPreview): z.output<typeof previewShape> => ({
  organization_id: preview.organisationId,
  organization_name: preview.organisationName,
  role: preview.role,
  expires_time: unixSeconds(preview.expiresAt),
  is_member: preview.isMember,
});
