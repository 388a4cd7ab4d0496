import type { Repository } from 'typeorm';
import { requirePermission, type Actor, type MaybeActor } from '../../../shared/actor.js';
import type { Clock } from '../../../shared/clock.js';
import { AppError, InvalidInputError, NotFoundError, type ErrorCode } from '../../../shared/errors.js';
import { storableJson } from '../../../shared/json.js';
import { PriceCardError } from '../../../shared/price-card-input.js';
import type { ChannelDirectory } from '../../channels/index.js';
import type { OptionValues } from '../../../options/option.service.js';
import { type PriceBook, type CurrentPrice, priceDiff, type PriceDiffLine } from '../../../billing/prices/index.js';
import type { PriceCheck, CheckedSource } from './price-check.entity.js';
import type { PriceSourceService } from './price-source.service.js';

export interface PriceCheckDeps {
  readonly checks: Repository<PriceCheck>;
  readonly sources: PriceSourceService;
  readonly options: { readonly values: OptionValues };
  readonly prices: PriceBook;
  readonly channels: Pick<ChannelDirectory, 'enabledModels'>;
  readonly clock: Clock;
}

/** How sources are compared with the current prices. */
export interface PriceTerms {
  /** The factor by which prices of the sources are multiplied. Default: option PriceSyncMarkup. */
  readonly markup?: number | null;
  /** Percent; smaller changes are MINOR. Default: option PriceSyncThreshold. */
  readonly threshold?: number | null;
}

const maxSources = 5;
/** Number of checks that are kept of each kind, scheduled and not. */
const keptChecks = 5;
const maxMarkup = 100;
const maxThreshold = 1000;

/** Reads lists of prices and compares them with the prices of the site. Changes no price. For the super admin. */
export class PriceCheckService {
  /** The last comparison. It is kept, because a console reads it page by page. */
  private last: { readonly key: string; readonly lines: Promise<PriceDiffLine[]> } | null = null;

  constructor(private readonly deps: PriceCheckDeps) {}

  /**
   * Reads lists of prices from URLs.
   * @param withCheckId adds the sources of an earlier check, such as a file
   * @throws AppError INSUFFICIENT_PRIVILEGES, INVALID_INPUT, NOT_FOUND, and the failure of the first URL when none
   * could be read
   */
  async check(actor: MaybeActor, urls: readonly string[], withCheckId?: number | null): Promise<PriceCheck> {
    const root = requirePermission(actor, 'prices.sync');
    const distinct = [...new Set(urls.map((url) => url.trim()).filter(Boolean))];
    const earlier = await this.earlier(root, withCheckId);
    if (distinct.length === 0) throw new InvalidInputError('Name an address', 'urls');
    assertCount(distinct.length + earlier.length, 'urls');
    const read = await Promise.all(distinct.map((url) => this.deps.sources.fromUrl(url)));
    const [first] = read;
    if (first?.errorCode && read.every(({ errorCode }) => errorCode !== null)) {
      throw new AppError(first.errorCode as ErrorCode, first.error ?? '', { field: 'urls' });
    }
    return this.store(root.id, [...earlier, ...read], false);
  }

  /**
   * Reads a list of prices from a file.
   * @throws like `check`
   */
  async checkFile(
    actor: MaybeActor,
    file: { readonly name: string; readonly bytes: Buffer },
    withCheckId?: number | null,
  ): Promise<PriceCheck> {
    const root = requirePermission(actor, 'prices.sync');
    const earlier = await this.earlier(root, withCheckId);
    assertCount(1 + earlier.length, 'file');
    const source = await this.deps.sources.fromFile(file.name, file.bytes);
    return this.store(root.id, [...earlier, source], false);
  }

  /** Runs a scheduled check of option PriceSyncSources. Failures are part of the result. */
  async checkScheduled(): Promise<PriceCheck> {
    const urls = this.deps.options.values.PriceSyncSources.slice(0, maxSources);
    return this.store(null, await Promise.all(urls.map((url) => this.deps.sources.fromUrl(url))), true);
  }

  /**
   * Finds a check.
   * @param id null for the newest one
   * @returns null when the check no longer exists
   */
  async find(actor: MaybeActor, id: number | null): Promise<PriceCheck | null> {
    requirePermission(actor, 'prices.sync');
    const [found] = await this.deps.checks.find({
      ...(id === null ? {} : { where: { id } }),
      order: { id: 'DESC' },
      take: 1,
    });
    return found ?? null;
  }

  /** @throws AppError NOT_FOUND */
  async get(actor: MaybeActor, id: number): Promise<PriceCheck> {
    const found = await this.find(actor, id);
    if (!found) throw new NotFoundError('Price check', id);
    return found;
  }

  /**
   * Compares every model of the sources, by name.
   * @throws AppError INVALID_INPUT
   */
  async lines(actor: MaybeActor, check: PriceCheck, terms: PriceTerms): Promise<readonly PriceDiffLine[]> {
    const root = requirePermission(actor, 'prices.sync');
    const { values } = this.deps.options;
    const markup = terms.markup ?? values.PriceSyncMarkup;
    const threshold = terms.threshold ?? values.PriceSyncThreshold;
    if (!(markup > 0 && markup <= maxMarkup))
      throw new InvalidInputError(`markup must be above 0 and at most ${maxMarkup}`, 'markup');
    if (!(threshold >= 0 && threshold <= maxThreshold)) {
      throw new InvalidInputError(`threshold must be 0 to ${maxThreshold}`, 'threshold');
    }
    const served = await this.deps.channels.enabledModels(root);
    const key = JSON.stringify([check.id, markup, threshold, this.deps.prices.version, served]);
    if (this.last?.key !== key) {
      const compared = { markup, threshold, ownCards: values.PriceCards, served: new Set(served) };
      this.last = {
        key,
        lines: priceDiff({ ...compared, sources: check.sources, current: (model) => this.current(model) }),
      };
    }
    try {
      return await this.last.lines;
    } catch (error) {
      this.last = null;
      if (error instanceof PriceCardError) throw new InvalidInputError(`With this mark-up ${error.message}`, 'markup');
      throw error;
    }
  }

  private current(model: string): CurrentPrice | null {
    const price = this.deps.prices.find(model, '');
    if (!price) return null;
    const { source, card } = price;
    return { source, card: source === 'table' ? { prices: card.prices } : card };
  }

  private async earlier(root: Actor, id: number | null | undefined): Promise<readonly CheckedSource[]> {
    return id == null ? [] : (await this.get(root, id)).sources;
  }

  /** Stores a source. It replaces an earlier one of the same name. */
  private async store(
    userId: number | null,
    sources: readonly CheckedSource[],
    isScheduled: boolean,
  ): Promise<PriceCheck> {
    const byLabel = new Map(sources.map((source) => [source.label, source]));
    const { manager } = this.deps.checks;
    const id = await manager.transaction(async (transaction) => {
      const [row] = await transaction.query<Array<{ id: number }>>(
        'INSERT INTO price_checks (created_by, is_scheduled, sources) VALUES ($1, $2, $3) RETURNING id',
        [userId, isScheduled, storableJson([...byLabel.values()])],
      );
      await transaction.query(
        `DELETE FROM price_checks WHERE is_scheduled = $1 AND id NOT IN (
           SELECT id FROM price_checks WHERE is_scheduled = $1 ORDER BY id DESC LIMIT $2)`,
        [isScheduled, keptChecks],
      );
      return row?.id ?? 0;
    });
    return this.deps.checks.findOneByOrFail({ id });
  }
}

function assertCount(count: number, field: string): void {
  if (count > maxSources) throw new InvalidInputError(`At most ${maxSources} sources can be compared`, field);
}
