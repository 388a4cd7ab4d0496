import { Arg, Args, Ctx, ID, Int, Query, Resolver, Root, Subscription } from 'type-graphql';
import { Access, Cost, NotInPanels } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { deliveryType } from '../../platform/graphql/delivery.object.js';
import { liveSource } from '../../platform/graphql/live-sources.js';
import { omitNullish } from '../../platform/graphql/nullable.js';
import { listQueryOf, PageOf } from '../../platform/graphql/pagination.js';
import { PayloadMutation } from '../../platform/graphql/payload.js';
import { toFilter } from '../../platform/graphql/ranges.js';
import type { Delivery } from '../../platform/live/mailbox.js';
import { requirePermission } from '../../shared/actor.js';
import type { SiteEventKind } from '../../shared/site-events.js';
import type { SiteEventTail } from './site-event-tail.js';
import type { SiteEvent } from './webhook.entity.js';
import {
  CreateWebhookEndpointInput,
  kindInfos,
  RenewWebhookSecretInput,
  ResendWebhooksInput,
  SiteEventKindEnum,
  SiteEventKindInfo,
  SiteEventObject,
  toDeliveryObject,
  toEndpointObject,
  toEventObject,
  UpdateWebhookEndpointInput,
  WebhookDeliveryArgs,
  WebhookDeliveryObject,
  WebhookDeliveryPage,
  WebhookEndpointObject,
} from './webhook.object.js';
import type { DeliveryFilter, WebhookService } from './webhook.service.js';

/** @returns 0, which no row has, for a text that is no id */
const deliveryId = (id: string): number => (/^\d{1,15}$/.test(id) ? Number(id) : 0);

const idArgument = { description: '`WebhookEndpoint.id`.' };
const keyed = {
  endpoint: [() => WebhookEndpointObject, 'The endpoint.'],
  secret: [() => String, 'Signs the messages, as Standard Webhooks has it. It is not shown again.'],
} as const;
interface KeyedPayload {
  endpoint: WebhookEndpointObject;
  secret: string;
}

@Resolver(() => WebhookEndpointObject)
export class WebhookResolver {
  constructor(private readonly service: WebhookService) {}

  @Access('webhooks')
  @Query(() => [SiteEventKindInfo], { description: 'Every kind of event that an endpoint can receive.' })
  siteEventKinds(@Ctx() { actor }: GraphQLContext): readonly SiteEventKindInfo[] {
    requirePermission(actor, 'webhooks');
    return kindInfos;
  }

  @Access('webhooks')
  @NotInPanels()
  @Query(() => [WebhookEndpointObject], { description: 'Addresses that receive events of the site, oldest first.' })
  async webhookEndpoints(@Ctx() { actor }: GraphQLContext): Promise<WebhookEndpointObject[]> {
    return (await this.service.list(actor)).map(toEndpointObject);
  }

  @Access('webhooks')
  @NotInPanels()
  @Cost(1, ['pageSize'])
  @Query(() => WebhookDeliveryPage, { description: 'Events that were sent or wait to be sent, newest first.' })
  async webhookDeliveries(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => WebhookDeliveryArgs) args: WebhookDeliveryArgs,
  ): Promise<PageOf<WebhookDeliveryObject>> {
    const page = await this.service.listDeliveries(
      actor,
      toFilter<DeliveryFilter>(args.filter, ['created']),
      listQueryOf<never>(args),
    );
    return PageOf.from(page, toDeliveryObject);
  }

  @Access('webhooks')
  @PayloadMutation(keyed, 'Creates an endpoint.')
  async createWebhookEndpoint(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => CreateWebhookEndpointInput, { description: 'Address and events.' })
    { name, url, ...rest }: CreateWebhookEndpointInput,
  ): Promise<KeyedPayload> {
    const { endpoint, secret } = await this.service.create(actor, { name, url, ...omitNullish(rest) });
    return { endpoint: toEndpointObject(endpoint), secret };
  }

  @Access('webhooks')
  @PayloadMutation(
    { endpoint: [() => WebhookEndpointObject, 'The endpoint after the change.'] },
    'Changes an endpoint.',
  )
  async updateWebhookEndpoint(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => UpdateWebhookEndpointInput, { description: 'What changes.' })
    { id, ...rest }: UpdateWebhookEndpointInput,
  ): Promise<{ endpoint: WebhookEndpointObject }> {
    return { endpoint: toEndpointObject(await this.service.update(actor, id, omitNullish(rest))) };
  }

  @Access('webhooks')
  @PayloadMutation(keyed, 'Replaces the secret of an endpoint. For a while, messages are signed with both.')
  async renewWebhookSecret(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => RenewWebhookSecretInput, { description: 'The endpoint.' })
    { id, overlapHours }: RenewWebhookSecretInput,
  ): Promise<KeyedPayload> {
    const { endpoint, secret } = await this.service.renewSecret(actor, id, overlapHours ?? undefined);
    return { endpoint: toEndpointObject(endpoint), secret };
  }

  @Access('webhooks')
  @PayloadMutation({ id: [() => Int, 'The id of the deleted endpoint.'] }, 'Deletes an endpoint and its deliveries.')
  async deleteWebhookEndpoint(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int, idArgument) id: number,
  ): Promise<{ id: number }> {
    await this.service.delete(actor, id);
    return { id };
  }

  @Access('webhooks')
  @PayloadMutation(
    { delivery: [() => WebhookDeliveryObject, 'The delivery, which is sent within seconds.'] },
    'Sends an event again, with the same id.',
  )
  async resendWebhook(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => ID, { description: '`WebhookDelivery.id`.' }) id: string,
  ): Promise<{ delivery: WebhookDeliveryObject }> {
    return { delivery: toDeliveryObject(await this.service.resend(actor, deliveryId(id))) };
  }

  @Access('webhooks')
  @PayloadMutation(
    { count: [() => Int, 'The number of events that are sent again.'] },
    'Sends events of an endpoint again, oldest first, at most 10,000.',
  )
  async resendWebhooks(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => ResendWebhooksInput, { description: 'Which ones.' })
    { endpointId, ...filter }: ResendWebhooksInput,
  ): Promise<{ count: number }> {
    return {
      count: await this.service.resendAll(actor, endpointId, toFilter<DeliveryFilter>(filter, ['created'], 'input')),
    };
  }

  @Access('webhooks')
  @PayloadMutation(
    { delivery: [() => WebhookDeliveryObject, 'The delivery, which is sent within seconds.'] },
    'Sends an event `webhook.test` to one endpoint.',
  )
  async testWebhook(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int, idArgument) id: number,
  ): Promise<{ delivery: WebhookDeliveryObject }> {
    return { delivery: toDeliveryObject(await this.service.test(actor, id)) };
  }
}

const SiteEventsCreated = deliveryType(SiteEventObject, 'SiteEventsCreated', 'New events of the site.');

/** Event sources of the subscription below. */
export interface SiteEventSources {
  readonly siteEvents: SiteEventTail;
}

@Resolver()
export class SiteEventResolver {
  @Subscription(() => SiteEventsCreated, {
    description: 'New events of the site, oldest first: those that webhooks send.',
    subscribe: liveSource<SiteEventSources, { readonly kinds?: SiteEventKind[] | null }>(({ live, actor }, { kinds }) =>
      live.siteEvents.all(actor, kinds ?? null),
    ),
  })
  @Access('webhooks')
  siteEventCreated(
    @Root() { items, missed }: Delivery<SiteEvent>,
    @Arg('kinds', () => [SiteEventKindEnum], { nullable: true, description: 'Only these kinds. Absent: all.' })
    _kinds?: SiteEventKind[] | null,
  ): Delivery<SiteEventObject> {
    return { items: items.map(toEventObject).filter((event) => event !== undefined), missed };
  }
}
