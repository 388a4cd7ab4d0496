import type { OptionValues } from '../../options/option.service.js';
import type { HeldKey, KeyHolderService } from '../tokens/index.js';

export interface Billing {
  /** The limit in USD, or in quota if the site shows quota. */
  readonly limit: number;
  /** The used amount in hundredths of that unit. */
  readonly used: number;
  /** Null: never. */
  readonly accessUntil: Date | null;
}

export interface BillingDeps {
  readonly keys: KeyHolderService;
  readonly options: {
    readonly values: Pick<OptionValues, 'DisplayTokenStatEnabled' | 'DisplayInCurrencyEnabled' | 'QuotaPerUnit'>;
  };
}

/** The limit that clients of OpenAI read as "no limit". */
const noLimit = 100_000_000;

/**
 * The balance of an API key in the shape of OpenAI's billing
 * (docs/reference/rest/logs-and-usage.md#openai-style-billing).
 */
export class BillingService {
  constructor(private readonly deps: BillingDeps) {}

  /**
   * Returns the billing of a key. Expired and exhausted keys may still read their usage.
   * @throws AppError MISSING_API_KEY, INVALID_API_KEY, TOKEN_DISABLED, USER_BANNED
   */
  async read(presentedKey: string): Promise<Billing> {
    const key = await this.deps.keys.find(presentedKey);
    const { DisplayTokenStatEnabled, DisplayInCurrencyEnabled, QuotaPerUnit } = this.deps.options.values;
    const perUnit = DisplayInCurrencyEnabled ? QuotaPerUnit : 1;
    if (!DisplayTokenStatEnabled) {
      const limit = (key.ownerRemaining + key.ownerUsed) / perUnit;
      return { limit, used: (key.ownerUsed * 100) / perUnit, accessUntil: null };
    }
    const limit = key.unlimitedQuota ? noLimit : (key.remainQuota + key.usedQuota) / perUnit;
    return { limit, used: (key.usedQuota * 100) / perUnit, accessUntil: key.expiresAt };
  }

  /**
   * Returns the figures of a key in quota.
   * @throws like `read`
   */
  readKey(presentedKey: string): Promise<HeldKey> {
    return this.deps.keys.find(presentedKey);
  }
}
