import { Arg, Args, Ctx, FieldResolver, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Access, Cost, NotInPanels } from '../../platform/graphql/access.js';
import { BulkPayload } from '../../platform/graphql/bulk.object.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { requirePermission } from '../../shared/actor.js';
import { loadFor } from '../../platform/graphql/loaders.js';
import { nullWhenNotFound } from '../../platform/graphql/nullable.js';
import { listQueryOf, PageOf } from '../../platform/graphql/pagination.js';
import type { BulkResult } from '../../shared/bulk.js';
import { NotFoundError } from '../../shared/errors.js';
import { enabledModelReaders } from './channel-directory.js';
import { listChannelTypes } from './channel-catalogue.js';
import { CopyChannelInput, CreateChannelInput, toChannelFields, UpdateChannelInput } from './channel-input.object.js';
import { ChannelListArgs, toChannelFilter } from './channel-list.object.js';
import {
  type ChannelPayload,
  ofChannel,
  ChannelObject,
  ChannelPage,
  ChannelTypeObject,
  toChannelObject,
  toChannelTypeObject,
} from './channel.object.js';
import { ChannelKeyObject } from './channel-key.object.js';
import type { ChannelKey } from './channel-keys.service.js';
import type { ChannelServices } from './channel-services.js';
import type { Channel } from './channel.entity.js';
import { PayloadMutation, replayed } from '../../platform/graphql/payload.js';

@Resolver(() => ChannelObject)
export class ChannelResolver {
  constructor(private readonly services: ChannelServices) {}

  @Query(() => ChannelPage, { description: 'All channels.' })
  @Access('channels.read')
  @Cost(1, ['pageSize'])
  async channels(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => ChannelListArgs) args: ChannelListArgs,
  ): Promise<PageOf<ChannelObject>> {
    const page = await this.services.channels.list(actor, toChannelFilter(args.filter), listQueryOf(args));
    return PageOf.from(page, toChannelObject);
  }

  @Query(() => ChannelObject, { nullable: true, description: 'A channel, null when there is none with this id.' })
  @Access('channels.read')
  async channel(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int, { description: '`Channel.id`.' }) id: number,
  ): Promise<ChannelObject | null> {
    const channel = await nullWhenNotFound(this.services.channels.get(actor, id));
    return channel && toChannelObject(channel);
  }

  @NotInPanels()
  @Query(() => [String], { description: 'The keys of a channel in plain text. Every read is logged.' })
  @Access('channels.secrets', 'KEYS_READ')
  channelKeys(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int, { description: '`Channel.id`.' }) id: number,
  ): Promise<string[]> {
    return this.services.channels.revealKeys(actor, id);
  }

  @Query(() => [ChannelTypeObject], { description: 'The types that a new channel can have.' })
  @Access('channels.read')
  @Cost(1)
  channelTypes(@Ctx() { actor }: GraphQLContext): ChannelTypeObject[] {
    return listChannelTypes(actor).map(({ id }) => toChannelTypeObject(id));
  }

  @Query(() => [String], { description: 'Models of the enabled channels, each once.' })
  @Access(enabledModelReaders)
  enabledModels(@Ctx() { actor }: GraphQLContext): Promise<string[]> {
    return this.services.directory.enabledModels(actor);
  }

  @Query(() => [String], { description: 'Tags of all channels, each once, sorted.' })
  @Access('channels.read')
  channelTags(@Ctx() { actor }: GraphQLContext): Promise<string[]> {
    return this.services.directory.tags(actor);
  }

  @FieldResolver(() => [ChannelKeyObject], {
    description: 'Its keys and how the responding node uses them, without their texts.',
  })
  async keys(@Ctx() context: GraphQLContext, @Root() { id }: ChannelObject): Promise<ChannelKey[]> {
    const { keys } = this.services;
    const read = (ids: readonly number[]) => keys.of(context.actor, ids);
    return (await loadFor(context, keys, { name: 'keys', scope: 'ADMIN_READ' }, id, read)) ?? [];
  }

  @PayloadMutation({ ...ofChannel, replayed }, 'Creates a channel.')
  @Access('channels.write')
  async createChannel(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => CreateChannelInput, { description: 'The channel with its keys.' }) input: CreateChannelInput,
  ): Promise<ChannelPayload & { replayed: boolean }> {
    const { channels } = this.services;
    requirePermission(actor, 'channels.write');
    const { channel, replayed } = await channels.create(actor, toChannelFields(input), input.idempotencyKey);
    return { channel: toChannelObject(channel), replayed };
  }

  @PayloadMutation({ ...ofChannel, replayed }, 'Creates an enabled channel with the settings and keys of another.')
  @Access('channels.write')
  async copyChannel(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => CopyChannelInput, { description: 'The channel to copy, and the name of the new one.' })
    { id, name, idempotencyKey }: CopyChannelInput,
  ): Promise<ChannelPayload & { replayed: boolean }> {
    const { channel, replayed } = await this.services.copies.copy(actor, id, name, idempotencyKey);
    return { channel: toChannelObject(channel), replayed };
  }

  @PayloadMutation(ofChannel, 'Changes a channel.')
  @Access('channels.write')
  async updateChannel(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => UpdateChannelInput, { description: 'What changes.' }) input: UpdateChannelInput,
  ): Promise<ChannelPayload> {
    const { channels } = this.services;
    requirePermission(actor, 'channels.write');
    return toPayload(await channels.update(actor, input.id, toChannelFields(input)));
  }

  @PayloadMutation(ofChannel, 'Lets a channel serve calls.')
  @Access('channels.write')
  async enableChannel(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int, { description: '`Channel.id`.' }) id: number,
  ): Promise<ChannelPayload> {
    return toPayload(await this.services.channels.update(actor, id, { status: 'enabled' }));
  }

  @PayloadMutation(ofChannel, 'Keeps a channel from serving calls.')
  @Access('channels.write')
  async disableChannel(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int, { description: '`Channel.id`.' }) id: number,
  ): Promise<ChannelPayload> {
    return toPayload(await this.services.channels.update(actor, id, { status: 'disabled' }));
  }

  @Mutation(() => BulkPayload, { description: 'Lets these channels serve calls.' })
  @Access('channels.write')
  enableChannels(
    @Ctx() { actor }: GraphQLContext,
    @Arg('ids', () => [Int], { description: '`Channel.id` of the channels.' }) ids: number[],
  ): Promise<BulkResult> {
    return this.services.bulk.setStatus(actor, ids, true);
  }

  @Mutation(() => BulkPayload, { description: 'Keeps these channels from serving calls.' })
  @Access('channels.write')
  disableChannels(
    @Ctx() { actor }: GraphQLContext,
    @Arg('ids', () => [Int], { description: '`Channel.id` of the channels.' }) ids: number[],
  ): Promise<BulkResult> {
    return this.services.bulk.setStatus(actor, ids, false);
  }

  @PayloadMutation({ id: [() => Int, 'The id of the deleted channel.'] }, 'Deletes a channel.')
  @Access('channels.write')
  async deleteChannel(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int, { description: '`Channel.id`.' }) id: number,
  ): Promise<{ id: number }> {
    if (!(await this.services.channels.delete(actor, id))) throw new NotFoundError('Channel', id);
    return { id };
  }

  @Mutation(() => BulkPayload, { description: 'Deletes these channels.' })
  @Access('channels.write')
  deleteChannels(
    @Ctx() { actor }: GraphQLContext,
    @Arg('ids', () => [Int], { description: '`Channel.id` of the channels.' }) ids: number[],
  ): Promise<BulkResult> {
    return this.services.bulk.delete(actor, ids);
  }

  @PayloadMutation(
    { count: [() => Int, 'Channels that were deleted.'] },
    'Deletes all channels that are disabled, by an admin or automatically.',
  )
  @Access('channels.write')
  async deleteDisabledChannels(@Ctx() { actor }: GraphQLContext): Promise<{ count: number }> {
    return { count: await this.services.bulk.deleteDisabled(actor) };
  }
}

export const toPayload = (channel: Channel): ChannelPayload => ({ channel: toChannelObject(channel) });
