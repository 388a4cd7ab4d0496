import type { DataSource } from 'typeorm';
import { allowListOf } from '../../platform/outbound/allow-list.js';
import type { Actor, UserStatus } from '../../shared/actor.js';
import { AppError } from '../../shared/errors.js';
import { parseKey } from '../../shared/key-text.js';
import type { Membership } from '../../shared/organisation.js';
import type { Secrets } from '../../shared/secrets.js';
import type { Token } from '../../billing/accounts/index.js';
import { hasExpired } from './token-input.js';
import { hasLivingMember } from '../../billing/organisations/index.js';
import { missingScope, type TokenScope } from '../../shared/token-scopes.js';

/** An API key and its owner's balance, in the form for everyone who has the key. Amounts in quota. */
export interface HeldKey extends Readonly<
  Pick<
    Token,
    | ('id' | 'userId' | 'memberId' | 'name' | 'expiresAt' | 'modelLimitsEnabled' | 'modelLimits')
    | ('unlimitedQuota' | 'remainQuota' | 'usedQuota')
  >
> {
  readonly ownerRemaining: number;
  readonly ownerUsed: number;
}

type Amounts = 'remainQuota' | 'usedQuota' | 'ownerRemaining' | 'ownerUsed';

interface KeyState {
  readonly status: Token['status'];
  readonly ownerStatus: UserStatus;
  readonly ownerName: string;
  readonly ownerGroup: string;
  readonly allowIps: readonly string[];
  readonly scopes: readonly TokenScope[];
  readonly membership: Membership | null;
}

type Row = Omit<HeldKey, Amounts> & Record<Amounts, string> & KeyState;

/** Looks up API keys for callers who present them, without a signed-in user. */
export class KeyHolderService {
  constructor(
    private readonly database: Pick<DataSource, 'query'>,
    private readonly secrets: Secrets,
  ) {}

  /**
   * Also finds expired and exhausted keys: they may still read their usage.
   * @param presented `Bearer` and `sk-` may be missing; the part after a second dash pins a channel and is ignored
   * @param address of the caller: refused unless the key allows it, as for calls of models. Absent: not checked
   * @throws AppError MISSING_API_KEY, INVALID_API_KEY, TOKEN_DISABLED, USER_BANNED, IP_NOT_ALLOWED, KEY_SCOPE_MISSING
   */
  async find(presented: string, address?: string): Promise<HeldKey> {
    const { state: _, ...held } = await this.read(presented, 'usage', address);
    return held;
  }

  /**
   * Returns the owner of a key that may manage keys, with no other rights and without the texts of other keys.
   * @throws AppError like `find`, and TOKEN_EXPIRED, TOKEN_QUOTA_EXHAUSTED
   */
  async manager(presented: string, address: string): Promise<Actor> {
    const { id, userId, state, expiresAt } = await this.read(presented, 'keys', address);
    if (state.status === 'expired' || hasExpired({ expiresAt }, Date.now()))
      throw new AppError('TOKEN_EXPIRED', 'Token expired');
    if (state.status === 'exhausted') throw new AppError('TOKEN_QUOTA_EXHAUSTED', 'Token quota exhausted');
    return {
      id: userId,
      username: state.ownerName,
      group: state.ownerGroup,
      ip: address,
      role: 'common',
      status: state.ownerStatus,
      apiKeyId: id,
      isUnconfirmed: true,
      ...(state.membership ? { membership: state.membership } : {}),
    };
  }

  private async read(
    presented: string,
    scope: TokenScope,
    address: string | undefined,
  ): Promise<HeldKey & { state: KeyState }> {
    const key = bareKey(presented);
    if (key === '') throw new AppError('MISSING_API_KEY', 'No token provided');
    const [row] = await this.database.query<Row[]>(
      `SELECT t.id, t.user_id AS "userId", t.member_id AS "memberId", t.name, t.status, t.unlimited_quota AS "unlimitedQuota",
              t.remain_quota AS "remainQuota", t.used_quota AS "usedQuota", t.expires_at AS "expiresAt",
              t.model_limits_enabled AS "modelLimitsEnabled", t.model_limits AS "modelLimits", t.scopes,
              t.allow_ips AS "allowIps", u.status AS "ownerStatus", u.username AS "ownerName", u."group" AS "ownerGroup",
              ${membershipOfKey} AS membership,
              u.quota AS "ownerRemaining", u.used_quota AS "ownerUsed"
         FROM tokens t JOIN users u ON u.id = t.user_id
        WHERE (t.key_hash = $1 OR (t.previous_key_hash = $1 AND t.previous_key_until > now()))
          AND t.deleted_at IS NULL AND u.deleted_at IS NULL AND ${hasLivingMember('t')}`,
      [this.secrets.hash(key)],
    );
    if (!row) throw new AppError('INVALID_API_KEY', 'Invalid token');
    const { status, ownerStatus, ownerName, ownerGroup, allowIps, scopes, membership, ...held } = row;
    if (status === 'disabled') throw new AppError('TOKEN_DISABLED', 'Token is not available');
    if (ownerStatus !== 'enabled') throw new AppError('USER_BANNED', 'User is banned');
    if (address !== undefined && allowListOf(allowIps)?.allows(address) === false) {
      throw new AppError('IP_NOT_ALLOWED', "Your IP is not in the token's allow list");
    }
    if (!scopes.includes(scope)) throw missingScope(scope);
    return {
      ...held,
      remainQuota: Number(held.remainQuota),
      usedQuota: Number(held.usedQuota),
      ownerRemaining: Number(held.ownerRemaining),
      ownerUsed: Number(held.ownerUsed),
      state: { status, ownerStatus, ownerName, ownerGroup, allowIps, scopes, membership },
    };
  }
}

/**
 * SQL for the member and project of the key `t` of the account `u` has; null for keys of people. A member's
 * key manages the keys of that member. One of the organisation itself was made by an owner.
 */
const membershipOfKey = `CASE WHEN u.kind = 'organisation' THEN json_build_object('id', t.member_id,
    'userId', coalesce((SELECT m.user_id FROM memberships m WHERE m.id = t.member_id), u.id), 'username', u.username,
    'role', CASE WHEN t.member_id = 0 THEN 'owner' ELSE 'member' END) END`;

const bareKey = (presented: string): string => parseKey(presented.replace(/^Bearer\s*/i, '').trim()).key;
