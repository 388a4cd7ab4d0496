import type { Logger } from 'pino';
import type { EntityManager, Repository } from 'typeorm';
import type { Changes } from '../../cache/changes.js';
import { requireRole, Role, type Actor, type MaybeActor } from '../../shared/actor.js';
import type { UsageLog, AuditLog } from '../../shared/audit.js';
import { ForbiddenError, InvalidInputError } from '../../shared/errors.js';
import type { Page, PageQuery } from '../../shared/page.js';
import type { Secrets } from '../../shared/secrets.js';
import { LogType } from '../logs/log.entity.js';
import { Option } from './option.entity.js';
import { assertReady } from './option-precondition.js';
import {
  defaultOptionValues,
  definitionOf,
  isOptionKey,
  optionKeys,
  optionText,
  parseOption,
  type OptionKey,
  type OptionValues,
} from './option-registry.js';

export type { OptionKey, OptionValues };

/** One setting as an admin may see it. The value of a secret is always empty. */
export interface OptionEntry {
  readonly key: OptionKey;
  readonly value: string;
  readonly kind: 'boolean' | 'integer' | 'decimal' | 'text' | 'list' | 'json';
  readonly secret: boolean;
  /** Whether it differs from the built-in value; for a secret: whether one is stored. */
  readonly isSet: boolean;
  /** Whether this actor may write it. */
  readonly writable: boolean;
}

export interface OptionFilter {
  readonly keyword?: string | null;
  readonly keys?: readonly string[] | null;
  readonly isSet?: boolean | null;
}

export interface OptionServiceDeps {
  readonly options: Repository<Option>;
  readonly secrets: Secrets;
  readonly changes: Changes;
  readonly usageLog: UsageLog;
  readonly auditLog: AuditLog;
  readonly logger: Pick<Logger, 'warn'>;
  readonly syncSeconds: number;
}

/** Advisory lock id: an arbitrary number, the same on every node. */
const changeLock = 730_512;

/** Settings: a snapshot in memory for readers, and the only way to change one. */
export class OptionService {
  private current: OptionValues = defaultOptionValues();
  private running: Promise<void> | null = null;
  private queued: Promise<void> | null = null;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly deps: OptionServiceDeps) {}

  /**
   * The current settings on this node, at most a second older than on others. Read it at every use; never keep a copy.
   */
  get values(): OptionValues {
    return this.current;
  }

  /** Loads the settings, then follows changes. Also re-reads periodically in case an announcement was lost. */
  async start(): Promise<void> {
    await this.reload();
    this.deps.changes.on('option', () => this.reloadQuietly());
    this.timer = setInterval(() => this.reloadQuietly(), this.deps.syncSeconds * 1000).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /**
   * All settings in the registry's order.
   * @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin
   */
  list(actor: MaybeActor): OptionEntry[] {
    const admin = requireRole(actor, 'admin');
    return optionKeys.map((key) => this.entry(admin, key));
  }

  /** Settings that match a filter. Without a page size: all of them. */
  find(actor: MaybeActor, filter: OptionFilter, query: Partial<PageQuery> = {}): Page<OptionEntry> {
    const keyword = filter.keyword?.trim().toLowerCase() ?? '';
    const found = this.list(actor).filter(
      ({ key, isSet }) =>
        key.toLowerCase().includes(keyword) &&
        (!filter.keys || filter.keys.includes(key)) &&
        (filter.isSet ?? isSet) === isSet,
    );
    if (query.sort) sortByKey(found, query.sort);
    const { page = 0, pageSize = found.length } = query;
    return { items: found.slice(page * pageSize, (page + 1) * pageSize), totalCount: found.length };
  }

  /**
   * Saves one setting and applies it at once. An invalid value saves nothing.
   * @throws AppError INVALID_INPUT (unknown key, invalid value, missing precondition), INSUFFICIENT_PRIVILEGES
   */
  async set(actor: MaybeActor, name: string, text: string): Promise<OptionEntry> {
    const { admin, key } = this.assertMayWrite(actor, name);
    const value = parseOption(key, text);
    assertReady(key, value, this.current);
    await this.deps.options.manager.transaction(async (manager) => {
      const before = await this.stored(manager, key);
      await this.store(manager, key, optionText(key, value));
      await this.record(manager, admin, `Option ${key} changed`, key, before, optionText(key, value));
    });
    await this.announce(key);
    return this.entry(admin, key);
  }

  /** @throws AppError INVALID_INPUT (unknown key), INSUFFICIENT_PRIVILEGES */
  assertMayWrite(actor: MaybeActor, key: string): { admin: Actor; key: OptionKey } {
    const admin = requireRole(actor, 'admin');
    if (!isOptionKey(key)) throw new InvalidInputError('Unknown option', 'key');
    if (!mayWrite(admin, key)) throw new ForbiddenError();
    return { admin, key };
  }

  /** Resets the prompt ratios to the built-in values; other tables stay (docs/reference/rest/options.md#endpoints). */
  async resetModelRatio(actor: MaybeActor): Promise<void> {
    const root = requireRole(actor, 'root');
    const key = 'ModelRatio';
    await this.deps.options.manager.transaction(async (manager) => {
      const before = await this.stored(manager, key);
      await manager.delete(Option, { key });
      await this.record(manager, root, `Option ${key} reset`, key, before, optionText(key, defaultOptionValues()[key]));
    });
    await this.announce(key);
  }

  /** For a caller that has its own transaction and has checked permissions; call `announce` after the commit. */
  async store(manager: EntityManager, key: OptionKey, text: string): Promise<void> {
    const value = definitionOf(key).secret && text !== '' ? this.deps.secrets.seal(text) : text;
    await manager.upsert(Option, { key, value, updatedAt: new Date() }, ['key']);
  }

  /** Applies stored settings on this node and announces them to every other. */
  async announce(...keys: OptionKey[]): Promise<void> {
    await this.reload();
    await this.deps.changes.announce(...keys.map((id) => ({ kind: 'option' as const, id })));
  }

  private entry(actor: Actor, key: OptionKey): OptionEntry {
    const { secret, kind, defaultValue } = definitionOf(key);
    const value = optionText(key, this.current[key]);
    return {
      key,
      value: secret ? '' : value,
      kind,
      secret,
      isSet: value !== optionText(key, defaultValue),
      writable: mayWrite(actor, key),
    };
  }

  /**
   * The stored text before this transaction. Concurrent changes of one key run one after the other, even if the key has
   * no row yet.
   */
  private async stored(manager: EntityManager, key: OptionKey): Promise<string> {
    await manager.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [changeLock, key]);
    const row = await manager.findOneBy(Option, { key });
    return optionText(key, (row && this.read(row)) ?? defaultOptionValues()[key]);
  }

  private async record(
    manager: EntityManager,
    actor: Actor,
    content: string,
    option: OptionKey,
    before: string,
    after: string,
  ): Promise<void> {
    const change = { action: 'update', subject: 'option', id: option } as const;
    const secrets = definitionOf(option).secret ? ['value'] : [];
    await this.deps.auditLog.write(manager, actor, {
      ...change,
      secrets,
      before: { value: before },
      after: { value: after },
    });
    await this.deps.usageLog.record(manager, {
      type: LogType.manage,
      userId: actor.id,
      username: actor.username,
      content,
      other: { option, admin_info: { admin_id: actor.id, admin_username: actor.username } },
    });
  }

  private reloadQuietly(): void {
    this.reload().catch((error: unknown) => this.deps.logger.warn({ err: error }, 'options could not be reloaded'));
  }

  /** Starts a read after this call; concurrent callers share it. */
  private reload(): Promise<void> {
    if (!this.running) {
      this.running = this.load().finally(() => (this.running = null));
      return this.running;
    }
    this.queued ??= this.running
      .catch(() => undefined)
      .then(() => {
        this.queued = null;
        return this.reload();
      });
    return this.queued;
  }

  private async load(): Promise<void> {
    const rows = await this.deps.options.find();
    const next: Record<string, unknown> = { ...defaultOptionValues() };
    for (const row of rows) {
      const value = this.read(row);
      if (value !== undefined) next[row.key] = value;
    }
    this.current = next as unknown as OptionValues;
  }

  /**
   * Undefined for an unknown key, and for a value written by another version or encrypted with another key: the
   * built-in value applies until the setting is saved again.
   */
  private read({ key, value }: Option): OptionValues[OptionKey] | undefined {
    if (!isOptionKey(key)) return undefined;
    try {
      return parseOption(key, definitionOf(key).secret && value !== '' ? this.deps.secrets.open(value) : value);
    } catch {
      this.deps.logger.warn({ option: key }, 'stored option is not usable');
      return undefined;
    }
  }
}

function sortByKey(entries: OptionEntry[], { field, direction }: NonNullable<PageQuery['sort']>): void {
  if (field !== 'key') throw new InvalidInputError('Options cannot be sorted by this field', 'sort');
  const sign = direction === 'ASC' ? 1 : -1;
  entries.sort((left, right) => sign * left.key.localeCompare(right.key, 'en'));
}

const mayWrite = (actor: Actor, key: OptionKey): boolean => actor.role >= Role[definitionOf(key).writer];
