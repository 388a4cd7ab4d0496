import type { GraphQLResolveInfo } from 'graphql';
import { Args, Ctx, FieldResolver, Info, Query, Resolver, Root } from 'type-graphql';
import { Access, Cost } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { loadFor } from '../../platform/graphql/loaders.js';
import { providerOf } from '../../dialects/providers/providers.js';
import { costOfLog, toQuestion, UsageArgs } from './usage-question.object.js';
import { toPage, UsageKeyObject, UsagePageObject } from './usage.object.js';
import { wantedOf } from './usage-selection.object.js';
import type { NamedNoun, UsageService } from './usage.service.js';

@Resolver()
export class UsageResolver {
  constructor(private readonly usageService: UsageService) {}

  @Access('usage.read', 'USAGE_READ')
  @Cost(20, ['pageSize'], { once: costOfLog })
  @Query(() => UsagePageObject, { description: 'Usage of the whole site, in groups and buckets of time.' })
  async usage(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => UsageArgs) args: UsageArgs,
    @Info() info: GraphQLResolveInfo,
  ): Promise<UsagePageObject> {
    return toPage(await this.usageService.list(actor, toQuestion(args), wantedOf(info, actor)));
  }

  @Access('common', 'USAGE_READ')
  @Cost(20, ['pageSize'])
  @Query(() => UsagePageObject, { description: 'The caller’s own usage, in groups and buckets of time.' })
  async myUsage(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => UsageArgs) args: UsageArgs,
    @Info() info: GraphQLResolveInfo,
  ): Promise<UsagePageObject> {
    return toPage(await this.usageService.listOwn(actor, toQuestion(args), wantedOf(info, actor)));
  }
}

/** Names of a row's group. All rows of a request are read in one statement per kind of name. */
@Resolver(() => UsageKeyObject)
export class UsageKeyResolver {
  constructor(private readonly usageService: UsageService) {}

  @FieldResolver(() => String, { nullable: true, description: 'Name of the user now; null when they were removed.' })
  username(@Root() { userId }: UsageKeyObject, @Ctx() context: GraphQLContext): Promise<string | null> {
    return this.nameOf(context, 'users', userId);
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: 'Name of the key now; null for the playground, and when the key is gone.',
  })
  tokenName(@Root() { tokenId }: UsageKeyObject, @Ctx() context: GraphQLContext): Promise<string | null> {
    return this.nameOf(context, 'tokens', tokenId);
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: 'User name of the member now, also of a former one; null for keys of no member.',
  })
  memberName(@Root() { memberId }: UsageKeyObject, @Ctx() context: GraphQLContext): Promise<string | null> {
    return this.nameOf(context, 'members', memberId);
  }

  @FieldResolver(() => String, { nullable: true, description: 'Name of the project now; null for keys of no project.' })
  projectName(@Root() { projectId }: UsageKeyObject, @Ctx() context: GraphQLContext): Promise<string | null> {
    return this.nameOf(context, 'projects', projectId);
  }

  @Access('usage.read', 'USAGE_READ')
  @FieldResolver(() => String, { nullable: true, description: 'Name of the channel now; null when it was deleted.' })
  channelName(@Root() { channelId }: UsageKeyObject, @Ctx() context: GraphQLContext): Promise<string | null> {
    return this.nameOf(context, 'channels', channelId);
  }

  @Access('usage.read', 'USAGE_READ')
  @FieldResolver(() => String, {
    nullable: true,
    description: 'Such as `OpenAI` or `Anthropic Claude`. Null: the channel was deleted, or not grouped by PROVIDER.',
  })
  providerName(@Root() { providerId }: UsageKeyObject): string | null {
    return providerId === null ? null : providerOf(providerId).label || null;
  }

  private async nameOf(context: GraphQLContext, noun: NamedNoun, id: number | null): Promise<string | null> {
    if (!id) return null;
    const read = (ids: readonly number[]) => this.usageService.namesOf(context.actor, noun, ids);
    return loadFor(context, this.usageService, { name: `names of ${noun}`, scope: 'USAGE_READ' }, id, read);
  }
}
