import type { Changes } from '../../cache/changes.js';
import type { Logger } from '../../observability/logger.js';
import type { Secrets } from '../../shared/secrets.js';
import type { KeyRing } from './key-ring.js';
import { channelColumns, toRoutedChannel, type ChannelRow, type RoutedChannel } from './routed-channel.js';
import { RoutingTable } from './routing-table.js';

export interface Queries {
  query(sql: string, parameters?: unknown[]): Promise<unknown>;
}

/**
 * All channels in memory, and the routing table over them. Reads one row again when its change is announced and all of
 * them on the clock, so a lost announcement heals by itself.
 */
export class RoutingDirectory {
  private channels = new Map<number, RoutedChannel>();
  private routing = new RoutingTable([]);
  private reading: Promise<void> | null = null;
  private readonly changed = new Set<number>();
  private allChanged = false;
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly database: Queries,
    private readonly secrets: Secrets,
    private readonly keyRing: KeyRing,
    private readonly logger: Logger,
  ) {}

  /** Changes with every edit; a call keeps the one it began with. */
  get table(): RoutingTable {
    return this.routing;
  }

  /** Reads everything once, then follows changes. @param syncSeconds how often everything is read again */
  async start(changes: Changes, syncSeconds: number): Promise<void> {
    changes.on('channel', ({ id }) => {
      if (typeof id === 'number') this.changed.add(id);
      else this.allChanged = true;
      return this.follow();
    });
    this.timer = setInterval(() => {
      this.allChanged = true;
      void this.follow();
    }, syncSeconds * 1000);
    this.timer.unref();
    await this.readAll();
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer);
  }

  /** Brings everything announced so far into the table. Never throws: what cannot be read now is read later. */
  follow(): Promise<void> {
    this.reading ??= this.readChanges().finally(() => (this.reading = null));
    return this.reading;
  }

  /** Not enabled any more, before the database tells: nothing may be sent there from now on. */
  exclude(id: number): void {
    const channel = this.channels.get(id);
    if (!channel?.enabled) return;
    this.channels.set(id, { ...channel, enabled: false });
    this.rebuild();
  }

  private async readChanges(): Promise<void> {
    while (this.allChanged || this.changed.size > 0) {
      const all = this.allChanged;
      const ids = [...this.changed];
      this.allChanged = false;
      this.changed.clear();
      try {
        if (all) await this.readAll();
        else await this.readSome(ids);
      } catch (error) {
        // The copy at hand stays in use; the clock tries again.
        this.logger.warn({ err: error }, 'channels could not be read again');
        return;
      }
    }
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
    } catch (error) {
      // Sealed with another key, or damaged: this one channel is out, the others serve.
      this.logger.error({ err: error, channelId: row.id }, 'channel cannot be used');
    }
  }

  /** Keeps the list object of keys that did not change, so that the key ring keeps what it knows about them. */
  private sameKeys(channel: RoutedChannel): RoutedChannel {
    const known = this.channels.get(channel.id);
    if (!known || (channel.enabled && !known.enabled)) return channel;
    const same = known.keys.length === channel.keys.length && known.keys.every((key, at) => key === channel.keys[at]);
    return same ? { ...channel, keys: known.keys } : channel;
  }

  private rebuild(): void {
    this.routing = new RoutingTable([...this.channels.values()]);
    this.keyRing.keepOnly(this.channels);
  }
}
