import { z } from 'zod';
import { text } from '../../platform/http/openapi/operation.js';
import { routesFor } from '../../platform/http/route.js';
import { groupReaders, type GroupService, type UsableGroup } from './group.service.js';

const route = routesFor<GroupService>();

/** `/api/group` (docs/reference/rest/logs-and-usage.md#groups). */
export const groupRoutes = [
  route('GET /api/group', {
    summary: 'Names of all groups',
    caller: { may: groupReaders },
    data: z.array(z.string()),
    example: {},
    handle: async (groupService, { actor }) => groupService.list(actor),
  }),
];

const groups = z
  .record(z.string(), z.object({ desc: text('Description'), ratio: z.number().describe('Factor on prices') }))
  .describe('Groups by name');

/** The groups and models a user may choose (docs/reference/rest/accounts.md#own-account). */
export const usableGroupRoutes = [
  route('GET /api/user/self/groups', {
    summary: 'Groups the caller may use',
    caller: 'user',
    data: groups,
    example: {},
    handle: async (groupService, { actor }) => toWire(await groupService.listUsable(actor)),
  }),
  route('GET /api/user/groups', {
    summary: 'Groups of a new user',
    caller: 'open',
    data: groups,
    example: {},
    handle: async (groupService) => toWire(groupService.listPublic()),
  }),
  route('GET /api/user/models', {
    summary: 'Models the caller may call',
    description:
      'Prefixed names of the own group come first, and hide the plain name. Prefixes of other groups do not work with a key of the own group, and are not listed.',
    caller: 'user',
    data: z.array(z.string()),
    example: {},
    handle: (groupService, { actor }) => groupService.models(actor),
  }),
];

const toWire = (list: readonly UsableGroup[]): z.output<typeof groups> =>
  Object.fromEntries(list.map(({ name, description, ratio }) => [name, { desc: description, ratio }]));
