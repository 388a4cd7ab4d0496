import { Arg, Args, Ctx, FieldResolver, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Access, Cost } from '../../platform/graphql/access.js';
import { BulkPayload } from '../../platform/graphql/bulk.object.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { loadFor } from '../../platform/graphql/loaders.js';
import { ListArgs, listQueryOf, PageOf } from '../../platform/graphql/pagination.js';
import type { BulkResult } from '../../shared/bulk.js';
import type { OptionValues } from '../../options/option.service.js';
import { RedeemRefusedError, type RedeemService } from './redeem.service.js';
import {
  CreateRedemptionsInput,
  type RedeemedObject,
  type RedeemRefusedObject,
  RedeemInput,
  RedeemResult,
  RedemptionFilterInput,
  RedemptionListArgs,
  RedemptionObject,
  RedemptionPageObject,
  RedemptionUsePage,
  type RedemptionUseObject,
  toNewRedemptions,
  toRedeemedObject,
  toRedemptionFields,
  toRedemptionFilter,
  toRedemptionObject,
  toRedemptionSums,
  toUseObject,
  UpdateRedemptionInput,
} from './redemption.object.js';
import type { KeyedRedemption } from './redemption-csv.js';
import type { RedemptionService } from './redemption.service.js';
import { PayloadMutation, replayed } from '../../platform/graphql/payload.js';

const ofCode = { redemption: [() => RedemptionObject, 'The code after the change.'] } as const;
interface RedemptionPayload {
  redemption: RedemptionObject;
}

@Resolver(() => RedemptionObject)
export class RedemptionResolver {
  constructor(
    private readonly redemptionService: RedemptionService,
    private readonly redeemService: RedeemService,
    private readonly options: { readonly values: Pick<OptionValues, 'QuotaPerUnit'> },
  ) {}

  @Query(() => RedemptionPageObject, { description: 'Redemption and gift codes.' })
  @Access('codes')
  @Cost(1, ['pageSize'])
  async redemptions(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => RedemptionListArgs) args: RedemptionListArgs,
  ): Promise<PageOf<RedemptionObject>> {
    const filter = toRedemptionFilter(args.filter);
    const page = await this.redemptionService.list(actor, filter, listQueryOf(args));
    return PageOf.from(page, toRedemptionObject, {
      sums: async () =>
        toRedemptionSums(await this.redemptionService.sums(actor, filter), this.options.values.QuotaPerUnit),
    });
  }

  @FieldResolver(() => RedemptionUsePage, { description: 'The users who redeemed the code, newest first.' })
  @Cost(1, ['pageSize'])
  async uses(
    @Ctx() context: GraphQLContext,
    @Root() { id }: RedemptionObject,
    @Args(() => ListArgs) args: ListArgs,
  ): Promise<PageOf<RedemptionUseObject>> {
    const query = listQueryOf(args);
    const slice = await loadFor(
      context,
      this.redemptionService,
      { name: 'uses', args: query, scope: 'ADMIN_READ' },
      id,
      (ids) => this.redemptionService.usesOf(context.actor, ids, query),
    );
    if (!slice) throw new Error(`no page of uses for code ${id}`);
    return PageOf.from(slice, toUseObject);
  }

  @PayloadMutation(
    { redemptions: [() => [RedemptionObject], 'The new codes, with their texts.'], replayed },
    'Creates a batch of codes.',
  )
  @Access('codes')
  async createRedemptions(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => CreateRedemptionsInput, { description: 'Number, value and validity of the codes.' })
    input: CreateRedemptionsInput,
  ): Promise<{ redemptions: RedemptionObject[]; replayed: boolean }> {
    const { codes, replayed } = await this.redemptionService.create(
      actor,
      toNewRedemptions(input),
      input.idempotencyKey,
    );
    return { redemptions: codes.map(toRedemptionObject), replayed };
  }

  @PayloadMutation(ofCode, 'Changes an unused code.')
  @Access('codes')
  async updateRedemption(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => UpdateRedemptionInput, { description: 'What changes.' }) input: UpdateRedemptionInput,
  ): Promise<RedemptionPayload> {
    return toPayload(await this.redemptionService.update(actor, input.id, toRedemptionFields(input)));
  }

  @PayloadMutation(ofCode, 'Enables a disabled code.')
  @Access('codes')
  async enableRedemption(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int, { description: '`Redemption.id`.' }) id: number,
  ): Promise<RedemptionPayload> {
    return toPayload(await this.redemptionService.setStatus(actor, id, 'enabled'));
  }

  @PayloadMutation(ofCode, 'Disables an unused code.')
  @Access('codes')
  async disableRedemption(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int, { description: '`Redemption.id`.' }) id: number,
  ): Promise<RedemptionPayload> {
    return toPayload(await this.redemptionService.setStatus(actor, id, 'disabled'));
  }

  @Mutation(() => BulkPayload, { description: 'Disables those of the given codes that are unused.' })
  @Access('codes')
  disableRedemptions(
    @Ctx() { actor }: GraphQLContext,
    @Arg('ids', () => [Int], { description: '`Redemption.id` of the codes.' }) ids: number[],
  ): Promise<BulkResult> {
    return this.redemptionService.disable(actor, ids);
  }

  @PayloadMutation({ id: [() => Int, 'The id of the deleted code.'] }, 'Deletes a code.')
  @Access('codes')
  async deleteRedemption(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int, { description: '`Redemption.id`.' }) id: number,
  ): Promise<{ id: number }> {
    await this.redemptionService.delete(actor, id);
    return { id };
  }

  @PayloadMutation(
    { count: [() => Int, 'Codes that were deleted.'] },
    'Deletes all codes of a batch, used ones as well.',
  )
  @Access('codes')
  async deleteRedemptionBatch(
    @Ctx() { actor }: GraphQLContext,
    @Arg('batch', () => String, { description: 'The whole name of the batch.' }) batch: string,
  ): Promise<{ count: number }> {
    return { count: await this.redemptionService.deleteByName(actor, batch) };
  }

  @PayloadMutation({ count: [() => Int, 'Codes that were deleted.'] }, 'Deletes all disabled codes.')
  @Access('codes')
  async deleteDisabledRedemptions(@Ctx() { actor }: GraphQLContext): Promise<{ count: number }> {
    return { count: await this.redemptionService.deleteDisabled(actor) };
  }

  @PayloadMutation({ count: [() => Int, 'Codes that were disabled.'] }, 'Disables the unused codes that match.')
  @Access('codes')
  async disableMatchingRedemptions(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => RedemptionFilterInput, { description: 'Which codes. An empty filter matches all.' })
    filter: RedemptionFilterInput,
  ): Promise<{ count: number }> {
    return { count: await this.redemptionService.disableMatching(actor, toRedemptionFilter(filter)) };
  }

  @PayloadMutation({ count: [() => Int, 'Codes that were deleted.'] }, 'Deletes the codes that match, also used ones.')
  @Access('codes')
  async deleteMatchingRedemptions(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => RedemptionFilterInput, { description: 'Which codes. An empty filter matches all.' })
    filter: RedemptionFilterInput,
  ): Promise<{ count: number }> {
    return { count: await this.redemptionService.deleteMatching(actor, toRedemptionFilter(filter)) };
  }

  @Mutation(() => RedeemResult, { description: 'Redeems a code and credits its quota to the caller.' })
  @Access('common')
  async redeem(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => RedeemInput, { description: 'The code.' }) { key, idempotencyKey }: RedeemInput,
  ): Promise<RedeemedObject | RedeemRefusedObject> {
    try {
      return toRedeemedObject(await this.redeemService.redeem(actor, key, idempotencyKey));
    } catch (error) {
      if (error instanceof RedeemRefusedError) return { code: error.refusal, message: error.message };
      throw error;
    }
  }
}

const toPayload = (code: KeyedRedemption): RedemptionPayload => ({ redemption: toRedemptionObject(code) });
