import { z } from 'zod';
import { markReplayed } from '../../platform/http/idempotency-key.js';
import { listOf, pages, parameter } from '../../platform/http/openapi/operation.js';
import { wirePage } from '../../platform/http/paging.js';
import { routesFor } from '../../platform/http/route.js';
import { InvalidInputError } from '../../shared/errors.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import type { InvitationService } from './invitation.service.js';
import type { MemberService } from './member.service.js';
import type { OrganisationService } from './organisation.service.js';
import {
  invitationBody,
  invitationShape,
  memberBody,
  memberShape,
  nameBody,
  newInvitationShape,
  organisationShape,
  previewShape,
  projectBody,
  projectShape,
  roleBody,
  tokenBody,
  toInvitationWire,
  toMemberWire,
  toPreviewWire,
  toProjectWire,
  toWire,
} from './organisation.wire.js';
import type { ProjectService } from './project.service.js';

const route = routesFor<{
  readonly organisations: OrganisationService;
  readonly members: MemberService;
  readonly projects: ProjectService;
  readonly invitations: InvitationService;
}>({ isScoped: true });
const caller = 'user';

/** `/api/organization` (docs/reference/rest/organizations.md). */
export const organisationRoutes = [
  route('GET /api/organization', {
    summary: 'Own organisations',
    description: 'Those of which the caller is a member, by name.',
    caller,
    data: z.array(organisationShape),
    example: {},
    handle: async ({ organisations }, { actor }) => (await organisations.listOwn(actor)).map(toWire),
  }),
  route('GET /api/organization/all', {
    summary: 'All organisations of the site, newest first',
    caller: { may: 'users.read' },
    query: { ...pages, keyword: parameter.words('Part of the name') },
    data: listOf(organisationShape),
    example: { query: { p: 1 } },
    handle: ({ organisations }, { actor, query, request }) =>
      wirePage(request, query, { paged: true }, toWire, (page) =>
        organisations.list(actor, omitUndefined({ keyword: query.keyword || undefined }), page),
      ),
  }),
  route('POST /api/organization', {
    summary: 'Create an organisation',
    description:
      'The caller is its owner. It has no quota. While `OrganizationCreationEnabled` is off, only users with `users.write` may.',
    caller,
    once: true,
    body: nameBody,
    data: organisationShape,
    errors: ['INSUFFICIENT_PRIVILEGES', 'CONFLICT', 'RATE_LIMITED'],
    example: { body: { name: 'Acme' } },
    handle: async ({ organisations }, { actor, body, idempotencyKey, reply }) => {
      const { organisation, replayed } = await organisations.create(actor, body.name, idempotencyKey);
      markReplayed(reply, replayed);
      return toWire(organisation);
    },
  }),
  route('GET /api/organization/:id', {
    summary: 'One organisation',
    description: 'One of which the caller is no member is not found.',
    caller,
    data: organisationShape,
    errors: ['NOT_FOUND'],
    example: { path: { id: 20 } },
    handle: async ({ organisations }, { actor, id }) => toWire(await organisations.get(actor, id)),
  }),
  route('PUT /api/organization/:id', {
    summary: 'Rename an organisation',
    caller,
    body: nameBody,
    data: organisationShape,
    errors: ['NOT_FOUND', 'INSUFFICIENT_PRIVILEGES', 'CONFLICT'],
    example: { path: { id: 20 }, body: { name: 'Acme Ltd' } },
    handle: async ({ organisations }, { actor, id, body }) => toWire(await organisations.rename(actor, id, body.name)),
  }),
  route('DELETE /api/organization/:id', {
    summary: 'Delete an organisation',
    description: 'Its keys stop at once. Its name stays reserved, and its log and ledger stay.',
    caller,
    errors: ['NOT_FOUND', 'INSUFFICIENT_PRIVILEGES', 'CONFIRMATION_NEEDED'],
    example: { path: { id: 20 } },
    handle: async ({ organisations }, { actor, id }) => {
      await organisations.delete(actor, id);
    },
  }),
  route('POST /api/organization/:id/leave', {
    summary: 'End the own membership',
    description: "The caller's keys of the organisation are deleted. The only owner cannot leave.",
    caller,
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: { path: { id: 21 } },
    handle: async ({ members }, { actor, id }) => {
      await members.leave(actor, id);
    },
  }),
  route('GET /api/organization/:id/member', {
    summary: 'Members',
    description: 'Owners first. The role `member` sees the own membership only.',
    caller,
    query: { former: parameter.choice('Also those who left') },
    data: z.array(memberShape),
    errors: ['NOT_FOUND'],
    example: { path: { id: 20 } },
    handle: async ({ members }, { actor, id, query }) =>
      (await members.list(actor, id, query.former)).map(toMemberWire),
  }),
  route('POST /api/organization/:id/member', {
    summary: 'Make a person a member without an invitation',
    caller: { may: 'users.write' },
    body: memberBody,
    data: memberShape,
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: { path: { id: 20 }, body: { user_id: 2, role: 'member' } },
    handle: async ({ members }, { actor, id, body }) =>
      toMemberWire(await members.add(actor, id, body.user_id, body.role)),
  }),
  route('PUT /api/organization/member/:id', {
    summary: 'Change the role of a member',
    description: 'An organisation keeps at least one owner.',
    caller,
    body: roleBody,
    data: memberShape,
    errors: ['NOT_FOUND', 'INSUFFICIENT_PRIVILEGES', 'CONFLICT'],
    example: { path: { id: 2 }, body: { role: 'billing' } },
    handle: async ({ members }, { actor, id, body }) => toMemberWire(await members.setRole(actor, id, body.role)),
  }),
  route('DELETE /api/organization/member/:id', {
    summary: 'Remove a member',
    description: "The member's keys of the organisation are deleted. Calls that run are charged.",
    caller,
    errors: ['NOT_FOUND', 'INSUFFICIENT_PRIVILEGES', 'CONFLICT'],
    example: { path: { id: 2 } },
    handle: async ({ members }, { actor, id }) => {
      await members.remove(actor, id);
    },
  }),
  route('GET /api/organization/:id/project', {
    summary: 'Projects',
    description: 'Open ones first, by name.',
    caller,
    data: z.array(projectShape),
    errors: ['NOT_FOUND'],
    example: { path: { id: 20 } },
    handle: async ({ projects }, { actor, id }) => (await projects.list(actor, id)).map(toProjectWire),
  }),
  route('POST /api/organization/:id/project', {
    summary: 'Create a project',
    caller,
    body: nameBody,
    data: projectShape,
    errors: ['NOT_FOUND', 'INSUFFICIENT_PRIVILEGES', 'CONFLICT'],
    example: { path: { id: 20 }, body: { name: 'Search' } },
    handle: async ({ projects }, { actor, id, body }) => toProjectWire(await projects.create(actor, id, body.name)),
  }),
  route('PUT /api/organization/project/:id', {
    summary: 'Rename, archive or open a project',
    description: 'Absent fields stay. No keys can be made for an archived project; those that exist go on working.',
    caller,
    body: projectBody,
    data: projectShape,
    errors: ['NOT_FOUND', 'INSUFFICIENT_PRIVILEGES', 'CONFLICT'],
    example: { path: { id: 1 }, body: { archived: true } },
    handle: async ({ projects }, { actor, id, body: { name, archived } }) =>
      toProjectWire(await projects.update(actor, id, { name: name ?? undefined, isArchived: archived ?? undefined })),
  }),
  route('GET /api/organization/:id/invitation', {
    summary: 'Invitations that can still be accepted, newest first',
    caller,
    data: z.array(invitationShape),
    errors: ['NOT_FOUND', 'INSUFFICIENT_PRIVILEGES'],
    example: { path: { id: 20 } },
    handle: async ({ invitations }, { actor, id }) => (await invitations.list(actor, id)).map(toInvitationWire),
  }),
  route('POST /api/organization/:id/invitation', {
    summary: 'Invite a person by a link',
    description: 'With `email` the link is also sent there. `days` is 1 to 30, 7 when absent.',
    caller,
    body: invitationBody,
    data: newInvitationShape,
    errors: ['NOT_FOUND', 'INSUFFICIENT_PRIVILEGES', 'CONFLICT', 'RATE_LIMITED'],
    example: { path: { id: 20 }, body: { role: 'member' } },
    handle: async ({ invitations }, { actor, id, body: { role, email, days } }) => {
      const made = await invitations.create(actor, id, { role, email: email ?? '', days: days ?? 7 });
      return { ...toInvitationWire(made.invitation), link: made.link };
    },
  }),
  route('DELETE /api/organization/invitation/:id', {
    summary: 'Revoke an invitation',
    caller,
    errors: ['NOT_FOUND', 'INSUFFICIENT_PRIVILEGES'],
    example: { path: { id: 1 } },
    handle: async ({ invitations }, { actor, id }) => {
      await invitations.revoke(actor, id);
    },
  }),
  route('GET /api/organization/invitation', {
    summary: 'What a link invites to',
    description: 'A link that is unknown, used, revoked or expired is not found.',
    caller,
    query: { token: parameter.words('The last part of the link') },
    data: previewShape,
    errors: ['NOT_FOUND'],
    example: { query: { token: 'none' }, fails: 'NOT_FOUND' },
    handle: async ({ invitations }, { actor, query }) => {
      if (!query.token) throw new InvalidInputError('No token provided', 'token');
      return toPreviewWire(await invitations.preview(actor, query.token));
    },
  }),
  route('POST /api/organization/accept', {
    summary: 'Accept an invitation',
    caller,
    body: tokenBody,
    data: organisationShape,
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: { body: { token: 'none' }, fails: 'NOT_FOUND' },
    handle: async ({ organisations, invitations }, { actor, body }) =>
      toWire(await organisations.get(actor, await invitations.accept(actor, body.token))),
  }),
];
