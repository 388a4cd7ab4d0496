import { z } from 'zod';
import {
  flag,
  int,
  listOf,
  named,
  pages,
  parameter,
  seconds,
  text,
  timeRange,
} from '../../platform/http/openapi/operation.js';
import { wirePage } from '../../platform/http/paging.js';
import { routesFor } from '../../platform/http/route.js';
import { dateOf, secondsOrZero, unixSeconds } from '../../shared/clock.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import { type SiteEventKind, siteEventKinds } from '../../shared/site-events.js';
import { bodyOf } from './webhook-message.js';
import { deliveryFailures, deliveryStates, type WebhookDelivery, type WebhookEndpoint } from './webhook.entity.js';
import type { DeliveryFilter, WebhookService } from './webhook.service.js';

const route = routesFor<WebhookService>({ isScoped: true });

const endpointShape = {
  id: int('Id'),
  name: text('For people'),
  url: text('Receives events by POST'),
  kinds: z.array(z.string()).describe('The events that it receives; empty for all'),
  enabled: flag('Events are sent to it'),
  created_time: seconds('Created'),
  failing_since: seconds('Since when every attempt failed, or 0'),
  switched_off_time: seconds('When the server switched it off because it failed, or 0'),
  previous_secret_until: seconds('Until then, messages are signed with the previous secret, too; 0 for none'),
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
  failure: text(
    `${Object.keys(deliveryFailures)
      .map((one) => `\`${one}\``)
      .join(', ')}; empty if it did not fail`,
  ),
  error: text('The same for people'),
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
  previous_secret_until: secondsOrZero(one.previousSecretUntil),
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
  failure: one.failure ?? '',
  error: one.failure === null ? '' : deliveryFailures[one.failure],
});

/** The last second that fits into a year of four digits. */
const maxSeconds = 253_402_300_798;
const rules = { kinds: z.array(z.string()).optional(), enabled: z.boolean().optional() };
const oneOf = <Value extends string>(values: readonly [Value, ...Value[]], description: string) =>
  z
    .string()
    .optional()
    .transform((given) => (given ? z.enum(values).parse(given) : undefined))
    .describe(description);
const kinds = siteEventKinds as [SiteEventKind, ...SiteEventKind[]];
const deliveryQuery = {
  endpoint_id: parameter.id('Only those of this endpoint'),
  state: oneOf(deliveryStates, 'Only this state: `pending`, `delivered` or `failed`'),
  kind: oneOf(kinds, 'Only events of this kind'),
  ...timeRange,
};
const resendBody = z
  .object({
    states: z.array(z.enum(deliveryStates)).describe('Default: `failed`'),
    kinds: z.array(z.enum(kinds)).describe('Only events of these kinds'),
    start_timestamp: z.int().min(0).max(maxSeconds).describe('The first Unix second of the events'),
    end_timestamp: z.int().min(0).max(maxSeconds).describe('The last Unix second'),
  })
  .partial();

/** Returns the range of the Unix seconds `first` to `last`, both included. 0 or absent: the range has no such end. */
const createdOf = (first: number | undefined, last: number | undefined): DeliveryFilter['created'] => ({
  from: first ? dateOf(Math.min(first, maxSeconds)) : null,
  until: last ? dateOf(Math.min(last, maxSeconds) + 1) : null,
});

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
    summary: 'Replace the secret of an endpoint',
    description: 'For a while, messages are signed with both. Admins confirm with their second factor.',
    caller: { may: 'webhooks' },
    body: z.object({ overlap_hours: z.int().optional().describe('Of both secrets: 0 to 168. Default: 24') }).optional(),
    data: keyedEndpoint,
    errors: ['NOT_FOUND', 'CONFIRMATION_NEEDED'],
    example: { path: { id: 1 } },
    handle: async (service, { actor, id, body }) => {
      const { endpoint, secret } = await service.renewSecret(actor, id, body?.overlap_hours);
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
    query: { ...pages, ...deliveryQuery },
    data: listOf(shownDelivery),
    example: { query: { p: 1 } },
    handle: (service, { actor, query, request }) => {
      const filter = omitUndefined({
        endpointIds: query.endpoint_id ? [query.endpoint_id] : undefined,
        states: query.state && [query.state],
        kinds: query.kind && [query.kind],
        created: createdOf(query.start_timestamp, query.end_timestamp),
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
  route('POST /api/webhook/:id/resend', {
    summary: 'Send events of an endpoint again, oldest first',
    description: 'At most 10,000. Without a body: all that failed.',
    caller: { may: 'webhooks' },
    body: resendBody.optional(),
    data: z.object({ count: int('How many are sent again') }),
    errors: ['NOT_FOUND', 'CONFLICT'],
    example: { path: { id: 1 }, body: { states: ['failed'], start_timestamp: 1_795_800_000 } },
    handle: async (service, { actor, id, body: { start_timestamp: first, end_timestamp: last, ...filter } = {} }) => ({
      count: await service.resendAll(actor, id, omitUndefined({ ...filter, created: createdOf(first, last) })),
    }),
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
