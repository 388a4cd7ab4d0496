import { Arg, Args, Ctx, FieldResolver, Float, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Access, Cost, NotInPanels } from '../../platform/graphql/access.js';
import { BulkPayload } from '../../platform/graphql/bulk.object.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { loadFor, loadOne } from '../../platform/graphql/loaders.js';
import { nullWhenNotFound } from '../../platform/graphql/nullable.js';
import { listQueryOf, PageOf } from '../../platform/graphql/pagination.js';
import { patchOf } from '../../platform/graphql/patch.js';
import { GraphQLQuota } from '../../platform/graphql/scalars.js';
import { hasScope, requireScope } from '../../shared/actor.js';
import type { BulkResult } from '../../shared/bulk.js';
import type { OptionValues } from '../../options/option.service.js';
import type { AccountService } from './account.service.js';
import { toSettingObject, UserSettingObject } from './setting.object.js';
import type { User, UserSettings } from '../../billing/accounts/index.js';
import {
  CreateUserInput,
  GrantQuotaInput,
  SetUserGroupInput,
  GrantQuotaPayload,
  IdentityObject,
  identitiesOf,
  InviteObject,
  inviteOf,
  costOfSpend,
  toUserFilter,
  UpdateMeInput,
  UpdateUserInput,
  UserListArgs,
  UserObject,
  UserPageObject,
  ofUser,
} from './user.object.js';
import type { SelfPatch, UserPatch } from './user-input.js';
import type { UserAction } from './user-actions.js';
import { changeUsers } from './user-bulk.js';
import type { UserService } from './user.service.js';
import { PayloadMutation, replayed } from '../../platform/graphql/payload.js';

interface UserPayload {
  readonly user: User;
}

@Resolver(() => UserObject)
export class UserResolver {
  constructor(
    private readonly userService: UserService,
    private readonly accountService: AccountService,
    private readonly settings: UserSettings,
    private readonly options: { readonly values: OptionValues },
  ) {}

  @Query(() => UserObject, {
    nullable: true,
    description: 'The caller; null without authentication. A named access token needs ACCOUNT_READ or ADMIN_READ.',
  })
  async me(@Ctx() { actor }: GraphQLContext): Promise<User | null> {
    if (!actor) return null;
    requireScope(actor, hasScope(actor, 'ADMIN_READ') ? 'ADMIN_READ' : 'ACCOUNT_READ');
    return this.accountService.get(actor);
  }

  @Access('common')
  @Query(() => Boolean, {
    description: 'Whether the caller has a password. Without one, the old one is not asked for.',
  })
  hasPassword(@Ctx() { actor }: GraphQLContext): Promise<boolean> {
    return this.accountService.hasPassword(actor);
  }

  @Access('common', 'KEYS_READ')
  @NotInPanels()
  @Query(() => String, {
    nullable: true,
    description: 'The caller’s single access token for the REST API, null when there is none.',
  })
  accessToken(@Ctx() { actor }: GraphQLContext): Promise<string | null> {
    return this.accountService.accessToken(actor);
  }

  @Access('users.read')
  @Cost(1, ['pageSize'], { once: costOfSpend })
  @Query(() => UserPageObject, { description: 'All users, including deactivated ones, newest first unless sorted.' })
  async users(@Ctx() { actor }: GraphQLContext, @Args(() => UserListArgs) args: UserListArgs): Promise<PageOf<User>> {
    const filter = toUserFilter(args.filter);
    const slice = await this.userService.list(actor, filter, listQueryOf(args));
    return PageOf.from(slice, (user) => user, {
      sums: async () => {
        const sums = await this.userService.sums(actor, filter);
        return { ...sums, usd: this.toUsd(sums.quota) };
      },
    });
  }

  @Access('users.read')
  @Query(() => UserObject, { nullable: true, description: 'A user; null when the id does not exist.' })
  user(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int, { description: '`User.id`.' }) id: number,
  ): Promise<User | null> {
    return nullWhenNotFound(this.userService.get(actor, id));
  }

  @FieldResolver(() => String, { nullable: true, description: 'Null: none.' })
  email(@Root() { email }: User): string | null {
    return email || null;
  }

  @FieldResolver(() => Float, { description: '`quota` in USD.' })
  balanceUsd(@Root() { quota }: User): number {
    return this.toUsd(quota);
  }

  @Cost(1)
  @FieldResolver(() => GraphQLQuota, {
    nullable: true,
    description: 'Reserved for calls in flight; not part of `quota`.',
  })
  async heldQuota(@Root() { id }: User, @Ctx() context: GraphQLContext): Promise<number> {
    const read = (ids: readonly number[]): Promise<Map<number, number>> =>
      this.userService.heldQuota(context.actor, ids);
    return (await loadFor(context, this.userService, { name: 'heldQuota' }, id, read)) ?? 0;
  }

  @Cost(2)
  @FieldResolver(() => Float, {
    nullable: true,
    description: 'Days for which `quota` lasts at the mean spend of the last 7 days; null without spend.',
  })
  async daysLeft(@Root() { id }: User, @Ctx() context: GraphQLContext): Promise<number | null> {
    const read = (ids: readonly number[]): Promise<Map<number, number | null>> =>
      this.userService.daysLeft(context.actor, ids);
    const { actor } = context;
    const scope = actor && hasScope(actor, 'ADMIN_READ') ? 'ADMIN_READ' : 'ACCOUNT_READ';
    return (await loadFor(context, this.userService, { name: 'daysLeft', scope }, id, read)) ?? null;
  }

  @Cost(0)
  @FieldResolver(() => [IdentityObject], { description: 'Accounts at providers with which the user can sign in.' })
  identities(@Root() user: User): IdentityObject[] {
    return identitiesOf(user);
  }

  @Cost(0)
  @FieldResolver(() => InviteObject, { description: 'The invite code of the user, and the earnings from it.' })
  invite(@Root() user: User): InviteObject {
    return inviteOf(user);
  }

  @FieldResolver(() => UserSettingObject, {
    nullable: true,
    description: 'How the user wants to be notified, and sees amounts and times.',
  })
  setting(@Root() { setting }: User): UserSettingObject {
    return toSettingObject(this.settings.read(setting));
  }

  @FieldResolver(() => Date, { nullable: true, description: 'Null: never.' })
  lastCheckInAt(@Root() { lastCheckInTime }: User): Date | null {
    return lastCheckInTime;
  }

  @Access('common')
  @PayloadMutation(ofUser, 'Changes the caller’s names or password. With a named access token only the display name.')
  async updateMe(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => UpdateMeInput, { description: 'What changes.' }) input: UpdateMeInput,
  ): Promise<UserPayload> {
    return { user: await this.accountService.update(actor, patchOf<SelfPatch>(input)) };
  }

  @Access('common')
  @PayloadMutation(
    { id: [() => Int, 'The id of the deactivated user.'] },
    'Deactivates the caller’s own account. Not allowed for root, and for callers that use a named access token.',
  )
  async deleteMe(@Ctx() { actor }: GraphQLContext): Promise<{ id: number | undefined }> {
    await this.accountService.remove(actor);
    return { id: actor?.id };
  }

  @Access('common')
  @PayloadMutation(
    { accessToken: [() => String, 'The new access token. `accessToken` shows it again.'] },
    'Creates a new single access token for the REST API; the previous one stops working.',
  )
  async renewAccessToken(@Ctx() { actor }: GraphQLContext): Promise<{ accessToken: string }> {
    return { accessToken: await this.accountService.renewAccessToken(actor) };
  }

  @Access('users.write', 'BILLING')
  @PayloadMutation(
    { ...ofUser, replayed },
    'Creates a common user, with the quota of new users unless another is given.',
  )
  async createUser(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => CreateUserInput, { description: 'Name, password and group.' })
    { idempotencyKey, ...input }: CreateUserInput,
  ): Promise<UserPayload & { replayed: boolean }> {
    return this.userService.create(actor, input, idempotencyKey);
  }

  @Access(['users.write', 'users.quota'])
  @PayloadMutation(ofUser, 'Changes a user below the caller’s role.')
  async updateUser(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => UpdateUserInput, { description: 'What changes.' }) { id, ...input }: UpdateUserInput,
  ): Promise<UserPayload> {
    const patch = patchOf<UserPatch>(input, { email: '', displayName: '', externalId: '' });
    const { user } = await this.userService.update(actor, id, patch);
    return { user };
  }

  @Access('users.quota', 'BILLING')
  @Mutation(() => GrantQuotaPayload, { description: 'Adds quota to a balance, or deducts it. Safe to retry.' })
  grantQuota(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => GrantQuotaInput, { description: 'The user, the amount, and the key of this grant.' })
    { userId, amount, note, idempotencyKey }: GrantQuotaInput,
  ): Promise<GrantQuotaPayload> {
    return this.userService.grantQuota(actor, userId, amount, { note: note ?? '', idempotencyKey });
  }

  @Access('users.write', 'BILLING')
  @PayloadMutation(ofUser, 'Bans a user and ends their sessions.')
  banUser(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int, { description: '`User.id`.' }) id: number,
  ): Promise<UserPayload> {
    return this.manage(actor, id, 'disable');
  }

  @Access('users.write', 'BILLING')
  @PayloadMutation(ofUser, 'Lifts a ban.')
  enableUser(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int, { description: '`User.id`.' }) id: number,
  ): Promise<UserPayload> {
    return this.manage(actor, id, 'enable');
  }

  @Access('users.write')
  @Mutation(() => BulkPayload, {
    description: 'Lifts the bans of these users, at most 100. Each is changed by itself.',
  })
  enableUsers(
    @Ctx() { actor }: GraphQLContext,
    @Arg('ids', () => [Int], { description: '`User.id` of the users.' }) ids: number[],
  ): Promise<BulkResult> {
    return changeUsers(actor, ids, (id) => this.userService.manage(actor, id, 'enable'));
  }

  @Access('users.write')
  @Mutation(() => BulkPayload, {
    description: 'Bans these users, at most 100, and ends their sessions. Each is changed by itself.',
  })
  banUsers(
    @Ctx() { actor }: GraphQLContext,
    @Arg('ids', () => [Int], { description: '`User.id` of the users.' }) ids: number[],
  ): Promise<BulkResult> {
    return changeUsers(actor, ids, (id) => this.userService.manage(actor, id, 'disable'));
  }

  @Access('users.write')
  @Mutation(() => BulkPayload, {
    description: 'Moves these users, at most 100, to a group. Each is changed by itself.',
  })
  setUserGroup(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => SetUserGroupInput, { description: 'The users and their group.' })
    { ids, group }: SetUserGroupInput,
  ): Promise<BulkResult> {
    return changeUsers(actor, ids, (id) => this.userService.update(actor, id, { group }));
  }

  @Access('users.write')
  @PayloadMutation(ofUser, 'Makes a common user an admin. Only root may.')
  promoteUser(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int, { description: '`User.id`.' }) id: number,
  ): Promise<UserPayload> {
    return this.manage(actor, id, 'promote');
  }

  @Access('users.write')
  @PayloadMutation(ofUser, 'Makes an admin a common user. Only root may.')
  demoteUser(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int, { description: '`User.id`.' }) id: number,
  ): Promise<UserPayload> {
    return this.manage(actor, id, 'demote');
  }

  @Access('users.write')
  @PayloadMutation(ofUser, 'Deactivates a user: the name stays reserved, sessions and API keys stop working.')
  deactivateUser(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int, { description: '`User.id`.' }) id: number,
  ): Promise<UserPayload> {
    return this.manage(actor, id, 'delete');
  }

  @Access('users.write')
  @PayloadMutation(
    { id: [() => Int, 'The id of the removed user.'] },
    'Removes a user permanently; the name becomes available.',
  )
  async removeUser(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int, { description: '`User.id`.' }) id: number,
  ): Promise<{ id: number }> {
    await this.userService.remove(actor, id);
    return { id };
  }

  private async manage(actor: GraphQLContext['actor'], id: number, action: UserAction): Promise<UserPayload> {
    return { user: await this.userService.manage(actor, id, action) };
  }

  private toUsd(quota: number): number {
    return quota / this.options.values.QuotaPerUnit;
  }
}

@Resolver(() => InviteObject)
export class InviteRelations {
  constructor(private readonly userService: UserService) {}

  @Access('users.read')
  @FieldResolver(() => UserObject, { nullable: true, description: 'Null: the user was not invited.' })
  inviter(@Root() { inviterId }: InviteObject, @Ctx() context: GraphQLContext): Promise<User | null> {
    return loadOne(context, this.userService, inviterId, 'ADMIN_READ');
  }
}
