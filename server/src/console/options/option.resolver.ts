import { Arg, Args, Ctx, Query, Resolver } from 'type-graphql';
import { Access, Cost } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { listQueryOf, PageOf } from '../../platform/graphql/pagination.js';
import { OptionListArgs, OptionObject, OptionPage, SetOptionInput } from './option.object.js';
import { optionPermissions } from '../../options/option-permissions.js';
import type { OptionEntry } from '../../options/option-entry.js';
import type { OptionService } from '../../options/option.service.js';
import { PayloadMutation } from '../../platform/graphql/payload.js';

interface OptionPayload {
  readonly option: OptionEntry;
}

@Resolver(() => OptionObject)
export class OptionResolver {
  constructor(private readonly optionService: OptionService) {}

  @Access(optionPermissions)
  @Query(() => OptionPage, { description: 'Settings. All of them when no page size is given.' })
  // There are about 170 options.
  @Cost(1, ['pageSize'], { rows: 200 })
  options(@Ctx() { actor }: GraphQLContext, @Args(() => OptionListArgs) args: OptionListArgs): PageOf<OptionEntry> {
    const query = listQueryOf(args);
    const pageSize = args.pageSize == null ? null : query.pageSize;
    return PageOf.from(this.optionService.find(actor, args.filter ?? {}, { ...query, pageSize }), (option) => option);
  }

  @Access(optionPermissions)
  @PayloadMutation(
    { option: [() => OptionObject, 'The setting after the change.'] },
    'Saves a setting and applies it at once.',
  )
  async setOption(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => SetOptionInput, { description: 'The setting and its value.' }) { key, value }: SetOptionInput,
  ): Promise<OptionPayload> {
    return { option: await this.optionService.set(actor, key, value) };
  }

  @Access('root')
  @PayloadMutation(
    { option: [() => OptionObject, 'The setting `ModelRatio` after the reset.'] },
    'Resets the prompt ratios to the built-in values.',
  )
  async resetModelRatio(@Ctx() { actor }: GraphQLContext): Promise<OptionPayload> {
    return { option: await this.optionService.resetModelRatio(actor) };
  }
}
