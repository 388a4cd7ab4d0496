import type { DataSource } from 'typeorm';
import { UserStatus } from '../../shared/actor.js';
import { AppError } from '../../shared/errors.js';
import type { Secrets } from '../../shared/secrets.js';
import type { OptionValues } from '../options/option.service.js';
import { TokenStatus } from '../tokens/token.entity.js';

export interface Billing {
  /** In USD, or quota if the site shows quota. */
  readonly limit: number;
  /** The same in hundredths. */
  readonly used: number;
  /** Unix seconds, 0 never. */
  readonly accessUntil: number;
}

export interface BillingDeps {
  readonly database: Pick<DataSource, 'query'>;
  readonly secrets: Secrets;
  readonly options: {
    readonly values: Pick<OptionValues, 'DisplayTokenStatEnabled' | 'DisplayInCurrencyEnabled' | 'QuotaPerUnit'>;
  };
}

interface Row {
  readonly status: number;
  readonly unlimited: boolean;
  readonly remaining: string;
  readonly used: string;
  readonly expires: string;
  readonly ownerStatus: number;
  readonly ownerQuota: string;
  readonly ownerUsed: string;
}

/** Clients of OpenAI read this as "no limit". */
const noLimit = 100_000_000;

/**
 * The balance of an API key in the shape of OpenAI's billing
 * (docs/reference/rest/logs-and-usage.md#openai-style-billing).
 */
export class BillingService {
  constructor(private readonly deps: BillingDeps) {}

  /**
   * Expired and exhausted keys may still read their usage.
   * @param key without `sk-`
   * @throws AppError MISSING_API_KEY, INVALID_API_KEY, TOKEN_DISABLED, USER_BANNED
   */
  async read(key: string): Promise<Billing> {
    const row = await this.find(key);
    const { DisplayTokenStatEnabled, DisplayInCurrencyEnabled, QuotaPerUnit } = this.deps.options.values;
    const perUnit = DisplayInCurrencyEnabled ? QuotaPerUnit : 1;
    if (!DisplayTokenStatEnabled) {
      const used = Number(row.ownerUsed);
      const limit = (Number(row.ownerQuota) + used) / perUnit;
      return { limit, used: (used * 100) / perUnit, accessUntil: 0 };
    }
    const used = Number(row.used);
    const limit = row.unlimited ? noLimit : (Number(row.remaining) + used) / perUnit;
    return { limit, used: (used * 100) / perUnit, accessUntil: Math.max(0, Number(row.expires)) };
  }

  private async find(key: string): Promise<Row> {
    if (key === '') throw new AppError('MISSING_API_KEY', 'No token provided');
    const [row] = await this.deps.database.query<Row[]>(
      `SELECT t.status, t.unlimited_quota AS unlimited, t.remain_quota AS remaining, t.used_quota AS used,
              t.expired_time AS expires, u.status AS "ownerStatus", u.quota AS "ownerQuota", u.used_quota AS "ownerUsed"
         FROM tokens t JOIN users u ON u.id = t.user_id
        WHERE t.key_hash = $1 AND t.deleted_at IS NULL AND u.deleted_at IS NULL`,
      [this.deps.secrets.hash(key)],
    );
    if (!row) throw new AppError('INVALID_API_KEY', 'Invalid token');
    if (row.status === TokenStatus.disabled) throw new AppError('TOKEN_DISABLED', 'Token is not available');
    if (row.ownerStatus !== UserStatus.enabled) throw new AppError('USER_BANNED', 'User is banned');
    return row;
  }
}
