import { ArgsType, Field, ID, InputType, ObjectType } from 'type-graphql';
import { enumType } from '../../platform/graphql/enums.js';
import {
  fields,
  flag,
  inputFields,
  int,
  ints,
  json,
  moment,
  nullable,
  of,
  text,
} from '../../platform/graphql/fields.js';
import { filterText, ListArgs, pageObject } from '../../platform/graphql/pagination.js';
import { TimeRangeObject } from '../../platform/graphql/ranges.js';
import { isSiteEventKind, type SiteEventKind, siteEventKinds, siteEvents } from '../../shared/site-events.js';
import {
  deliveryFailures,
  type DeliveryFailure,
  type DeliveryState,
  type SiteEvent,
  type WebhookDelivery,
  type WebhookEndpoint,
} from './webhook.entity.js';
import { bodyOf } from './webhook-message.js';

const enumName = (kind: SiteEventKind): string => kind.replace('.', '_').toUpperCase();

export const SiteEventKindEnum = enumType(
  'SiteEventKind',
  Object.fromEntries(siteEventKinds.map((kind) => [enumName(kind), kind])),
  'A kind of event of the site (docs/guide/webhooks.md).',
  Object.fromEntries(siteEventKinds.map((kind) => [enumName(kind), siteEvents[kind].about])),
);

const DeliveryStateEnum = enumType(
  'WebhookDeliveryState',
  { PENDING: 'pending', DELIVERED: 'delivered', FAILED: 'failed' },
  'What became of an event for an endpoint.',
  {
    PENDING: 'It is sent, or tried again later.',
    DELIVERED: 'The endpoint accepted it with a status of 200 to 299.',
    FAILED: 'It is not tried any more. It can be sent again by hand.',
  },
);

const failureNames = Object.keys(deliveryFailures) as DeliveryFailure[];
const DeliveryFailureEnum = enumType(
  'WebhookDeliveryFailure',
  Object.fromEntries(failureNames.map((failure) => [failure.toUpperCase(), failure])),
  'Why an event was not delivered.',
  Object.fromEntries(failureNames.map((failure) => [failure.toUpperCase(), deliveryFailures[failure]])),
);

@ObjectType('SiteEventKindInfo', { description: 'A kind of event that an endpoint can receive.' })
export class SiteEventKindInfo extends fields({
  kind: of<SiteEventKind>(() => SiteEventKindEnum, 'The kind.'),
  name: text('As the field `type` of a message has it, such as `payment.paid`.'),
  about: text('When it is sent.'),
}) {}

export const kindInfos: readonly SiteEventKindInfo[] = siteEventKinds.map((kind) => ({
  kind,
  name: kind,
  about: siteEvents[kind].about,
}));

@ObjectType('SiteEvent', { description: 'Something that happened on the site.' })
export class SiteEventObject extends fields({
  id: of<string>(() => ID, 'The `webhook-id` of its messages.'),
  kind: of<SiteEventKind>(() => SiteEventKindEnum, 'What happened.'),
  data: json('The data of the event, by its kind.'),
  createdAt: moment('When it happened.'),
}) {}

/** @returns undefined for a kind of a newer version */
export const toEventObject = ({ name, kind, data, createdAt }: SiteEvent): SiteEventObject | undefined =>
  isSiteEventKind(kind) ? { id: name, kind, data, createdAt } : undefined;

@ObjectType('WebhookEndpoint', { description: 'An address that receives events of the site.' })
export class WebhookEndpointObject extends fields({
  id: int('Names the endpoint in other operations.'),
  name: text('For people.'),
  url: text('Receives events by POST.'),
  kinds: of<SiteEventKind[]>(() => [SiteEventKindEnum], 'The events that it receives. Empty: all.'),
  enabled: flag('Events are sent to it.'),
  createdAt: moment('When it was created.'),
  failingSince: moment.orNull('Since when every attempt failed. Null: the last one succeeded, or there was none.'),
  switchedOffAt: moment.orNull('When the server switched it off because it failed. Null: it did not.'),
  previousSecretUntil: moment.orNull(
    'Until then, messages are signed with the previous secret, too. Null: there is none.',
  ),
}) {}

export const toEndpointObject = ({ kinds, ...endpoint }: WebhookEndpoint): WebhookEndpointObject => ({
  ...endpoint,
  kinds: kinds.filter(isSiteEventKind),
});

@ObjectType('WebhookDelivery', { description: 'An event for an endpoint, with the last attempt to send it.' })
export class WebhookDeliveryObject extends fields({
  id: of<string>(() => ID, 'Ids grow with time.'),
  endpointId: int('`WebhookEndpoint.id`.'),
  eventId: of<string>(() => ID, 'The header `webhook-id`, the same for each attempt.'),
  kind: text('The kind of the event, such as `payment.paid`.'),
  state: of<DeliveryState>(() => DeliveryStateEnum, 'What became of it.'),
  tries: int('Attempts so far.'),
  createdAt: moment('When the event happened.'),
  triedAt: moment.orNull('The last attempt. Null: none yet.'),
  nextAt: moment.orNull('The next attempt. Null: none.'),
  status: int.orNull('HTTP status of the response. Null: none came.'),
  durationMs: int.orNull('Milliseconds that the last attempt took.'),
  request: text('The body that is sent.'),
  response: text('The beginning of the response, at most 2 kB.'),
  failure: nullable<DeliveryFailure>(
    () => DeliveryFailureEnum,
    'Why the last attempt failed, or there was none. Null: it did not fail.',
  ),
}) {}

export const toDeliveryObject = ({ event, dueAt, ...delivery }: WebhookDelivery): WebhookDeliveryObject => ({
  ...delivery,
  id: String(delivery.id),
  eventId: event.name,
  kind: event.kind,
  createdAt: event.createdAt,
  nextAt: delivery.state === 'pending' ? dueAt : null,
  request: bodyOf(event),
});

export const WebhookDeliveryPage = pageObject(WebhookDeliveryObject, 'WebhookDeliveryPage', 'A page of deliveries.');

@InputType('WebhookDeliveryFilter', {
  description: 'Conditions on deliveries. All must match. An empty list matches nothing.',
})
class WebhookDeliveryFilterInput extends inputFields({
  endpointIds: ints.orNull('Only those of these endpoints.'),
  states: nullable<DeliveryState[]>(() => [DeliveryStateEnum], 'Only those in one of these states.'),
  kinds: nullable<SiteEventKind[]>(() => [SiteEventKindEnum], 'Only events of these kinds.'),
  created: nullable<TimeRangeObject>(() => TimeRangeObject, 'When the event happened.'),
}) {}

@ArgsType()
export class WebhookDeliveryArgs extends ListArgs {
  @Field(() => WebhookDeliveryFilterInput, { nullable: true, description: filterText })
  filter?: WebhookDeliveryFilterInput | null;
}

@InputType('ResendWebhooksInput', { description: 'The events of an endpoint that are sent again.' })
export class ResendWebhooksInput extends inputFields({
  endpointId: int('`WebhookEndpoint.id`.'),
  states: nullable<DeliveryState[]>(() => [DeliveryStateEnum], 'Only those in one of these states. Default: FAILED.'),
  kinds: nullable<SiteEventKind[]>(() => [SiteEventKindEnum], 'Only events of these kinds.'),
  created: nullable<TimeRangeObject>(() => TimeRangeObject, 'When the event happened.'),
}) {}

const kindsText = 'The events that it receives. Empty: all, also of later versions.';

@InputType('CreateWebhookEndpointInput', { description: 'A new endpoint.' })
export class CreateWebhookEndpointInput extends inputFields({
  name: text('1 to 64 characters, for people.'),
  url: text('An https:// address on the internet.'),
  kinds: nullable<SiteEventKind[]>(() => [SiteEventKindEnum], kindsText),
  enabled: flag.orNull('Default: true.'),
}) {}

@InputType('UpdateWebhookEndpointInput', {
  description: 'What changes at an endpoint. Absent fields keep their value.',
})
export class UpdateWebhookEndpointInput extends inputFields({
  id: int('`WebhookEndpoint.id`.'),
  name: text.orNull('1 to 64 characters, for people.'),
  url: text.orNull('An https:// address on the internet.'),
  kinds: nullable<SiteEventKind[]>(() => [SiteEventKindEnum], kindsText),
  enabled: flag.orNull('Events of the time in which it is switched off are not sent later.'),
}) {}

@InputType('RenewWebhookSecretInput', { description: 'An endpoint whose secret is replaced.' })
export class RenewWebhookSecretInput extends inputFields({
  id: int('`WebhookEndpoint.id`.'),
  overlapHours: int.orNull('Hours for which messages are signed with the previous secret, too: 0 to 168. Default: 24.'),
}) {}
