import { registerEnumType } from 'type-graphql';
import { permissions, type Permission } from '../../shared/permission.js';
import { permissionTexts } from './permission-texts.js';
import { calendarPeriods, type CalendarPeriod } from '../../shared/time-range.js';

/**
 * A GraphQL enum whose values are those of services and tables: `enumType('UserStatus', { ENABLED: 'enabled' })`.
 * Pass the result to `@Field(() => UserStatusEnum)`; the property keeps the stored type.
 * @param descriptions of the values, by name
 */
export function enumType<const Values extends Record<string, string | number>>(
  name: string,
  values: Values,
  description: string,
  descriptions: { readonly [Value in keyof Values]: string },
): Values {
  const valuesConfig = Object.fromEntries(
    Object.entries(descriptions).map(([value, text]) => [value, { description: text }]),
  ) as { [Value in keyof Values]?: { description: string } };
  registerEnumType(values, { name, description, valuesConfig });
  return values;
}

/** Returns an enum of values that are stored under their own name. */
export const namesOf = <Name extends string>(names: readonly Name[]): { readonly [Key in Name]: Key } =>
  Object.fromEntries(names.map((name) => [name, name])) as { readonly [Key in Name]: Key };

export const RoleEnum = enumType(
  'Role',
  { GUEST: 'guest', COMMON: 'common', ADMIN: 'admin', ROOT: 'root' },
  'Permissions of a user. Each role includes the previous ones.',
  {
    GUEST: 'Cannot sign in. No new user gets this role.',
    COMMON: 'Calls models and manages the own account. A custom role can add permissions.',
    ADMIN: 'Administers the site: the permissions that `PermissionInfo.roles` lists for it.',
    ROOT: 'May do everything, also what has no permission: roles, sign-in, mail and the import.',
  },
);

/** Returns the GraphQL name of a permission: `channels.read` becomes CHANNELS_READ. */
export const permissionName = (permission: Permission): string => permission.replace('.', '_').toUpperCase();

export const PermissionEnum: Readonly<Record<string, Permission>> = enumType(
  'Permission',
  Object.fromEntries(permissions.map((one) => [permissionName(one), one])),
  'A named right. A custom role is a bundle of them; admins and root hold them by their role (docs/guide/users.md).',
  Object.fromEntries(permissions.map((one) => [permissionName(one), permissionTexts[one]])),
);

export const DirectionEnum = enumType('Direction', { ASC: 'ASC', DESC: 'DESC' }, 'The direction of an order.', {
  ASC: 'The smallest, the oldest or the first of the alphabet comes first.',
  DESC: 'The largest, the newest or the last of the alphabet comes first.',
});

export const CalendarPeriodEnum: { readonly [Name in CalendarPeriod]: Name } = enumType(
  'CalendarPeriod',
  namesOf(calendarPeriods),
  'A period relative to now. Whole days in the time zone; weeks begin on Monday.',
  {
    TODAY: 'The current day.',
    YESTERDAY: 'The day before today.',
    THIS_WEEK: 'The current week.',
    LAST_WEEK: 'The week before the current one.',
    THIS_MONTH: 'The current month.',
    LAST_MONTH: 'The month before the current one.',
    LAST_7_DAYS: 'Today and the 6 days before.',
    LAST_30_DAYS: 'Today and the 29 days before.',
    NEXT_7_DAYS: 'Today and the 6 days after.',
    NEXT_30_DAYS: 'Today and the 29 days after.',
  },
);
