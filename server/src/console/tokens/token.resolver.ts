import { Arg, Args, Ctx, FieldResolver, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Access, Cost, NotInPanels } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { BulkPayload } from '../../platform/graphql/bulk.object.js';
import { loadFor } from '../../platform/graphql/loaders.js';
import { listQueryOf, PageOf } from '../../platform/graphql/pagination.js';
import { GraphQLQuota } from '../../platform/graphql/scalars.js';
import type { BulkResult } from '../../shared/bulk.js';
import type { Token } from '../../billing/accounts/index.js';
import {
  OwnTokenListArgs,
  TokenListArgs,
  TokenObject,
  TokenPage,
  toTokenFilter,
  toTokenObject,
} from './token.object.js';
import { SetTokenGroupInput, CreateTokenInput, toTokenInput, UpdateTokenInput } from './token-input.object.js';
import { RotateTokenInput } from './token-rotation.object.js';
import type { TokenRotation } from './token-rotation.js';
import { TokenUseObject } from './token-scope.object.js';
import { toNewTokenBudget } from '../budgets/budget.object.js';
import type { TokenBulkService } from './token-bulk.service.js';
import type { TokenKeyService } from './token-keys.service.js';
import type { TokenService, TokenUse } from './token.service.js';
import { PayloadMutation } from '../../platform/graphql/payload.js';

@Resolver(() => TokenObject)
export class TokenResolver {
  constructor(
    private readonly tokenService: TokenService,
    private readonly keys: TokenKeyService,
    private readonly rotation: TokenRotation,
    private readonly bulk: TokenBulkService,
  ) {}

  @Query(() => TokenPage, { description: 'API keys of all users.' })
  @Access('users.read')
  @Cost(1, ['pageSize'])
  async tokens(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => TokenListArgs) args: TokenListArgs,
  ): Promise<PageOf<TokenObject>> {
    const page = await this.tokenService.list(actor, toTokenFilter(args.filter), listQueryOf(args));
    return PageOf.from(page, toTokenObject);
  }

  @Query(() => TokenPage, { description: 'The caller’s API keys.' })
  @Access('common')
  @Cost(1, ['pageSize'])
  async myTokens(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => OwnTokenListArgs) args: OwnTokenListArgs,
  ): Promise<PageOf<TokenObject>> {
    const page = await this.tokenService.listOwn(actor, toTokenFilter(args.filter), listQueryOf(args));
    return PageOf.from(page, toTokenObject);
  }

  @NotInPanels()
  @Query(() => String, { description: 'One of the caller’s keys in plain text, with `sk-`.' })
  @Access('common', 'KEYS_READ')
  async tokenKey(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int, { description: '`Token.id` of one of the caller’s keys.' }) id: number,
  ): Promise<string> {
    return `sk-${await this.keys.reveal(actor, id)}`;
  }

  @Cost(1)
  @FieldResolver(() => GraphQLQuota, {
    nullable: true,
    description: 'All quota that the owner has granted to the key, spent or not. Calls do not change it.',
  })
  async grantedQuota(@Root() { id }: TokenObject, @Ctx() context: GraphQLContext): Promise<number> {
    const read = (ids: readonly number[]): Promise<Map<number, number>> =>
      this.tokenService.grantedQuotas(context.actor, ids);
    return (await loadFor(context, this.tokenService, { name: 'grantedQuota' }, id, read)) ?? 0;
  }

  @Cost(1)
  @FieldResolver(() => TokenUseObject, { nullable: true, description: 'Where it was used last. Null: not used yet.' })
  async lastUse(@Root() { id }: TokenObject, @Ctx() context: GraphQLContext): Promise<TokenUse | null> {
    const read = (ids: readonly number[]): Promise<Map<number, TokenUse>> =>
      this.tokenService.lastUses(context.actor, ids);
    return (await loadFor(context, this.tokenService, { name: 'lastUse' }, id, read)) ?? null;
  }

  @PayloadMutation(
    {
      token: [() => TokenObject, 'The key after the change.'],
      key: [() => String, 'The new text in full, with `sk-`.'],
      replayed: [() => Boolean, 'An earlier call with this idempotency key rotated the API key.'],
    },
    'Gives an API key of the caller new text. Its limits and usage stay. Only this response contains it.',
  )
  @Access('common')
  async rotateToken(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => RotateTokenInput, { description: 'The key, and how long its old text works.' })
    { id, overlapUntil, idempotencyKey }: RotateTokenInput,
  ): Promise<{ token: TokenObject; key: string; replayed: boolean }> {
    const { token, key, replayed } = await this.rotation.rotate(actor, id, overlapUntil ?? null, idempotencyKey);
    return { token: toTokenObject(token), key: `sk-${key}`, replayed };
  }

  @PayloadMutation(
    { token: [() => TokenObject, 'The key after the change.'] },
    'Ends the old text of a rotated API key now.',
  )
  @Access('common')
  async endTokenOverlap(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int, { description: '`Token.id`.' }) id: number,
  ): Promise<{ token: TokenObject }> {
    return toPayload(await this.rotation.endPrevious(actor, id));
  }

  @PayloadMutation(
    {
      token: [() => TokenObject, 'The new API key, or that of the first call with the idempotency key.'],
      key: [() => String, 'The text of the key in full, with `sk-`.'],
      replayed: [() => Boolean, 'An earlier call with this idempotency key created the API key.'],
    },
    'Creates an API key of the caller, with its budgets. Only this response contains the full key.',
  )
  @Access('common')
  async createToken(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => CreateTokenInput, { description: 'Name, limits and budgets of the key.' })
    input: CreateTokenInput,
  ): Promise<{ token: TokenObject; key: string; replayed: boolean }> {
    const budgets = input.budgets?.map(toNewTokenBudget);
    const { token, key, replayed } = await this.tokenService.create(
      actor,
      toTokenInput({ ...input, quota: input.quota ?? null }),
      budgets,
      input.idempotencyKey,
      { projectId: input.projectId ?? undefined, isShared: input.isShared ?? undefined },
    );
    return { token: toTokenObject(token), key: `sk-${key}`, replayed };
  }

  @PayloadMutation(
    { token: [() => TokenObject, 'The key after the change.'] },
    'Changes an API key of the caller. An expired or exhausted key is enabled when it is extended.',
  )
  @Access('common')
  async updateToken(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => UpdateTokenInput, { description: 'What changes.' }) input: UpdateTokenInput,
  ): Promise<{ token: TokenObject }> {
    return toPayload(await this.tokenService.update(actor, input.id, toTokenInput(input)));
  }

  @PayloadMutation(
    { token: [() => TokenObject, 'The key after the change.'] },
    'Enables an API key of the caller that is neither expired nor exhausted.',
  )
  @Access('common')
  async enableToken(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int, { description: '`Token.id`.' }) id: number,
  ): Promise<{ token: TokenObject }> {
    return toPayload(await this.tokenService.setStatus(actor, id, 'enabled'));
  }

  @PayloadMutation({ token: [() => TokenObject, 'The key after the change.'] }, 'Disables an API key of the caller.')
  @Access('common')
  async disableToken(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int, { description: '`Token.id`.' }) id: number,
  ): Promise<{ token: TokenObject }> {
    return toPayload(await this.tokenService.setStatus(actor, id, 'disabled'));
  }

  @PayloadMutation({ id: [() => Int, 'The id of the deleted key.'] }, 'Deletes an API key of the caller.')
  @Access('common')
  async deleteToken(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int, { description: '`Token.id`.' }) id: number,
  ): Promise<{ id: number }> {
    await this.tokenService.delete(actor, id);
    return { id };
  }

  @Mutation(() => BulkPayload, {
    description:
      'Enables these API keys, at most 100: the caller’s own, and with `USERS_WRITE` those of users below the caller’s role. Expired and exhausted ones are in `failed`.',
  })
  @Access('common')
  enableTokens(
    @Ctx() { actor }: GraphQLContext,
    @Arg('ids', () => [Int], { description: '`Token.id` of the keys.' }) ids: number[],
  ): Promise<BulkResult> {
    return this.bulk.enable(actor, ids);
  }

  @Mutation(() => BulkPayload, {
    description:
      'Disables these API keys, at most 100: the caller’s own, and with `USERS_WRITE` those of users below the caller’s role.',
  })
  @Access('common')
  disableTokens(
    @Ctx() { actor }: GraphQLContext,
    @Arg('ids', () => [Int], { description: '`Token.id` of the keys.' }) ids: number[],
  ): Promise<BulkResult> {
    return this.bulk.disable(actor, ids);
  }

  @Mutation(() => BulkPayload, {
    description:
      'Deletes these API keys, at most 100: the caller’s own, and with `USERS_WRITE` those of users below the caller’s role.',
  })
  @Access('common')
  deleteTokens(
    @Ctx() { actor }: GraphQLContext,
    @Arg('ids', () => [Int], { description: '`Token.id` of the keys.' }) ids: number[],
  ): Promise<BulkResult> {
    return this.bulk.delete(actor, ids);
  }

  @Mutation(() => BulkPayload, {
    description:
      'Moves these API keys to a group, at most 100: the caller’s own, and with `USERS_WRITE` those of users below the caller’s role. Null: the group of the owner.',
  })
  @Access('common')
  setTokenGroup(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => SetTokenGroupInput, { description: 'The keys and their group.' })
    { ids, group }: SetTokenGroupInput,
  ): Promise<BulkResult> {
    return this.bulk.setGroup(actor, ids, group ?? '');
  }
}

const toPayload = (token: Token): { token: TokenObject } => ({ token: toTokenObject(token) });
