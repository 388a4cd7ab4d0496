import type { Queries } from '../../platform/db/queries.js';
import { holds, requireActor, type Actor, type MaybeActor, type UserStatus } from '../../shared/actor.js';
import { AppError, ForbiddenError, NotFoundError } from '../../shared/errors.js';
import { roleMay, type OrganisationAbility, type OrganisationRole } from '../../shared/organisation.js';

/** An organisation, and the caller's membership. */
export interface OrganisationAccess {
  readonly caller: Actor;
  readonly id: number;
  readonly name: string;
  readonly group: string;
  readonly status: UserStatus;
  /** Null for an admin who is no member. */
  readonly memberId: number | null;
  readonly role: OrganisationRole | null;
}

/**
 * Decides every operation on an organisation: its members may do what their role allows, admins of users what they may
 * do to users. For everyone else it does not exist.
 * @param asked the noun and id that the caller asked for, which the error names
 * @throws AppError NOT_FOUND, INSUFFICIENT_PRIVILEGES, USER_BANNED for changes by members of a banned organisation
 */
export async function accessTo(
  database: Queries,
  actor: MaybeActor,
  id: number,
  ability: OrganisationAbility,
  asked: { readonly noun: string; readonly id: number } = { noun: 'Organisation', id },
): Promise<OrganisationAccess> {
  const caller = requireActor(actor);
  const [row] = await seatsIn(database, caller, [id]);
  if (!row || (!row.role && !holds(caller, 'users.read'))) throw new NotFoundError(asked.noun, asked.id);
  const writes = ability.endsWith('.write');
  const isAdmin = holds(caller, writes ? 'users.write' : 'users.read');
  if (isAdmin) return { caller, ...row };
  if (!row.role || !roleMay(row.role, ability)) {
    throw new ForbiddenError('Your role in this organisation does not allow this');
  }
  if (writes && row.status !== 'enabled') throw new AppError('USER_BANNED', 'The organisation is banned');
  return { caller, ...row };
}

/** An organisation, and the caller's membership in it. */
type OrganisationSeat = Omit<OrganisationAccess, 'caller'>;

const seatsIn = (database: Queries, caller: Actor, ids: readonly number[]): Promise<OrganisationSeat[]> =>
  database.query(
    `SELECT o.id, o.username AS name, o."group", o.status, m.id AS "memberId", m.role FROM users o
       LEFT JOIN memberships m ON m.organisation_id = o.id AND m.user_id = $2 AND m.left_at IS NULL
      WHERE o.id = ANY ($1) AND o.kind = 'organisation' AND o.deleted_at IS NULL`,
    [ids, caller.id],
  ) as Promise<OrganisationSeat[]>;

/** Returns the given organisations that the caller may read, as `accessTo` decides, for relations. */
export async function readableAmong(
  database: Queries,
  caller: Actor,
  ids: readonly number[],
): Promise<OrganisationSeat[]> {
  const rows = await seatsIn(database, caller, ids);
  const isAdmin = holds(caller, 'users.read');
  return rows.filter(({ role }) => isAdmin || (role !== null && roleMay(role, 'organisation.read')));
}

/**
 * Returns the caller as a member who acts for an organisation, with the rights of the role there and no others.
 * @throws AppError NOT_FOUND for an organisation of which the caller is no member
 */
export async function actorInOrganisation(database: Queries, actor: Actor, id: number): Promise<Actor> {
  const [row] = await seatsIn(database, actor, [id]);
  if (!row?.memberId || !row.role) throw new NotFoundError('Organisation', id);
  const { memberId, role, name: username, status, group } = row;
  const { permissions: _ofPerson, ...person } = actor;
  return {
    ...person,
    id,
    username,
    status,
    group,
    role: 'common',
    membership: { id: memberId, userId: actor.id, username: actor.username, role },
  };
}
