import { z } from 'zod';
import { flag, int, listOf, named, pages, parameter, seconds, text } from '../../platform/http/openapi/operation.js';
import { wirePage } from '../../platform/http/paging.js';
import { routesFor } from '../../platform/http/route.js';
import { secondsOrZero, unixSeconds } from '../../shared/clock.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import { bodyOf } from './webhook-message.js';
import { deliveryStates, type WebhookDelivery, type WebhookEndpoint } from './webhook.entity.js';
import type { WebhookService } from './webhook.service.js';

const route = routesFor<WebhookService>();

const endpointShape = {
  id: int('Id'),
  name: text('For people'),
  url: text('Receives events by POST'),
  kinds: z.array(z.string()).describe('The events that it receives; empty for all'),
  enabled: flag('Events are sent to it'),
  created_time: seconds('Created'),
  failing_since: seconds('Since when every attempt failed, or 0'),
  switched_off_time: seconds('When the server switched it off because it failed, or 0'),
};
const shownEndpoint = named('WebhookEndpoint', 'An address that receives events of the site.', endpointShape);
const keyedEndpoint = named('WebhookEndpointWithSecret', 'An endpoint with its secret, which is not shown again.', {
  ...endpointShape,
  secret: text('Signs the messages, as Standard Webhooks has it'),
});
const shownDelivery = named('WebhookDelivery', 'An event for an endpoint, with the last attempt to send it.', {
  id: int('Id'),
  endpoint_id: int('The endpoint'),
  event_id: text('The header `webhook-id`'),
  kind: text('The kind of the event'),
  state: text('`pending`, `delivered` or `failed`'),
  tries: int('Attempts so far'),
  created_time: seconds('When the event happened'),
  tried_time: seconds('The last attempt, or 0'),
  next_time: seconds('The next attempt, or 0'),
  status: int('HTTP status of the response, or 0'),
  duration_ms: int('Milliseconds of the last attempt, or 0'),
  request: text('The body that is sent'),
  response: text('The beginning of the response'),
  error: text('Why the last attempt failed; empty if it did not'),
});

const toEndpoint = (one: WebhookEndpoint): z.output<typeof shownEndpoint> => ({
  id: one.id,
  name: one.name,
  url: one.url,
  kinds: one.kinds,
  enabled: one.enabled,
  created_time: unixSeconds(one.createdAt),
  failing_since: secondsOrZero(one.failingSince),
  switched_off_time: secondsOrZero(one.switchedOffAt),
});
const toDelivery = ({ event, ...one }: WebhookDelivery): z.output<typeof shownDelivery> => ({
  id: one.id,
  endpoint_id: one.endpointId,
  event_id: event.name,
  kind: event.kind,
  state: one.state,
  tries: one.tries,
  created_time: unixSeconds(event.createdAt),
  tried_time: secondsOrZero(one.triedAt),
  next_time: one.state === 'pending' ? unixSeconds(one.dueAt) : 0,
  status: one.status ?? 0,
  duration_ms: one.durationMs ?? 0,
  request: bodyOf(event),
  response: one.response,
  error: one.error,
});

const rules = { kinds: z.array(z.string()).optional(), enabled: z.boolean().optional() };
const state = z
  .string()
  .optional()
  .transform((given) => (given ? z.enum(deliveryStates).parse(given) : undefined))
  .describe('Only this state: `pending`, `delivered` or `failed`');

/** `/api/webhook` (docs/guide/webhooks.md). */
export const webhookRoutes = [
  route('GET /api/webhook', {
    summary: 'Endpoints of webhooks, oldest first',
    caller: { may: 'webhooks' },
    data: z.array(shownEndpoint),
    example: {},
    handle: async (service, { actor }) => (await service.list(actor)).map(toEndpoint),
  }),
  route('POST /api/webhook', {
    summary: 'Create an endpoint',
    description: 'The response has the secret, which is not shown again. Admins confirm with their second factor.',
    caller: { may: 'webhooks' },
    body: z.object({ name: z.string(), url: z.string(), ...rules }),
    data: keyedEndpoint,
    errors: ['CONFIRMATION_NEEDED', 'CONFLICT'],
    example: { body: { name: 'Billing', url: 'https://billing.example.com/hooks', kinds: ['payment.paid'] } },
    handle: async (service, { actor, body }) => {
      const { endpoint, secret } = await service.create(actor, body);
      return { ...toEndpoint(endpoint), secret };
    },
  }),
  route('PUT /api/webhook', {
    summary: 'Change an endpoint',
    description: 'Absent fields stay. Admins confirm with their second factor.',
    caller: { may: 'webhooks' },
    body: z.object({ id: z.int(), name: z.string().optional(), url: z.string().optional(), ...rules }),
    data: shownEndpoint,
    errors: ['NOT_FOUND', 'CONFIRMATION_NEEDED'],
    example: { body: { id: 1, enabled: true } },
    handle: async (service, { actor, body: { id, ...fields } }) => toEndpoint(await service.update(actor, id, fields)),
  }),
  route('POST /api/webhook/:id/secret', {
    summary: 'Replace the secret of an endpoint at once',
    description: 'Admins confirm with their second factor.',
    caller: { may: 'webhooks' },
    data: keyedEndpoint,
    errors: ['NOT_FOUND', 'CONFIRMATION_NEEDED'],
    example: { path: { id: 1 } },
    handle: async (service, { actor, id }) => {
      const { endpoint, secret } = await service.renewSecret(actor, id);
      return { ...toEndpoint(endpoint), secret };
    },
  }),
  route('POST /api/webhook/:id/test', {
    summary: 'Send an event `webhook.test` to an endpoint',
    caller: { may: 'webhooks' },
    data: shownDelivery,
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: { path: { id: 1 } },
    handle: async (service, { actor, id }) => toDelivery(await service.test(actor, id)),
  }),
  route('GET /api/webhook/delivery', {
    summary: 'Events that were sent or wait to be sent, newest first',
    caller: { may: 'webhooks' },
    query: { ...pages, endpoint_id: parameter.id('Only those of this endpoint'), state },
    data: listOf(shownDelivery),
    example: { query: { p: 1 } },
    handle: (service, { actor, query, request }) => {
      const filter = omitUndefined({
        endpointIds: query.endpoint_id ? [query.endpoint_id] : undefined,
        states: query.state && [query.state],
      });
      return wirePage(request, query, { paged: true }, toDelivery, (page) =>
        service.listDeliveries(actor, filter, page),
      );
    },
  }),
  route('POST /api/webhook/delivery/:id/send', {
    summary: 'Send an event again, with the same id',
    caller: { may: 'webhooks' },
    data: shownDelivery,
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: { path: { id: 1 } },
    handle: async (service, { actor, id }) => toDelivery(await service.resend(actor, id)),
  }),
  route('DELETE /api/webhook/:id', {
    summary: 'Delete an endpoint and its deliveries',
    description: 'Admins confirm with their second factor.',
    caller: { may: 'webhooks' },
    errors: ['NOT_FOUND', 'CONFIRMATION_NEEDED'],
    example: { path: { id: 1 } },
    handle: async (service, { actor, id }) => {
      await service.delete(actor, id);
    },
  }),
];
