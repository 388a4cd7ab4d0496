import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { Access } from '../../graphql/access.js';
import type { GraphQLContext } from '../../graphql/context.js';
import { pageQueryOf } from '../../graphql/page.object.js';
import type { Page } from '../../shared/page.js';
import { OptionListArgs, OptionObject, OptionPage } from './option.object.js';
import type { OptionEntry, OptionService } from './option.service.js';

@Resolver(() => OptionObject)
export class OptionResolver {
  constructor(private readonly optionService: OptionService) {}

  @Access('admin')
  @Query(() => OptionPage, { description: 'Settings. All of them when no page size is given.' })
  options(@Ctx() { actor }: GraphQLContext, @Args(() => OptionListArgs) args: OptionListArgs): Page<OptionEntry> {
    const { sort, page, pageSize } = pageQueryOf(args);
    const query = { sort, ...(args.pageSize ? { page, pageSize } : {}) };
    return this.optionService.find(actor, args.filter ?? {}, query);
  }

  @Access('admin')
  @Mutation(() => OptionObject)
  setOption(
    @Ctx() { actor }: GraphQLContext,
    @Arg('key', () => String) key: string,
    @Arg('value', () => String) value: string,
  ): Promise<OptionEntry> {
    return this.optionService.set(actor, key, value);
  }

  @Access('root')
  @Mutation(() => Boolean, { description: 'Resets the prompt ratios to the built-in values.' })
  async resetModelRatio(@Ctx() { actor }: GraphQLContext): Promise<boolean> {
    await this.optionService.resetModelRatio(actor);
    return true;
  }
}
