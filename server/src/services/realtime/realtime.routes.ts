import type { FastifyPluginAsync, RouteHandlerMethod } from 'fastify';
import { prefixes } from '../endpoints.js';
import { addRelayRoutes, relayRoute } from '../relay-route.js';
import { model } from '../relay-shapes.js';
import { incomingTask } from '../tasks/incoming-task.js';
import type { Realtime } from './realtime.js';
import { serveUpgrade, takeUpgrades } from './upgrades.js';

/** `GET /v1/realtime` (docs/reference/relay/routes.md#endpoints and docs/reference/relay/realtime.md). */
export const realtimeRoute = relayRoute(
  'GET /v1/realtime',
  (realtime: Realtime): RouteHandlerMethod =>
    (request, reply) =>
      serveUpgrade(request, reply, async (signal) => {
        const session = await realtime.open(incomingTask(request, 0), signal);
        return {
          upgrade: (raw, { socket, head }) => realtime.upgrade(raw, socket, head, session),
          abandon: () => session.abandon(),
        };
      }),
  {
    summary: 'Realtime session over a WebSocket',
    query: { model },
    upgrades: true,
    example: { query: { model: 'gpt-realtime' } },
  },
);

export const realtimeRoutes =
  (realtime: Realtime): FastifyPluginAsync =>
  async (app) => {
    takeUpgrades(app);
    addRelayRoutes(app, [realtimeRoute], prefixes, (served) => served(realtime));
  };
