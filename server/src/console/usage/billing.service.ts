import type { DataSource } from 'typeorm';
import type { OptionValues } from '../../options/option.service.js';
import { dateOf, millisecondsIn, unixSecond, type Clock } from '../../shared/clock.js';
import { AppError } from '../../shared/errors.js';
import { parseFields } from '../../shared/json.js';
import { LogType } from '../../shared/log-type.js';
import type { HeldKey, KeyHolderService } from '../tokens/index.js';

export interface Billing {
  /** The limit in USD, or in quota if the site shows quota. */
  readonly limit: number;
  /** The used amount in hundredths of that unit. */
  readonly used: number;
  /** Null: never. */
  readonly accessUntil: Date | null;
}

/** Usage of a key in USD. */
export interface KeySpend {
  readonly name: string;
  /** Null: the key has no limit of its own. */
  readonly limit: number | null;
  readonly used: number;
  /** Used since the beginning of the day, of the week (Monday) and of the month, in UTC. */
  readonly day: number;
  readonly week: number;
  readonly month: number;
  /** Null: never. */
  readonly expiresAt: Date | null;
}

/** A charged call of a key. */
export interface Generation {
  readonly id: string;
  readonly createdAt: Date;
  readonly model: string;
  /** The charge in USD. */
  readonly cost: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly reasoningTokens: number;
  readonly isStream: boolean;
  /** Whether the client disconnected. */
  readonly isCancelled: boolean;
  /** Milliseconds. */
  readonly duration: number;
  /** Milliseconds to the first data of a stream; null when it is not known. */
  readonly firstByte: number | null;
}

export interface BillingDeps {
  readonly keys: KeyHolderService;
  readonly database: Pick<DataSource, 'query'>;
  readonly clock: Clock;
  readonly options: {
    readonly values: Pick<OptionValues, 'DisplayTokenStatEnabled' | 'DisplayInCurrencyEnabled' | 'QuotaPerUnit'>;
  };
}

/** The limit that clients of OpenAI read as "no limit". */
const noLimit = 100_000_000;
const secondsOfDay = 86_400;

/** The key of a member does not show the balance of the organisation. */
const showsOwner = ({ memberId }: HeldKey, ofKeys: boolean): boolean => !ofKeys && memberId === 0;

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
    if (showsOwner(key, DisplayTokenStatEnabled)) {
      const limit = (key.ownerRemaining + key.ownerUsed) / perUnit;
      return { limit, used: (key.ownerUsed * 100) / perUnit, accessUntil: null };
    }
    const limit = key.unlimitedQuota ? noLimit : (key.remainQuota + key.usedQuota) / perUnit;
    return { limit, used: (key.usedQuota * 100) / perUnit, accessUntil: key.expiresAt };
  }

  /**
   * Returns what a key may use, and has used, in USD: of its owner, or of the key if the site shows keys their own figures.
   * @throws like `read`
   */
  async readCredits(
    presentedKey: string,
    address: string,
  ): Promise<{ readonly granted: number; readonly used: number }> {
    const key = await this.deps.keys.find(presentedKey, address);
    const { DisplayTokenStatEnabled, QuotaPerUnit } = this.deps.options.values;
    if (showsOwner(key, DisplayTokenStatEnabled)) {
      return { granted: (key.ownerRemaining + key.ownerUsed) / QuotaPerUnit, used: key.ownerUsed / QuotaPerUnit };
    }
    const granted = key.unlimitedQuota ? noLimit : (key.remainQuota + key.usedQuota) / QuotaPerUnit;
    return { granted, used: key.usedQuota / QuotaPerUnit };
  }

  /**
   * Returns what a key has used.
   * @throws like `read`
   */
  async readSpend(presentedKey: string, address: string): Promise<KeySpend> {
    const { database, clock, options, keys } = this.deps;
    const key = await keys.find(presentedKey, address);
    const { QuotaPerUnit } = options.values;
    const now = new Date(clock.now());
    const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
    const monday = unixSecond(midnight) - ((now.getUTCDay() + 6) % 7) * secondsOfDay;
    const first = unixSecond(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1));
    const [row] = await database.query<Array<{ day: string; week: string; month: string }>>(
      `SELECT coalesce(sum(quota) FILTER (WHERE hour >= $3), 0) AS day,
              coalesce(sum(quota) FILTER (WHERE hour >= $4), 0) AS week,
              coalesce(sum(quota) FILTER (WHERE hour >= $5), 0) AS month
         FROM usage_hourly WHERE user_id = $1 AND token_id = $2 AND hour >= least($4, $5)`,
      [key.userId, key.id, unixSecond(midnight), monday, first],
    );
    const inUsd = (quota: string | number | undefined): number => Number(quota ?? 0) / QuotaPerUnit;
    return {
      name: key.name,
      limit: key.unlimitedQuota ? null : inUsd(key.remainQuota + key.usedQuota),
      used: inUsd(key.usedQuota),
      day: inUsd(row?.day),
      week: inUsd(row?.week),
      month: inUsd(row?.month),
      expiresAt: key.expiresAt,
    };
  }

  /**
   * Returns a call of a key, from its row of the log.
   * @param id of the request, or of a response to which the provider gave no id, which ends with that of the request
   * @throws like `read`, and AppError NOT_FOUND for calls of other keys, and calls without a row
   */
  async readGeneration(presentedKey: string, address: string, id: string): Promise<Generation> {
    const { database, options, keys } = this.deps;
    const key = await keys.find(presentedKey, address);
    const requestId = id.slice(id.lastIndexOf('-') + 1);
    const [row] =
      requestId === ''
        ? []
        : await database.query<GenerationRow[]>(
            `SELECT created_at AS "createdAt", model_name AS model, quota, prompt_tokens AS "promptTokens",
                    completion_tokens AS "completionTokens", is_stream AS "isStream", use_time AS "useTime", other
               FROM logs WHERE request_id = $1 AND user_id = $2 AND token_id = $3 AND type = $4
              ORDER BY created_at DESC, id DESC LIMIT 1`,
            [requestId, key.userId, key.id, LogType.consume],
          );
    if (!row) {
      const shown = id.slice(0, 100);
      throw new AppError('NOT_FOUND', `Generation ${shown} does not exist: ask by the x-request-id of the response`);
    }
    const { createdAt, model, promptTokens, completionTokens, isStream } = row;
    const details = parseFields(row.other) ?? {};
    const figure = (name: string): number => (typeof details[name] === 'number' ? details[name] : 0);
    return {
      id,
      createdAt: dateOf(Number(createdAt)),
      model,
      cost: Number(row.quota) / options.values.QuotaPerUnit,
      promptTokens,
      completionTokens,
      cachedTokens: figure('cache_tokens'),
      reasoningTokens: figure('reasoning_tokens'),
      isStream,
      isCancelled: details['client_gone'] === true,
      duration: figure('duration_ms') || millisecondsIn(row.useTime),
      // -1000 stands for a response in one piece.
      firstByte: figure('frt') > 0 ? figure('frt') : null,
    };
  }

  /**
   * Returns the figures of a key in quota.
   * @throws like `read`
   */
  readKey(presentedKey: string): Promise<HeldKey> {
    return this.deps.keys.find(presentedKey);
  }
}

interface GenerationRow {
  readonly createdAt: string;
  readonly model: string;
  readonly quota: string;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly isStream: boolean;
  /** Whole seconds. */
  readonly useTime: number;
  readonly other: string;
}
