import type { FastifyPluginAsync } from 'fastify';
import { incomingTask } from '../tasks/incoming-task.js';
import type { Realtime } from './realtime.js';
import { serveUpgrade, takeUpgrades } from './upgrades.js';

/** `/openai/…` is where clients of Azure OpenAI ask (docs/reference/relay/routes.md#paths-of-azure-openai). */
const paths = ['/v1', '/hf/v1', '/v1beta/openai', '/openai', '/openai/v1'].map((prefix) => `${prefix}/realtime`);

/** `GET /v1/realtime` (docs/reference/relay/routes.md#endpoints and docs/reference/relay/realtime.md). */
export const realtimeRoutes =
  (realtime: Realtime): FastifyPluginAsync =>
  async (app) => {
    takeUpgrades(app);
    for (const path of paths) {
      app.get(path, (request, reply) =>
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
