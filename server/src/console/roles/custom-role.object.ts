import { InputType, ObjectType } from 'type-graphql';
import { fields, inputFields, int, moment, nullable, of, text } from '../../platform/graphql/fields.js';
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
export class PermissionInfoObject extends fields({
  permission: of<Permission>(() => PermissionEnum, 'The permission, for `createCustomRole`.'),
  name: text('As the documentation and the audit log write it, such as `channels.read`.'),
  area: of<PermissionArea>(() => PermissionAreaEnum, 'The part of the administration that it belongs to.'),
  roles: of<Role[]>(() => [RoleEnum], 'The fixed roles that hold it.'),
  implies: of<Permission[]>(() => [PermissionEnum], 'Other permissions that are held with it.'),
}) {}

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
export class CustomRoleObject extends fields({
  id: int('Names the role in `giveCustomRole`.'),
  name: text('Unique among custom roles.'),
  createdAt: moment('When the role was created.'),
  updatedAt: moment('When the role was changed last.'),
}) {}

@InputType({ description: 'A new custom role.' })
export class CreateCustomRoleInput extends inputFields({
  name: text('1 to 64 characters, unique.'),
  permissions: of<Permission[]>(
    () => [PermissionEnum],
    'What its users may do. Permissions that these imply need not be listed.',
  ),
  idempotencyKey: text.orNull('A retry with the same key returns the same role.'),
}) {}

@InputType({ description: 'Changes of a custom role.' })
export class UpdateCustomRoleInput extends inputFields({
  id: int('`CustomRole.id`.'),
  name: text.orNull('Absent: unchanged.'),
  permissions: nullable<Permission[]>(() => [PermissionEnum], 'All of them. Absent: unchanged.'),
}) {}

@InputType({ description: 'A user, and the role that it gets.' })
export class GiveCustomRoleInput extends inputFields({
  userId: int('`User.id` of a common user.'),
  customRoleId: int.orNull('`CustomRole.id`. Absent or null takes the role back.'),
}) {}
