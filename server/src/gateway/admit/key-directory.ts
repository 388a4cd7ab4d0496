import { hash, randomBytes } from 'node:crypto';
import type { Changes } from '../../platform/cache/changes.js';
import { Loader } from '../../platform/cache/loader.js';
import {
  budgetsOf,
  noBudgets,
  type KnownBudgetRow,
  toKnownBudgets,
  toKnownRates,
} from '../../billing/budgets/index.js';
import { hasLivingMember } from '../../billing/organisations/index.js';
import { type KnownPlan, type KnownPlanRow, plansOf, toKnownPlans } from '../../billing/plans/index.js';
import type { StoredSetting, Token, TokenRateLimit } from '../../billing/accounts/index.js';
import { allowListOf, type AllowList } from '../../platform/outbound/allow-list.js';
import type { Role, UserStatus } from '../../shared/actor.js';
import type { KnownBudget } from '../../shared/budget.js';
import { UnavailableError } from '../../shared/errors.js';
import { parseKey, type KeyParts } from '../../shared/key-text.js';
import type { Secrets } from '../../shared/secrets.js';
import type { Queries } from '../../platform/db/queries.js';

/** The fields of a token that the hot path needs. */
export interface KnownToken extends Readonly<
  Pick<
    Token,
    'id' | 'userId' | 'memberId' | 'name' | 'status' | 'unlimitedQuota' | 'group' | 'fallbackGroups' | 'fallbackModels'
  >
> {
  /**
   * Null: never. For the previous key text of a rotation: the end of the overlap, unless the key expires earlier, so
   * that a call compares one time in both cases.
   */
  readonly expiresAt: Date | null;
  /** The quota at the last read, minus the charges of this node since. Only the ledger decides what can be spent. */
  remainQuota: number;
  /** The only models that it can call. Null: all. */
  readonly modelLimits: ReadonlySet<string> | null;
  /** Null: all addresses. */
  readonly allowList: AllowList | null;
  /** The key has the scope `relay`. */
  readonly canRelay: boolean;
  /** The client address of the key's last call on this node since the key was read; '' before the first (`KeyUses`). */
  address: string;
  /** The key's own call limits; null when it has none. */
  readonly rateLimit: Omit<TokenRateLimit, 'enabled'> | null;
  /** The budgets of the key, of its member and of its project. */
  readonly budgets: readonly KnownBudget[];
  /** Limits per minute. */
  readonly rates: readonly KnownBudget[];
}

/** Returns the token of a user who calls without a key. It has no limits of its own. */
export const keylessToken = (userId: number, name: string, group: string): KnownToken => ({
  id: 0,
  userId,
  memberId: 0,
  name,
  status: 'enabled',
  expiresAt: null,
  unlimitedQuota: true,
  remainQuota: 0,
  modelLimits: null,
  allowList: null,
  canRelay: true,
  address: '',
  group,
  fallbackGroups: [],
  fallbackModels: [],
  rateLimit: null,
  budgets: noBudgets,
  rates: noBudgets,
});

/** The fields of a user that the hot path needs. */
export interface KnownUser {
  readonly id: number;
  readonly username: string;
  readonly role: Role;
  readonly status: UserStatus;
  readonly group: string;
  /** The user's setting `acceptUnsetModelRatioModel`. */
  readonly acceptsUnpriced: boolean;
  /** The user's setting `recordIpLog`: log rows of calls have the client's address. */
  readonly recordsAddress: boolean;
  /** The user's setting `quotaWarningThreshold`. Null: the option QuotaRemindThreshold applies. */
  readonly warnsBelow: number | null;
  readonly budgets: readonly KnownBudget[];
  /** Limits per minute. */
  readonly rates: readonly KnownBudget[];
  /** Running plans, in the order in which they pay. */
  readonly plans: readonly KnownPlan[];
  /** The balance at the last read or charge on this node. Only the ledger decides what can be spent. */
  quota: number;
}

const maxKept = 1000;
/** Characters. Longer texts are not keys of this site. */
const maxKeptKey = 100;

/** Returns what was derived from a key, or derives and keeps it. A full map is cleared. */
function keptIn<Derived>(kept: Map<string, Derived>, key: string, derive: () => Derived): Derived {
  let derived = kept.get(key);
  if (derived === undefined) {
    derived = derive();
    if (kept.size >= maxKept) kept.clear();
    if (key.length <= maxKeptKey) kept.set(key, derived);
  }
  return derived;
}

/** Maximum number of cached keys and of cached users, and how long they are cached. */
const cacheLimits = { max: 100_000, lifetimeSeconds: 60 };

const tokenSql = `SELECT id, user_id AS "userId", member_id AS "memberId", name, status, unlimited_quota AS "unlimitedQuota",
    remain_quota AS "remainQuota", CASE WHEN model_limits_enabled THEN model_limits END AS "modelLimits",
    allow_ips AS "allowIps", "group", fallback_groups AS "fallbackGroups", fallback_models AS "fallbackModels",
    CASE WHEN rate_limit_enabled THEN json_build_object('periodSeconds', rate_limit_period, 'calls', rate_limit_calls,
      'successes', rate_limit_successes) END AS "rateLimit", 'relay' = ANY (scopes) AS "canRelay",
    CASE WHEN key_hash = $1 THEN expires_at ELSE least(expires_at, previous_key_until) END AS "expiresAt",
    ${budgetsOf({ token: 'tokens.id', member: 'tokens.member_id', project: 'tokens.project_id' })}
  FROM tokens WHERE (key_hash = $1 OR (previous_key_hash = $1 AND previous_key_until > now()))
    AND deleted_at IS NULL AND ${hasLivingMember('tokens')}`;
const userSql = `SELECT id, username, role, status, "group", setting, quota,
    ${budgetsOf({ user: 'users.id' })}, ${plansOf('users.id')}
  FROM users WHERE id = $1 AND deleted_at IS NULL`;

type BudgetFields = 'budgets' | 'rates';
interface TokenRow extends Omit<KnownToken, 'remainQuota' | 'modelLimits' | 'allowList' | 'address' | BudgetFields> {
  readonly remainQuota: string;
  readonly modelLimits: readonly string[] | null;
  readonly allowIps: readonly string[];
  readonly budgets: readonly KnownBudgetRow[] | null;
}
interface UserRow extends Omit<
  KnownUser,
  'acceptsUnpriced' | 'recordsAddress' | 'warnsBelow' | 'quota' | 'plans' | BudgetFields
> {
  readonly plans: readonly KnownPlanRow[] | null;
  readonly setting: StoredSetting;
  readonly quota: string;
  readonly budgets: readonly KnownBudgetRow[] | null;
}

/**
 * Caches tokens by a hash of their key and users by id for a short time. Concurrent lookups share one read, and
 * announced changes drop the entry. An empty cache only costs reads; only the database decides that a key is unknown.
 */
export class KeyDirectory {
  private readonly tokens: Loader<string, KnownToken>;
  private readonly users: Loader<number, KnownUser>;
  /** Random per process, so that a cache key is meaningless elsewhere. */
  private readonly salt = randomBytes(32).toString('base64');
  /** Keys that are being read, by cache key. */
  private readonly asked = new Map<string, string>();
  /** Digests of keys that were used lately. Computing a digest costs more than all other look-ups of a call. */
  private readonly digests = new Map<string, string>();
  /** The parts of keys that were presented lately. */
  private readonly presented = new Map<string, KeyParts>();

  constructor(
    private readonly database: Queries,
    private readonly secrets: Secrets,
  ) {
    this.tokens = new Loader({
      ...cacheLimits,
      load: (cacheKey) => this.readToken(this.asked.get(cacheKey) ?? ''),
    });
    this.users = new Loader({ ...cacheLimits, load: (id) => this.readUser(id) });
  }

  /** Drops cached tokens and users when their change is announced. */
  follow(changes: Changes): void {
    changes.on('token', ({ id }) =>
      id === undefined ? this.tokens.clear() : this.tokens.dropWhere((token) => token.id === id),
    );
    changes.on('user', ({ id }) => (typeof id === 'number' ? this.users.drop(id) : this.users.clear()));
  }

  /** Returns the parts of a presented text. */
  parts(presented: string): KeyParts {
    return keptIn(this.presented, presented, () => parseKey(presented));
  }

  /**
   * @returns null when no such key exists
   * @throws UnavailableError when the database does not respond
   */
  token(key: string): KnownToken | null | Promise<KnownToken | null> {
    const cacheKey = this.cacheKeyOf(key);
    // Cached values are returned without a promise.
    const held = this.tokens.peek(cacheKey);
    if (held !== undefined) return held;
    this.asked.set(cacheKey, key);
    return this.tokens.get(cacheKey).finally(() => this.asked.delete(cacheKey));
  }

  /**
   * @returns null when the user was deleted
   * @throws UnavailableError
   */
  user(id: number): KnownUser | null | Promise<KnownUser | null> {
    const held = this.users.peek(id);
    return held === undefined ? this.users.get(id) : held;
  }

  /**
   * Whether a user has a balance. A cached copy without one is read again, because it may be older than a top-up.
   * @throws UnavailableError
   */
  hasBalance(user: KnownUser): boolean | Promise<boolean> {
    return this.isNow(user, ({ quota }) => quota > 0);
  }

  /**
   * Whether a user has a balance or a plan with a price. A free plan pays for calls as well, but every user can have one.
   * @throws UnavailableError
   */
  hasPaid(user: KnownUser): boolean | Promise<boolean> {
    return this.isNow(user, ({ quota, plans }) => quota > 0 || plans.some(({ price }) => price > 0));
  }

  private isNow(user: KnownUser, condition: (user: KnownUser) => boolean): boolean | Promise<boolean> {
    if (condition(user)) return true;
    this.users.drop(user.id);
    return this.users.get(user.id).then((read) => read !== null && condition(read));
  }

  /** Makes the next call read the token again: its balance ran low, or the copy may be outdated. */
  forget(key: string): void {
    this.tokens.drop(this.cacheKeyOf(key));
  }

  /**
   * Deducts a charge from the cached copy between two reads; when it reaches zero, the next call reads the token again.
   */
  spent(token: KnownToken, quota: number): void {
    if (!token.unlimitedQuota) token.remainQuota -= quota;
  }

  /** Stores that a key has expired, unless it was edited meanwhile. */
  async markExpired(token: KnownToken): Promise<void> {
    await this.mark(
      `UPDATE tokens SET status = 'expired'
       WHERE id = $1 AND status = 'enabled' AND expires_at = $2`,
      [token.id, token.expiresAt],
    );
  }

  /**
   * Stores that a key is exhausted, unless it was topped up or edited meanwhile or calls in flight have reservations on
   * it. Such calls release what they do not use, and one call can reserve a small quota completely.
   */
  async markExhausted(token: KnownToken, now: Date): Promise<void> {
    await this.mark(
      `UPDATE tokens SET status = 'exhausted', last_used_at = greatest(last_used_at, $2)
       WHERE id = $1 AND status = 'enabled' AND NOT unlimited_quota AND remain_quota <= 0
         AND NOT EXISTS (SELECT FROM reservations WHERE token_id = $1 AND amount > 0 AND swept_at IS NULL)`,
      [token.id, now],
    );
  }

  /**
   * Returns the cache key of a token: a salted digest of its key, many times cheaper than the digest in the database.
   */
  private cacheKeyOf(key: string): string {
    return keptIn(this.digests, key, () => hash('sha256', this.salt + key, 'base64'));
  }

  private async mark(sql: string, parameters: unknown[]): Promise<void> {
    // The call is refused whether or not this write succeeds.
    await this.database.query(sql, parameters).catch(() => undefined);
  }

  private async readToken(key: string): Promise<KnownToken | null> {
    const [row] = await this.rows<TokenRow>(tokenSql, [this.secrets.hash(key)]);
    if (!row) return null;
    const { remainQuota, modelLimits, allowIps, budgets, ...token } = row;
    return {
      ...token,
      remainQuota: Number(remainQuota),
      modelLimits: modelLimits && new Set(modelLimits),
      allowList: allowListOf(allowIps),
      address: '',
      budgets: toKnownBudgets(budgets),
      rates: toKnownRates(budgets),
    };
  }

  private async readUser(id: number): Promise<KnownUser | null> {
    const [row] = await this.rows<UserRow>(userSql, [id]);
    if (!row) return null;
    const { setting, quota, budgets, plans, ...user } = row;
    return {
      ...user,
      acceptsUnpriced: setting.acceptUnsetModelRatioModel === true,
      recordsAddress: setting.recordIpLog === true,
      warnsBelow: setting.quotaWarningThreshold ?? null,
      budgets: toKnownBudgets(budgets),
      rates: toKnownRates(budgets),
      plans: toKnownPlans(plans),
      quota: Number(quota),
    };
  }

  private async rows<Row>(sql: string, parameters: unknown[]): Promise<Row[]> {
    try {
      return (await this.database.query(sql, parameters)) as Row[];
    } catch (error) {
      throw new UnavailableError('The database is unavailable. Try again shortly.', { cause: error });
    }
  }
}

/**
 * Whether a balance is so low that its user wants to be warned.
 * @param usual the option QuotaRemindThreshold
 */
export const isLow = ({ warnsBelow }: KnownUser, left: number, usual: number): boolean => left < (warnsBelow ?? usual);
