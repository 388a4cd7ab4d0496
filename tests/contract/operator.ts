import type { Person, Site } from './site.js';

/** Returns the name of a permission in GraphQL documents: CHANNELS_READ for `channels.read`. */
export const enumName = (permission: string): string => permission.replace('.', '_').toUpperCase();

/** The id of a new custom role. */
export async function customRole(site: Site, root: Person, permissions: readonly string[]): Promise<number> {
  const name = `role ${Math.random().toString(36).slice(2)}`;
  const names = permissions.map(enumName).join(', ');
  const made = await site.graphql(
    root,
    `mutation { createCustomRole(input: { name: "${name}", permissions: [${names}] }) { role { id } } }`,
  );
  expect(made.codes).toEqual([]);
  return (made.data?.['createCustomRole'] as { role: { id: number } }).role.id;
}

/** Gives a user a custom role, or removes it if the role is null. */
export async function giveRole(site: Site, root: Person, userId: number, roleId: number | null): Promise<void> {
  const given = await site.graphql(
    root,
    `mutation { giveCustomRole(input: { userId: ${userId}, customRoleId: ${roleId} }) { user { customRole { id } } } }`,
  );
  expect(given.data).toEqual({ giveCustomRole: { user: { customRole: roleId && { id: roleId } } } });
}

/** A new common user whose custom role has these permissions. */
export async function operator(site: Site, root: Person, permissions: readonly string[]): Promise<Person> {
  const person = await site.invite(root);
  await giveRole(site, root, person.id, await customRole(site, root, permissions));
  return person;
}
