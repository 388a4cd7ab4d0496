import type { FastifyPluginAsync } from 'fastify';
import type { RestHandlers } from '../../platform/http/rest.js';
import { groupReaders, type GroupService, type UsableGroup } from './group.service.js';

/**
 * `/api/group`, and the groups and models a user may choose (docs/reference/rest/accounts.md#own-account and
 * docs/reference/rest/logs-and-usage.md#groups).
 */
export const groupRoutes =
  (groupService: GroupService, rest: RestHandlers): FastifyPluginAsync =>
  async (app) => {
    app.get(
      '/group',
      rest.may(groupReaders, async ({ actor }) => groupService.list(actor)),
    );

    app.get(
      '/user/self/groups',
      rest.user(async ({ actor }) => toWire(groupService.listUsable(actor))),
    );

    app.get(
      '/user/groups',
      rest.open(async () => toWire(groupService.listPublic())),
    );

    app.get(
      '/user/models',
      rest.user(({ actor }) => groupService.models(actor)),
    );
  };

const toWire = (groups: readonly UsableGroup[]): Record<string, { desc: string; ratio: number }> =>
  Object.fromEntries(groups.map(({ name, description, ratio }) => [name, { desc: description, ratio }]));
