import { Arg, Ctx, Int, Mutation, Resolver } from 'type-graphql';
import { Access } from '../../platform/graphql/access.js';
import { BulkPayload } from '../../platform/graphql/bulk.object.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { requirePermission } from '../../shared/actor.js';
import type { BulkResult } from '../../shared/bulk.js';
import {
  AddChannelKeysInput,
  ClearChannelCooldownsInput,
  FetchModelsInput,
  RemoveChannelKeyInput,
  SetChannelTagInput,
  TestChannelInput,
  toChannelsChange,
  toTagChange,
  UpdateChannelsInput,
  UpdateChannelTagInput,
} from './channel-input.object.js';
import {
  type ChannelPayload,
  type ChannelTestFailedObject,
  type ChannelTestPassedObject,
  ChannelTestResult,
  ofChannel,
  toChannelObject,
} from './channel.object.js';
import type { ChannelServices } from './channel-services.js';
import { PayloadMutation } from '../../platform/graphql/payload.js';

const ofStart = { startedAt: [() => Date, 'When the work began. It goes on after the response.'] } as const;

/** Actions on channels: tags, tests, balances and lists of models. */
@Resolver()
export class ChannelActionResolver {
  constructor(private readonly services: ChannelServices) {}

  @Mutation(() => BulkPayload, { description: 'Gives these channels a tag.' })
  @Access('channels.write')
  setChannelTag(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => SetChannelTagInput, { description: 'The channels and their tag.' })
    { ids, tag }: SetChannelTagInput,
  ): Promise<BulkResult> {
    return this.services.bulk.setTag(actor, ids, tag ?? '');
  }

  @Mutation(() => BulkPayload, {
    description: 'Changes groups, models, priority, weight or mapping of these channels.',
  })
  @Access('channels.write')
  updateChannels(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => UpdateChannelsInput, { description: 'The channels, and what changes in each of them.' })
    input: UpdateChannelsInput,
  ): Promise<BulkResult> {
    requirePermission(actor, 'channels.write');
    return this.services.bulk.update(actor, input.ids, toChannelsChange(input));
  }

  @PayloadMutation({ count: [() => Int, 'Channels that have the tag.'] }, 'Lets all channels of a tag serve calls.')
  @Access('channels.write')
  async enableChannelTag(
    @Ctx() { actor }: GraphQLContext,
    @Arg('tag', () => String, { description: 'The whole tag, as in `channelTags`.' }) tag: string,
  ): Promise<{ count: number }> {
    return { count: await this.services.bulk.setTagStatus(actor, tag, true) };
  }

  @PayloadMutation(
    { count: [() => Int, 'Channels that have the tag.'] },
    'Keeps all channels of a tag from serving calls.',
  )
  @Access('channels.write')
  async disableChannelTag(
    @Ctx() { actor }: GraphQLContext,
    @Arg('tag', () => String, { description: 'The whole tag, as in `channelTags`.' }) tag: string,
  ): Promise<{ count: number }> {
    return { count: await this.services.bulk.setTagStatus(actor, tag, false) };
  }

  @PayloadMutation({ count: [() => Int, 'Channels that had the tag.'] }, 'Changes all channels of a tag.')
  @Access('channels.write')
  async updateChannelTag(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => UpdateChannelTagInput, { description: 'The tag, and what changes in its channels.' })
    input: UpdateChannelTagInput,
  ): Promise<{ count: number }> {
    requirePermission(actor, 'channels.write');
    return { count: await this.services.bulk.editTag(actor, input.tag, toTagChange(input)) };
  }

  @PayloadMutation(
    { count: [() => Int, 'Channels whose lists changed.'] },
    'Normalizes stored lists that another program wrote, and reloads the channels of all nodes.',
  )
  @Access('channels.write')
  async fixChannels(@Ctx() { actor }: GraphQLContext): Promise<{ count: number }> {
    return { count: await this.services.bulk.fix(actor) };
  }

  @Mutation(() => ChannelTestResult, { description: 'Sends a short call to the provider.' })
  @Access('channels.write')
  async testChannel(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => TestChannelInput, { description: 'The channel, and what it is tested with.' })
    { id, model, key }: TestChannelInput,
  ): Promise<ChannelTestPassedObject | ChannelTestFailedObject> {
    const { success, message, milliseconds } = await this.services.tests.test(actor, id, model ?? undefined, {
      key: key ?? undefined,
    });
    const rounded = Math.round(milliseconds);
    return success ? { milliseconds: rounded } : { milliseconds: rounded, message };
  }

  @PayloadMutation(ofStart, 'Begins to test all channels one after another. CONFLICT while such a test is running.')
  @Access('channels.write')
  async testAllChannels(@Ctx() { actor }: GraphQLContext): Promise<{ startedAt: Date }> {
    await this.services.schedules.startTests(actor);
    return { startedAt: new Date() };
  }

  @PayloadMutation(ofChannel, 'Ends the cooldowns of keys, at every node.')
  @Access('channels.write')
  async clearChannelCooldowns(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => ClearChannelCooldownsInput, { description: 'The channel, and one or all of its keys.' })
    { id, key }: ClearChannelCooldownsInput,
  ): Promise<ChannelPayload> {
    await this.services.keys.clear(actor, id, key ?? null);
    return { channel: toChannelObject(await this.services.channels.get(actor, id)) };
  }

  @PayloadMutation(ofChannel, 'Adds keys behind the others.')
  @Access('channels.write')
  async addChannelKeys(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => AddChannelKeysInput, { description: 'The channel and the keys.' })
    { id, keys }: AddChannelKeysInput,
  ): Promise<ChannelPayload> {
    await this.services.keys.add(actor, id, keys.join('\n'));
    return { channel: toChannelObject(await this.services.channels.get(actor, id)) };
  }

  @PayloadMutation(ofChannel, 'Removes a key. CONFLICT when another key is at its place.')
  @Access('channels.write')
  async removeChannelKey(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => RemoveChannelKeyInput, { description: 'The channel and the key.' })
    { id, position, ending }: RemoveChannelKeyInput,
  ): Promise<ChannelPayload> {
    await this.services.keys.remove(actor, id, position, ending);
    return { channel: toChannelObject(await this.services.channels.get(actor, id)) };
  }

  @PayloadMutation(ofChannel, 'Reads the balance from the provider.')
  @Access('channels.write')
  async updateChannelBalance(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int, { description: '`Channel.id`.' }) id: number,
  ): Promise<ChannelPayload> {
    await this.services.balances.update(actor, id);
    return { channel: toChannelObject(await this.services.channels.get(actor, id)) };
  }

  @PayloadMutation(
    ofStart,
    'Begins to read the balances of all enabled channels. CONFLICT while such an update is running.',
  )
  @Access('channels.write')
  async updateAllChannelBalances(@Ctx() { actor }: GraphQLContext): Promise<{ startedAt: Date }> {
    await this.services.schedules.startBalances(actor);
    return { startedAt: new Date() };
  }

  @PayloadMutation(
    { models: [() => [String], 'Names of models, as the provider knows them.'] },
    'Reads from the provider which models it has.',
  )
  @Access('channels.write')
  async fetchUpstreamModels(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => FetchModelsInput, { description: 'Where the models are read.' }) input: FetchModelsInput,
  ): Promise<{ models: string[] }> {
    return { models: await this.services.discovery.discover(actor, input) };
  }
}
