import { randomBytes } from 'node:crypto';
import { type FindOptionsWhere, IsNull, MoreThan, type Repository } from 'typeorm';
import { lockMembership } from '../../billing/organisations/index.js';
import type { SharedState } from '../../platform/cache/shared-state.js';
import { invitationLetter } from '../../platform/mail/letters.js';
import type { Mailer } from '../../platform/mail/mailer.js';
import type { OptionValues } from '../../options/option.service.js';
import { requireActor, type MaybeActor } from '../../shared/actor.js';
import type { AuditLog } from '../../shared/audit.js';
import type { Clock } from '../../shared/clock.js';
import { AppError, ConflictError, InvalidInputError, NotFoundError } from '../../shared/errors.js';
import type { OrganisationRole } from '../../shared/organisation.js';
import type { Secrets } from '../../shared/secrets.js';
import { siteAddress } from '../../shared/site-address.js';
import { emailRule, parsed } from '../users/index.js';
import { Invitation, User } from '../../billing/accounts/index.js';
import { assertRole, lockJoins, type MemberService } from './member.service.js';
import { accessTo } from './organisation-access.js';

export interface InvitationDeps {
  readonly invitations: Repository<Invitation>;
  readonly members: Pick<MemberService, 'join'>;
  readonly secrets: Pick<Secrets, 'hash'>;
  readonly state: Pick<SharedState, 'hit'>;
  readonly mailer: Pick<Mailer, 'send'>;
  readonly options: { readonly values: Pick<OptionValues, 'ServerAddress' | 'SystemName'> };
  readonly auditLog: AuditLog;
  readonly clock: Clock;
}

export interface NewInvitation {
  readonly role: OrganisationRole;
  /** Where the link is sent. Empty: it is only shown. */
  readonly email: string;
  /** Days until it expires. */
  readonly days: number;
}

/** The part of an invitation that is shown to the person who opens the link. */
export interface InvitationPreview {
  readonly organisationId: number;
  readonly organisationName: string;
  readonly role: OrganisationRole;
  readonly expiresAt: Date;
  readonly isMember: boolean;
}

const maxDays = 30;
/** Maximum number of invitations that are open at a time. */
const maxOpen = 200;
/** Maximum number of invitations that one person mails in a day, for all organisations together. */
const maxMailsPerDay = 30;
const dayMilliseconds = 86_400_000;

/** Invitations to organisations, by a link that works once. Only its keyed hash is stored. */
export class InvitationService {
  constructor(private readonly deps: InvitationDeps) {}

  /**
   * Lists the invitations that can still be accepted, newest first.
   * @throws AppError NOT_FOUND, INSUFFICIENT_PRIVILEGES
   */
  async list(actor: MaybeActor, organisationId: number): Promise<Invitation[]> {
    await accessTo(this.deps.invitations.manager, actor, organisationId, 'members.read');
    return this.deps.invitations.find({ where: this.open(organisationId), order: { id: 'DESC' } });
  }

  /**
   * @returns the invitation and its link, which no later response contains
   * @throws AppError NOT_FOUND, INVALID_INPUT, INSUFFICIENT_PRIVILEGES, CONFLICT for too many, RATE_LIMITED for too many
   * mails; an error of the mail server when the mail could not be sent, and the invitation is revoked then
   */
  async create(
    actor: MaybeActor,
    organisationId: number,
    { role, email: given, days }: NewInvitation,
  ): Promise<{ invitation: Invitation; link: string }> {
    const { manager: database } = this.deps.invitations;
    const { caller, name, memberId } = await accessTo(database, actor, organisationId, 'members.write');
    assertRole(role);
    const email = parsed(emailRule, given);
    if (!Number.isInteger(days) || days < 1 || days > maxDays) {
      throw new InvalidInputError(`An invitation is valid for 1 to ${maxDays} days`, 'days');
    }
    if (email !== '') await this.limitMails(caller.id);
    const token = randomBytes(32).toString('base64url');
    const { ServerAddress, SystemName } = this.deps.options.values;
    const link = `${siteAddress(ServerAddress)}/invitation/${token}`;
    const expiresAt = new Date(this.deps.clock.now() + days * dayMilliseconds);
    const id = await database.transaction(async (manager) => {
      await lockJoins(manager, organisationId);
      // An owner who is removed meanwhile must leave no invitation behind.
      if (memberId !== null) await lockMembership(manager, memberId);
      await accessTo(manager, actor, organisationId, 'members.write');
      if ((await manager.countBy(Invitation, this.open(organisationId))) >= maxOpen) {
        throw new ConflictError(`An organisation can have at most ${maxOpen} open invitations`);
      }
      const { identifiers } = await manager.insert(Invitation, {
        organisationId,
        role,
        email,
        expiresAt,
        createdBy: caller.id,
        tokenHash: this.deps.secrets.hash(token),
      });
      const created = (identifiers[0] as { id: number }).id;
      const after = { invitationId: created, role, email };
      const change = { action: 'invite', subject: 'organisation', id: organisationId, before: null, after } as const;
      await this.deps.auditLog.write(manager, caller, change);
      return created;
    });
    // The invitation is sent after the commit: a slow mail server must not hold a connection of the database.
    if (email !== '') {
      try {
        await this.deps.mailer.send({ to: email, ...invitationLetter(SystemName, name, link) });
      } catch (error) {
        await this.deps.invitations.update({ id }, { revokedAt: new Date(this.deps.clock.now()) });
        throw error;
      }
    }
    return { invitation: await this.deps.invitations.findOneByOrFail({ id }), link };
  }

  /**
   * Revokes an invitation: its link stops working.
   * @throws AppError NOT_FOUND, also for invitations that were accepted; INSUFFICIENT_PRIVILEGES
   */
  async revoke(actor: MaybeActor, id: number): Promise<void> {
    requireActor(actor);
    const { manager: database } = this.deps.invitations;
    const invitation = await this.deps.invitations.findOneBy({ id });
    if (!invitation) throw new NotFoundError('Invitation', id);
    const { organisationId, role } = invitation;
    const { caller } = await accessTo(database, actor, organisationId, 'members.write', { noun: 'Invitation', id });
    await database.transaction(async (manager) => {
      const open = { id, acceptedAt: IsNull(), revokedAt: IsNull() };
      const { affected } = await manager.update(Invitation, open, { revokedAt: new Date(this.deps.clock.now()) });
      if (!affected) throw new NotFoundError('Invitation', id);
      const before = { invitationId: id, role };
      const change = {
        action: 'revokeInvitation',
        subject: 'organisation',
        id: organisationId,
        before,
        after: null,
      } as const;
      await this.deps.auditLog.write(manager, caller, change);
    });
  }

  /**
   * Returns what a link invites to.
   * @throws AppError NOT_FOUND for a link that is unknown, expired, revoked or used
   */
  async preview(actor: MaybeActor, token: string): Promise<InvitationPreview> {
    const { id } = requireActor(actor);
    const [row] = await this.deps.invitations.query<InvitationPreview[]>(
      `SELECT i.organisation_id AS "organisationId", o.username AS "organisationName", i.role, i.expires_at AS "expiresAt",
              EXISTS (SELECT FROM memberships m WHERE m.organisation_id = o.id AND m.user_id = $3 AND m.left_at IS NULL)
                AS "isMember"
         FROM invitations i JOIN users o ON o.id = i.organisation_id
        WHERE i.token_hash = $1 AND i.expires_at > $2 AND i.accepted_at IS NULL AND i.revoked_at IS NULL
          AND o.deleted_at IS NULL`,
      [this.deps.secrets.hash(token), new Date(this.deps.clock.now()), id],
    );
    if (!row) throw gone();
    return row;
  }

  /**
   * Accepts an invitation: the caller becomes a member, and the link stops working.
   * @returns the organisation's id
   * @throws AppError NOT_FOUND like `preview`; CONFLICT for a member
   */
  async accept(actor: MaybeActor, token: string): Promise<number> {
    const caller = requireActor(actor);
    return this.deps.invitations.manager.transaction(async (manager) => {
      const invitation = await manager.findOne(Invitation, {
        where: { tokenHash: this.deps.secrets.hash(token) },
        lock: { mode: 'for_no_key_update' },
      });
      const now = new Date(this.deps.clock.now());
      const isOpen = invitation && !invitation.acceptedAt && !invitation.revokedAt && invitation.expiresAt > now;
      if (!isOpen) throw gone();
      const { organisationId, role } = invitation;
      if (!(await manager.existsBy(User, { id: organisationId }))) throw gone();
      await this.deps.members.join(manager, caller, { organisationId, userId: caller.id, role });
      await manager.update(Invitation, { id: invitation.id }, { acceptedAt: now, acceptedBy: caller.id });
      return organisationId;
    });
  }

  /** Mails go to any address, with the name of the organisation: they must not serve to send spam. */
  private async limitMails(personId: number): Promise<void> {
    const name = `invitation-mail:${personId}`;
    const { allowed, retryAfterSeconds } = await this.deps.state.hit(name, maxMailsPerDay, 86_400);
    if (!allowed) throw new AppError('RATE_LIMITED', 'Too many invitations by mail today', { retryAfterSeconds });
  }

  private open(organisationId: number): FindOptionsWhere<Invitation> {
    const expiresAt = MoreThan(new Date(this.deps.clock.now()));
    return { organisationId, acceptedAt: IsNull(), revokedAt: IsNull(), expiresAt };
  }
}

const gone = (): AppError =>
  new AppError('NOT_FOUND', 'This invitation does not exist, was used, revoked, or has expired');
