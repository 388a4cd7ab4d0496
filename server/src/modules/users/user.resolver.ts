import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, Ctx, Int, Mutation, Query, Resolver } from 'type-graphql';
import { Access } from '../../graphql/access.js';
import type { GraphQLContext } from '../../graphql/context.js';
import { pageQueryOf } from '../../graphql/page.object.js';
import type { Page } from '../../shared/page.js';
import type { AccountService } from './account.service.js';
import type { User } from './user.entity.js';
import { SelfPatchInput, UserInputObject, UserListArgs, UserObject, UserPage, UserPatchInput } from './user.object.js';
import type { UserService } from './user.service.js';

@Resolver(() => UserObject)
export class UserResolver {
  constructor(
    private readonly userService: UserService,
    private readonly accountService: AccountService,
  ) {}

  @Query(() => UserObject, { nullable: true, description: 'The caller, null when nobody is signed in.' })
  async me(@Ctx() { actor }: GraphQLContext): Promise<User | null> {
    return actor && this.accountService.get(actor);
  }

  @Access('common', 'WRITE')
  @Query(() => String, { nullable: true, description: 'The caller’s system access token, null when there is none.' })
  accessToken(@Ctx() { actor }: GraphQLContext): Promise<string | null> {
    return this.accountService.accessToken(actor);
  }

  @Access('admin')
  @Query(() => UserPage)
  users(@Ctx() { actor }: GraphQLContext, @Args(() => UserListArgs) args: UserListArgs): Promise<Page<User>> {
    return this.userService.list(actor, args.filter ?? {}, pageQueryOf(args));
  }

  @Access('admin')
  @Query(() => UserObject)
  user(@Ctx() { actor }: GraphQLContext, @Arg('id', () => Int) id: number): Promise<User> {
    return this.userService.get(actor, id);
  }

  @Access('common')
  @Mutation(() => UserObject)
  updateMe(@Ctx() { actor }: GraphQLContext, @Arg('input', () => SelfPatchInput) input: SelfPatchInput): Promise<User> {
    return this.accountService.update(actor, input);
  }

  @Access('common')
  @Mutation(() => Boolean, { description: 'Deletes the caller’s own account.' })
  async deleteMe(@Ctx() { actor }: GraphQLContext): Promise<boolean> {
    await this.accountService.remove(actor);
    return true;
  }

  @Access('common')
  @Mutation(() => String, { description: 'A new system access token; the one before stops working.' })
  renewAccessToken(@Ctx() { actor }: GraphQLContext): Promise<string> {
    return this.accountService.renewAccessToken(actor);
  }

  @Access('admin')
  @Mutation(() => UserObject)
  createUser(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => UserInputObject) input: UserInputObject,
  ): Promise<User> {
    return this.userService.create(actor, input);
  }

  @Access('admin')
  @Mutation(() => UserObject)
  updateUser(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int) id: number,
    @Arg('input', () => UserPatchInput) input: UserPatchInput,
  ): Promise<User> {
    return this.userService.update(actor, id, input);
  }

  @Access('admin')
  @Mutation(() => UserObject, { description: 'Adds quota, or takes it away when the amount is negative.' })
  grantQuota(
    @Ctx() { actor }: GraphQLContext,
    @Arg('userId', () => Int) userId: number,
    @Arg('amount', () => GraphQLSafeInt) amount: number,
    @Arg('note', () => String, { nullable: true }) note?: string,
  ): Promise<User> {
    return this.userService.grantQuota(actor, userId, amount, note ?? '');
  }

  @Access('admin')
  @Mutation(() => UserObject, { description: '1 enables, 2 bans and ends the user’s sessions.' })
  setUserStatus(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int) id: number,
    @Arg('status', () => Int) status: number,
  ): Promise<User> {
    return this.userService.setStatus(actor, id, status);
  }

  @Access('admin')
  @Mutation(() => UserObject, { description: '1 common user, 10 admin.' })
  setUserRole(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int) id: number,
    @Arg('role', () => Int) role: number,
  ): Promise<User> {
    return this.userService.setRole(actor, id, role);
  }

  @Access('admin')
  @Mutation(() => Boolean, { description: 'The name stays taken, the user can no longer do anything.' })
  async deleteUser(@Ctx() { actor }: GraphQLContext, @Arg('id', () => Int) id: number): Promise<boolean> {
    await this.userService.manage(actor, id, 'delete');
    return true;
  }

  @Access('admin')
  @Mutation(() => Boolean, { description: 'Removes a user for good; the name is free again.' })
  async removeUser(@Ctx() { actor }: GraphQLContext, @Arg('id', () => Int) id: number): Promise<boolean> {
    await this.userService.remove(actor, id);
    return true;
  }
}
