import type { FastifyPluginAsync, RouteHandlerMethod } from 'fastify';
import { prefixes } from '../endpoints.js';
import { addRelayRoutes, relayRoute, type RelayRoute } from '../relay-route.js';
import { anything, model, open, text, whole } from '../relay-shapes.js';
import { incomingTask, jsonType, sendAccessFailure, withRawBodies } from '../tasks/incoming-task.js';
import { maxSecretBytes, type SecretVersion } from './client-secrets.js';
import type { Realtime } from './realtime.js';
import { serveUpgrade, takeUpgrades } from './upgrades.js';

type Serve = (realtime: Realtime) => RouteHandlerMethod;

const createsSecret =
  (version: SecretVersion): Serve =>
  (realtime) =>
  async (request, reply) => {
    try {
      return await reply
        .type(jsonType)
        .send(await realtime.createSecret(incomingTask(request, maxSecretBytes), version));
    } catch (error) {
      return sendAccessFailure(error, request, reply);
    }
  };

const lasts = open({}, { anchor: text, seconds: whole });
const secret = open({ value: text, expires_at: whole }, {});

/** Realtime sessions (docs/reference/relay/routes.md#endpoints and docs/reference/relay/realtime.md). */
export const realtimeServed: ReadonlyArray<RelayRoute<Serve>> = [
  relayRoute<Serve>(
    'GET /v1/realtime',
    (realtime) => (request, reply) =>
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
  ),
  relayRoute<Serve>('POST /v1/realtime/client_secrets', createsSecret('current'), {
    summary: 'Short-lived key for a realtime session in a browser',
    body: open({}, { expires_after: lasts, session: anything }),
    response: open({ value: text, expires_at: whole, session: anything }, {}),
    example: { body: { session: { type: 'realtime', model: 'gpt-realtime' } } },
  }),
  relayRoute<Serve>('POST /v1/realtime/sessions', createsSecret('beta'), {
    summary: 'Short-lived key for a realtime session in a browser, older version',
    body: open({}, { model }),
    response: open({ client_secret: secret }, { id: text, model: text }),
    example: { body: { model: 'gpt-4o-realtime-preview' } },
  }),
];

export const realtimeRoutes = (realtime: Realtime): FastifyPluginAsync =>
  withRawBodies(async (app) => {
    takeUpgrades(app);
    addRelayRoutes(app, realtimeServed, prefixes, (served) => served(realtime));
  });
