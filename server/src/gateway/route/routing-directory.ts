import type { Changes } from '../../platform/cache/changes.js';
import type { Queries } from '../../platform/db/queries.js';
import type { Logger } from '../../platform/observability/logger.js';
import type { Secrets } from '../../shared/secrets.js';
import { channelColumns, toRoutedChannel, type ChannelRow, type RoutedChannel } from './routed-channel.js';
import { RoutingTable } from './routing-table.js';
import { millisecondsIn } from '../../shared/clock.js';

/** State that is kept for the keys of channels. */
export interface KeyState {
  /** Drops the state of deleted channels, and of keys that were edited or enabled again. */
  keepOnly(channels: ReadonlyMap<number, RoutedChannel>): void;
}

/**
 * All channels in memory, and the routing table over them. Reads a row again when its change is announced, and all rows
 * periodically, so that a lost announcement has no lasting effect.
 */
export class RoutingDirectory {
  /** The table is replaced with every edit. A call keeps the table it began with. */
  table = new RoutingTable([]);
  private channels = new Map<number, RoutedChannel>();
  /** Ids of channels that were logged as unusable. They are read again every minute. */
  private readonly unusable = new Set<number>();
  private reading: Promise<void> | null = null;
  private readonly changed = new Set<number>();
  private allChanged = false;
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly database: Queries,
    private readonly secrets: Secrets,
    private readonly keyState: KeyState,
    private readonly logger: Logger,
  ) {}

  /**
   * Reads everything once, then follows changes.
   * @param syncSeconds interval of complete reads
   */
  async start(changes: Changes, syncSeconds: number): Promise<void> {
    changes.on('channel', ({ id }) => {
      if (typeof id === 'number') this.changed.add(id);
      else this.allChanged = true;
      return this.follow();
    });
    this.timer = setInterval(() => {
      this.allChanged = true;
      void this.follow();
    }, millisecondsIn(syncSeconds));
    this.timer.unref();
    this.reading = this.readAll().finally(() => (this.reading = null));
    await this.reading;
    // These changes were announced during the first read.
    await this.follow();
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer);
  }

  /** Applies all announced changes to the table. Never throws: changes that cannot be read now are read later. */
  follow(): Promise<void> {
    if (this.reading) return this.reading;
    if (!this.hasChanges) return Promise.resolve();
    this.reading = this.readChanges();
    return this.reading;
  }

  /** Reads one channel again, as if its change had been announced. Never throws. */
  refresh(id: number): Promise<void> {
    this.changed.add(id);
    return this.follow();
  }

  /**
   * Finds the channels that no longer exist. The table lacks other channels as well: new ones, and those that this node
   * cannot read.
   * @throws when the database does not respond
   */
  async removed(ids: readonly number[]): Promise<ReadonlySet<number>> {
    const left = new Set(ids);
    if (left.size === 0) return left;
    const sql = 'SELECT id FROM channels WHERE id = ANY ($1::integer[])';
    for (const { id } of (await this.database.query(sql, [ids])) as Array<Pick<ChannelRow, 'id'>>) left.delete(id);
    return left;
  }

  /** Disables a channel immediately, before the database reports it. */
  exclude(id: number): void {
    const channel = this.channels.get(id);
    if (!channel?.enabled) return;
    this.channels.set(id, { ...channel, enabled: false });
    this.rebuild();
  }

  private get hasChanges(): boolean {
    return this.allChanged || this.changed.size > 0;
  }

  private async readChanges(): Promise<void> {
    while (this.hasChanges) {
      const all = this.allChanged;
      const ids = [...this.changed];
      this.allChanged = false;
      this.changed.clear();
      try {
        if (all) await this.readAll();
        else await this.readSome(ids);
      } catch (error) {
        // The current copy stays in use. The next periodic read retries.
        this.logger.warn({ err: error }, 'channels could not be reloaded');
        break;
      }
    }
    // There is no `await` between the last check and this line, so that a change that is announced later begins a new read.
    this.reading = null;
  }

  private async readAll(): Promise<void> {
    const rows = (await this.database.query(`SELECT ${channelColumns} FROM channels ORDER BY id`)) as ChannelRow[];
    const next = new Map<number, RoutedChannel>();
    for (const row of rows) this.put(next, row);
    this.channels = next;
    this.rebuild();
  }

  private async readSome(ids: number[]): Promise<void> {
    const sql = `SELECT ${channelColumns} FROM channels WHERE id = ANY ($1::integer[])`;
    const rows = (await this.database.query(sql, [ids])) as ChannelRow[];
    const next = new Map(this.channels);
    for (const id of ids) next.delete(id);
    for (const row of rows) this.put(next, row);
    this.channels = next;
    this.rebuild();
  }

  private put(target: Map<number, RoutedChannel>, row: ChannelRow): void {
    try {
      target.set(row.id, this.sameKeys(toRoutedChannel(row, (sealed) => this.secrets.open(sealed))));
      this.unusable.delete(row.id);
    } catch (error) {
      // The keys are encrypted with another secret, or damaged. Only this channel is unavailable.
      if (this.unusable.has(row.id)) return;
      this.unusable.add(row.id);
      this.logger.error({ err: error, channelId: row.id }, 'channel cannot be used');
    }
  }

  /**
   * Reuses the list object of unchanged keys, so that their state is kept. Another address counts as another provider.
   */
  private sameKeys(channel: RoutedChannel): RoutedChannel {
    const known = this.channels.get(channel.id);
    if (!known || (channel.enabled && !known.enabled)) return channel;
    if (channel.type !== known.type || channel.baseUrl !== known.baseUrl) return channel;
    const same = known.keys.length === channel.keys.length && known.keys.every((key, at) => key === channel.keys[at]);
    return same ? { ...channel, keys: known.keys } : channel;
  }

  private rebuild(): void {
    this.table = new RoutingTable([...this.channels.values()]);
    this.keyState.keepOnly(this.channels);
  }
}
