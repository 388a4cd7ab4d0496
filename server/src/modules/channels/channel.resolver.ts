import { Arg, Args, Ctx, Float, Int, Mutation, Query, Resolver } from 'type-graphql';
import { Access } from '../../graphql/access.js';
import type { GraphQLContext } from '../../graphql/context.js';
import { pageQueryOf } from '../../graphql/page.object.js';
import type { Page } from '../../shared/page.js';
import { listChannelTypes, type ChannelType } from './channel-catalogue.service.js';
import type { ChannelTestResult } from './channel-test.service.js';
import {
  ChannelInputObject,
  ChannelListArgs,
  ChannelObject,
  ChannelPage,
  ChannelPatchInput,
  ChannelTagPatchInput,
  ChannelTestResultObject,
  ChannelTypeObject,
  FetchModelsInput,
  toChannelObject,
  toFields,
  toFilter,
  toTagChange,
} from './channel.object.js';
import type { ChannelServices } from './channel-services.js';

@Resolver(() => ChannelObject)
export class ChannelResolver {
  constructor(private readonly services: ChannelServices) {}

  @Access('admin')
  @Query(() => ChannelPage, { description: 'Highest priority first unless sorted.' })
  async channels(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => ChannelListArgs) args: ChannelListArgs,
  ): Promise<Page<ChannelObject>> {
    const page = await this.services.channels.list(actor, toFilter(args.filter ?? {}), pageQueryOf(args));
    return { ...page, items: page.items.map(toChannelObject) };
  }

  @Access('admin')
  @Query(() => ChannelObject)
  async channel(@Ctx() { actor }: GraphQLContext, @Arg('id', () => Int) id: number): Promise<ChannelObject> {
    return toChannelObject(await this.services.channels.get(actor, id));
  }

  @Access('admin', 'WRITE')
  @Query(() => String, { description: 'The keys in clear, between commas. Every read is logged.' })
  channelKey(@Ctx() { actor }: GraphQLContext, @Arg('id', () => Int) id: number): Promise<string> {
    return this.services.channels.revealKey(actor, id);
  }

  @Access('admin')
  @Query(() => [ChannelTypeObject])
  channelTypes(@Ctx() { actor }: GraphQLContext): readonly ChannelType[] {
    return listChannelTypes(actor);
  }

  @Access('admin')
  @Query(() => [String], { description: 'Distinct models of the enabled channels.' })
  enabledModels(@Ctx() { actor }: GraphQLContext): Promise<string[]> {
    return this.services.directory.enabledModels(actor);
  }

  @Access('admin')
  @Mutation(() => ChannelObject)
  async createChannel(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => ChannelInputObject) input: ChannelInputObject,
  ): Promise<ChannelObject> {
    return toChannelObject(await this.services.channels.create(actor, toFields(input)));
  }

  @Access('admin')
  @Mutation(() => ChannelObject)
  async updateChannel(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int) id: number,
    @Arg('input', () => ChannelPatchInput) input: ChannelPatchInput,
  ): Promise<ChannelObject> {
    return toChannelObject(await this.services.channels.update(actor, id, toFields(input)));
  }

  @Access('admin')
  @Mutation(() => Boolean, { description: 'False when there was none.' })
  deleteChannel(@Ctx() { actor }: GraphQLContext, @Arg('id', () => Int) id: number): Promise<boolean> {
    return this.services.channels.delete(actor, id);
  }

  @Access('admin')
  @Mutation(() => Int, { description: 'How many are gone.' })
  deleteChannels(@Ctx() { actor }: GraphQLContext, @Arg('ids', () => [Int]) ids: number[]): Promise<number> {
    return this.services.bulk.delete(actor, ids);
  }

  @Access('admin')
  @Mutation(() => Int, { description: 'How many are gone.' })
  deleteDisabledChannels(@Ctx() { actor }: GraphQLContext): Promise<number> {
    return this.services.bulk.deleteDisabled(actor);
  }

  @Access('admin')
  @Mutation(() => Int, { description: 'An empty tag takes the tag away. How many channels have it now.' })
  setChannelTag(
    @Ctx() { actor }: GraphQLContext,
    @Arg('ids', () => [Int]) ids: number[],
    @Arg('tag', () => String) tag: string,
  ): Promise<number> {
    return this.services.bulk.setTag(actor, ids, tag);
  }

  @Access('admin')
  @Mutation(() => Int, { description: 'How many channels the tag has.' })
  setTagEnabled(
    @Ctx() { actor }: GraphQLContext,
    @Arg('tag', () => String) tag: string,
    @Arg('enabled', () => Boolean) enabled: boolean,
  ): Promise<number> {
    return this.services.bulk.setTagStatus(actor, tag, enabled);
  }

  @Access('admin')
  @Mutation(() => Int, { description: 'Changes every channel of a tag. How many there were.' })
  updateChannelTag(
    @Ctx() { actor }: GraphQLContext,
    @Arg('tag', () => String) tag: string,
    @Arg('input', () => ChannelTagPatchInput) input: ChannelTagPatchInput,
  ): Promise<number> {
    return this.services.bulk.editTag(actor, tag, toTagChange(input));
  }

  @Access('admin')
  @Mutation(() => Int, { description: 'Brings lists into their normal form. How many channels were repaired.' })
  fixChannels(@Ctx() { actor }: GraphQLContext): Promise<number> {
    return this.services.bulk.fix(actor);
  }

  @Access('admin')
  @Mutation(() => ChannelTestResultObject, { description: 'One tiny real request.' })
  testChannel(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int) id: number,
    @Arg('model', () => String, { nullable: true }) model?: string,
  ): Promise<ChannelTestResult> {
    return this.services.tests.test(actor, id, model ?? undefined);
  }

  @Access('admin')
  @Mutation(() => Boolean, { description: 'Begins to test all channels, one after another, in the background.' })
  async testAllChannels(@Ctx() { actor }: GraphQLContext): Promise<boolean> {
    await this.services.rounds.startTests(actor);
    return true;
  }

  @Access('admin')
  @Mutation(() => Float, { description: 'Asks the provider what is left: USD, or what it counts in.' })
  updateChannelBalance(@Ctx() { actor }: GraphQLContext, @Arg('id', () => Int) id: number): Promise<number> {
    return this.services.balances.update(actor, id);
  }

  @Access('admin')
  @Mutation(() => Boolean, { description: 'Begins to ask for the balance of all enabled channels, in the background.' })
  async updateAllChannelBalances(@Ctx() { actor }: GraphQLContext): Promise<boolean> {
    await this.services.rounds.startBalances(actor);
    return true;
  }

  @Access('admin')
  @Mutation(() => [String], { description: 'Asks the provider which models it has.' })
  fetchUpstreamModels(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => FetchModelsInput) input: FetchModelsInput,
  ): Promise<string[]> {
    return this.services.discovery.discover(actor, input);
  }
}
