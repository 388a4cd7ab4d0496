import type { FastifyPluginAsync } from 'fastify';
import { prefixes } from '../endpoints.js';
import { incomingTask } from '../tasks/incoming-task.js';
import type { Realtime } from './realtime.js';
import { serveUpgrade, takeUpgrades } from './upgrades.js';

/** `GET /v1/realtime` (docs/reference/relay/routes.md#endpoints and docs/reference/relay/realtime.md). */
export const realtimeRoutes =
  (realtime: Realtime): FastifyPluginAsync =>
  async (app) => {
    takeUpgrades(app);
    for (const prefix of prefixes) {
      app.get(`${prefix}/realtime`, (request, reply) =>
        serveUpgrade(request, reply, async (signal) => {
          const session = await realtime.open(incomingTask(request, 0), signal);
          return {
            upgrade: (raw, { socket, head }) => realtime.upgrade(raw, socket, head, session),
            abandon: () => session.abandon(),
          };
        }),
      );
    }
  };
