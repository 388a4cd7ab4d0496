/** Whether an account is a person, who signs in, or an organisation, for which its members act. */
export const accountKinds = ['person', 'organisation'] as const;
export type AccountKind = (typeof accountKinds)[number];

/** Roles within an organisation, in the order in which lists sort them. */
export const organisationRoles = ['owner', 'billing', 'member'] as const;
export type OrganisationRole = (typeof organisationRoles)[number];

/**
 * What members may do, by role. Only this table decides it: operations on the organisation itself and
 * operations on its account (`Actor.membership`) read the same table.
 */
const abilities = {
  /** Read the name, the own role, the groups and models, and the projects of the organisation. */
  'organisation.read': ['owner', 'billing', 'member'],
  /** Rename and delete the organisation. */
  'organisation.write': ['owner'],
  /** Members and invitations. */
  'members.read': ['owner', 'billing'],
  'members.write': ['owner'],
  'projects.write': ['owner', 'billing'],
  /** The member's own keys, with their calls and usage. */
  'keys.own': ['owner', 'billing', 'member'],
  /** Keys of all members and those of the organisation itself. */
  'keys.all': ['owner'],
  /** Log rows of all keys. */
  'calls.all': ['owner'],
  /** Usage of all keys. */
  'usage.all': ['owner', 'billing'],
  /** Balance, top-ups, orders, statements and notices. */
  wallet: ['owner', 'billing'],
  /** Budgets of members and projects. */
  'budgets.write': ['owner', 'billing'],
} as const satisfies Record<string, readonly OrganisationRole[]>;

export type OrganisationAbility = keyof typeof abilities;

/** The caller's membership in the organisation for which they act. */
export interface Membership {
  /** Id of the membership. 0 for a key of the organisation itself. */
  readonly id: number;
  /** The person. */
  readonly userId: number;
  readonly username: string;
  readonly role: OrganisationRole;
}

export const roleMay = (role: OrganisationRole, ability: OrganisationAbility): boolean =>
  (abilities[ability] as readonly OrganisationRole[]).includes(role);
