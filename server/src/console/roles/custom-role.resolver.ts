import { Arg, Ctx, FieldResolver, Int, Query, Resolver, Root } from 'type-graphql';
import { Access, Cost } from '../../platform/graphql/access.js';
import { PermissionEnum } from '../../platform/graphql/enums.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { loadFor, loadOne } from '../../platform/graphql/loaders.js';
import { omitNullish } from '../../platform/graphql/nullable.js';
import { permissionsOf, requireRole } from '../../shared/actor.js';
import { isPermission, type Permission } from '../../shared/permission.js';
import type { CustomRole, User } from '../../billing/accounts/index.js';
import { UserObject } from '../users/user.object.js';
import {
  CreateCustomRoleInput,
  CustomRoleObject,
  GiveCustomRoleInput,
  PermissionInfoObject,
  permissionInfos,
  UpdateCustomRoleInput,
} from './custom-role.object.js';
import type { CustomRoleService } from './custom-role.service.js';
import { PayloadMutation } from '../../platform/graphql/payload.js';

@Resolver(() => CustomRoleObject)
export class CustomRoleResolver {
  constructor(private readonly service: CustomRoleService) {}

  @Access('root')
  @Query(() => [PermissionInfoObject], {
    name: 'permissions',
    description: 'Every permission that a custom role can have.',
  })
  permissionInfos(@Ctx() { actor }: GraphQLContext): readonly PermissionInfoObject[] {
    requireRole(actor, 'root');
    return permissionInfos;
  }

  @Access('root')
  @Query(() => [CustomRoleObject], { description: 'All custom roles, by name.' })
  customRoles(@Ctx() { actor }: GraphQLContext): Promise<CustomRole[]> {
    return this.service.list(actor);
  }

  /** Unknown names, which a newer version may have stored, are left out. */
  @FieldResolver(() => [PermissionEnum], { description: 'As chosen, without those that they imply.' })
  permissions(@Root() { permissions }: CustomRole): Permission[] {
    return permissions.filter(isPermission);
  }

  @Access('root')
  @Cost(1)
  @FieldResolver(() => Int, { nullable: true, description: 'Users who have it, without deactivated ones.' })
  async userCount(@Root() { id }: CustomRole, @Ctx() context: GraphQLContext): Promise<number> {
    const read = (ids: readonly number[]): Promise<Map<number, number>> => this.service.userCounts(context.actor, ids);
    return (await loadFor(context, this.service, { name: 'userCount' }, id, read)) ?? 0;
  }

  @Access('root')
  @PayloadMutation(
    {
      role: [() => CustomRoleObject, 'The new role, or that of the first call with the key.'],
      replayed: [() => Boolean, 'An earlier call with this key created the role.'],
    },
    'Creates a custom role. Safe to retry.',
  )
  createCustomRole(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => CreateCustomRoleInput, { description: 'Name and permissions.' })
    { idempotencyKey, ...fields }: CreateCustomRoleInput,
  ): Promise<{ role: CustomRole; replayed: boolean }> {
    return this.service.create(actor, fields, idempotencyKey);
  }

  @Access('root')
  @PayloadMutation(
    { role: [() => CustomRoleObject, 'The role after the change.'] },
    'Changes a custom role. Its users have the new rights at once.',
  )
  async updateCustomRole(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => UpdateCustomRoleInput, { description: 'What changes.' })
    { id, ...fields }: UpdateCustomRoleInput,
  ): Promise<{ role: CustomRole }> {
    return { role: await this.service.update(actor, id, omitNullish(fields)) };
  }

  @Access('root')
  @PayloadMutation({ id: [() => Int, 'The id of the deleted role.'] }, 'Deletes a custom role that no user has.')
  async deleteCustomRole(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int, { description: '`CustomRole.id`.' }) id: number,
  ): Promise<{ id: number }> {
    await this.service.delete(actor, id);
    return { id };
  }

  @Access('root')
  @PayloadMutation(
    { user: [() => UserObject, 'The user after the change.'] },
    'Gives a common user a custom role, or takes it back.',
  )
  async giveCustomRole(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => GiveCustomRoleInput, { description: 'The user and the role.' })
    { userId, customRoleId }: GiveCustomRoleInput,
  ): Promise<{ user: User }> {
    return { user: await this.service.give(actor, userId, customRoleId ?? null) };
  }
}

@Resolver(() => UserObject)
export class UserRoleRelations {
  constructor(private readonly service: CustomRoleService) {}

  @FieldResolver(() => CustomRoleObject, { nullable: true, description: 'Null: none.' })
  customRole(@Root() { customRoleId }: User, @Ctx() context: GraphQLContext): Promise<CustomRole | null> {
    return loadOne(context, this.service, customRoleId, 'ACCOUNT_READ');
  }

  @Cost(0)
  @FieldResolver(() => [PermissionEnum], {
    nullable: true,
    description: 'Everything that the caller may do beyond their own account. Null for other users.',
  })
  permissions(@Root() { id }: User, @Ctx() { actor }: GraphQLContext): Permission[] | null {
    return actor?.id === id ? permissionsOf(actor) : null;
  }
}
