import { Field, InputType, Int, ObjectType } from 'type-graphql';
import { inputFields, int } from '../../platform/graphql/fields.js';
import { enumType, PermissionEnum, RoleEnum } from '../../platform/graphql/enums.js';
import type { Role } from '../../shared/actor.js';
import { entryOf, permissions, withImplied, type Permission, type PermissionArea } from '../../shared/permission.js';

const PermissionAreaEnum = enumType(
  'PermissionArea',
  { CHANNELS: 'channels', USERS: 'users', MONEY: 'money', LOGS: 'logs', SITE: 'site' } satisfies Record<
    string,
    PermissionArea
  >,
  'The part of the administration that a permission belongs to.',
  {
    CHANNELS: 'Channels and their keys.',
    USERS: 'Users, their quota and budgets.',
    MONEY: 'Prices, payments and codes.',
    LOGS: 'Log rows, tasks and usage.',
    SITE: 'Settings, alerts and the audit log.',
  },
);

@ObjectType('PermissionInfo', { description: 'A permission that a custom role can have.' })
export class PermissionInfoObject {
  @Field(() => PermissionEnum, { description: 'The permission, for `createCustomRole`.' })
  permission: Permission;

  @Field(() => String, { description: 'As the documentation and the audit log write it, such as `channels.read`.' })
  name: string;

  @Field(() => PermissionAreaEnum, { description: 'The part of the administration that it belongs to.' })
  area: PermissionArea;

  @Field(() => [RoleEnum], { description: 'The fixed roles that hold it.' })
  roles: Role[];

  @Field(() => [PermissionEnum], { description: 'Other permissions that are held with it.' })
  implies: Permission[];
}

export const permissionInfos: readonly PermissionInfoObject[] = permissions.map((name) => {
  const { area, least } = entryOf(name);
  return {
    permission: name,
    name,
    area,
    roles: least === 'admin' ? ['admin', 'root'] : ['root'],
    implies: withImplied([name]).filter((one) => one !== name),
  };
});

@ObjectType('CustomRole', { description: 'A bundle of permissions that root gives to common users.' })
export class CustomRoleObject {
  @Field(() => Int, { description: 'Names the role in `giveCustomRole`.' })
  id: number;

  @Field(() => String, { description: 'Unique among custom roles.' })
  name: string;

  @Field(() => Date, { description: 'When the role was created.' })
  createdAt: Date;

  @Field(() => Date, { description: 'When the role was changed last.' })
  updatedAt: Date;
}

@InputType({ description: 'A new custom role.' })
export class CreateCustomRoleInput {
  @Field(() => String, { description: '1 to 64 characters, unique.' })
  name: string;

  @Field(() => [PermissionEnum], {
    description: 'What its users may do. Permissions that these imply need not be listed.',
  })
  permissions: Permission[];

  @Field(() => String, { nullable: true, description: 'A retry with the same key returns the same role.' })
  idempotencyKey?: string | null;
}

@InputType({ description: 'Changes of a custom role.' })
export class UpdateCustomRoleInput {
  @Field(() => Int, { description: '`CustomRole.id`.' })
  id: number;

  @Field(() => String, { nullable: true, description: 'Absent: unchanged.' })
  name?: string | null;

  @Field(() => [PermissionEnum], { nullable: true, description: 'All of them. Absent: unchanged.' })
  permissions?: Permission[] | null;
}

@InputType({ description: 'A user, and the role that it gets.' })
export class GiveCustomRoleInput extends inputFields({
  userId: int('`User.id` of a common user.'),
  customRoleId: int.orNull('`CustomRole.id`. Absent or null takes the role back.'),
}) {}
