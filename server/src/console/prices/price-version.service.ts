import type { Repository } from 'typeorm';
import { milliseconds, readSlice, type SortKeys } from '../../platform/db/keyset.js';
import { requirePermission, type MaybeActor } from '../../shared/actor.js';
import { NotFoundError } from '../../shared/errors.js';
import type { ListQuery, Slice } from '../../shared/page.js';
import type { ChannelDirectory } from '../channels/index.js';
import type { OptionValues } from '../../options/option.service.js';
import { type PriceBook, priceTablesOf, priceVersionOf } from '../../billing/prices/index.js';
import type { PriceVersion } from './price-version.entity.js';

export interface PriceVersionDeps {
  readonly versions: Repository<PriceVersion>;
  readonly options: { readonly values: OptionValues; onRead(listener: () => Promise<void>): void };
  readonly prices: Pick<PriceBook, 'isPriced'>;
  readonly channels: Pick<ChannelDirectory, 'enabledModels'>;
  readonly logger: { warn(details: object, message: string): void };
}

export type PriceVersionSortField = 'createdAt';

const sortKeys: SortKeys<PriceVersion, PriceVersionSortField> = {
  createdAt: { sql: milliseconds('price.created_at'), value: ({ createdAt }) => createdAt },
  id: { sql: 'price.version', value: ({ version }) => version },
};

/** Stores the price tables that log rows refer to. For admins. */
export class PriceVersionService {
  private kept = '';

  constructor(private readonly deps: PriceVersionDeps) {}

  /** Stores the current price tables, and every later change of them. */
  async start(): Promise<void> {
    await this.keep();
    // The version is stored after a read, because prices that another node announces are not here earlier.
    this.deps.options.onRead(() =>
      this.keep().catch((error: unknown) => {
        // It is stored after the next read, at the next start, or by another node.
        this.deps.logger.warn({ err: error }, 'current prices could not be stored');
      }),
    );
  }

  /**
   * Lists versions, the newest first unless sorted.
   * @throws AppError INSUFFICIENT_PRIVILEGES below admin, INVALID_INPUT
   */
  async list(actor: MaybeActor, query: ListQuery<PriceVersionSortField>): Promise<Slice<PriceVersion>> {
    requirePermission(actor, 'prices');
    return readSlice<PriceVersion, PriceVersionSortField>(
      this.deps.versions.createQueryBuilder('price'),
      query,
      sortKeys,
      { field: 'createdAt', direction: 'DESC' },
    );
  }

  /** @throws AppError NOT_FOUND */
  async get(actor: MaybeActor, version: string): Promise<PriceVersion> {
    requirePermission(actor, 'prices');
    const found = await this.deps.versions.findOneBy({ version: version.replaceAll('\0', '') });
    if (!found) throw new NotFoundError('Price version', version.slice(0, 40));
    return found;
  }

  /**
   * Returns models without a price, sorted.
   * @param among absent for the models of enabled channels
   */
  async unpriced(actor: MaybeActor, among?: readonly string[]): Promise<string[]> {
    const admin = requirePermission(actor, 'prices', 'channels.write');
    const models = among ? [...new Set(among)] : await this.deps.channels.enabledModels(admin);
    return models.filter((model) => !this.deps.prices.isPriced(model)).sort();
  }

  private async keep(): Promise<void> {
    const { values } = this.deps.options;
    const version = priceVersionOf(values);
    if (version === this.kept) return;
    await this.deps.versions.query(
      'INSERT INTO price_versions (version, tables) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      [version, JSON.stringify(priceTablesOf(values))],
    );
    this.kept = version;
  }
}
