import type { Logger } from 'pino';
import type { EntityManager, Repository } from 'typeorm';
import { advisoryLocks } from '../platform/db/advisory-locks.js';
import type { Changes } from '../platform/cache/changes.js';
import {
  holds,
  requireConfirmed,
  requirePermission,
  requireRole,
  type Actor,
  type MaybeActor,
} from '../shared/actor.js';
import type { UsageLog, AuditLog } from '../shared/audit.js';
import { ForbiddenError, InvalidInputError } from '../shared/errors.js';
import { sliceOfList, type ListQuery, type Slice } from '../shared/page.js';
import type { Secrets } from '../shared/secrets.js';
import { LogType } from '../shared/log-type.js';
import {
  matchingEntries,
  mayWrite,
  optionEntry,
  type LastChange,
  type OptionEntry,
  type OptionFilter,
  type OptionSortField,
} from './option-entry.js';
import { optionPermissions } from './option-permissions.js';
import { Option } from './option.entity.js';
import { preconditionOf } from './option-precondition.js';
import { assertKeepsSecret, secretClearedBy } from './secret-addresses.js';
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
import { millisecondsIn } from '../shared/clock.js';

export { isOptionKey, parseOption, type OptionKey, type OptionValues };

export interface OptionServiceDeps {
  readonly options: Repository<Option>;
  readonly secrets: Secrets;
  readonly changes: Changes;
  readonly usageLog: UsageLog;
  readonly auditLog: AuditLog;
  readonly logger: Pick<Logger, 'warn'>;
  readonly syncSeconds: number;
}

/** A secret that the same user saved within this time before its address belongs to the new address. */
const sameFormMilliseconds = 30_000;

/** Settings: a snapshot in memory for readers, and the only way to change one. */
export class OptionService {
  /**
   * The current settings on this node, at most a second older than on others. Read it at every use; never keep a copy.
   */
  values: OptionValues = defaultOptionValues();
  private lastChanges: ReadonlyMap<string, LastChange> = new Map();
  private running: Promise<void> | null = null;
  private queued: Promise<void> | null = null;
  private timer: NodeJS.Timeout | undefined;

  private readonly listeners: Array<() => Promise<void>> = [];

  constructor(private readonly deps: OptionServiceDeps) {}

  /** Loads the settings, then follows changes. Also re-reads periodically in case an announcement was lost. */
  async start(): Promise<void> {
    // The listener is added first, so that no change between the read and the listener is missed.
    this.deps.changes.on('option', () => this.reloadQuietly());
    await this.reload();
    this.timer = setInterval(() => this.reloadQuietly(), millisecondsIn(this.deps.syncSeconds)).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** @param listener called after every read of the settings, with the new values in place; never throws */
  onRead(listener: () => Promise<void>): void {
    this.listeners.push(listener);
  }

  /**
   * Returns all settings in the registry's order; without `options` only those that the caller may change.
   * @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin
   */
  list(actor: MaybeActor): OptionEntry[] {
    const admin = requirePermission(actor, ...optionPermissions);
    const shown = holds(admin, 'options') ? optionKeys : optionKeys.filter((key) => mayWrite(admin, key));
    return shown.map((key) => this.entry(admin, key));
  }

  /**
   * Returns settings that match a filter, in the registry's order unless sorted.
   * @param query `pageSize` null for all of them. A cursor is the key of the last one
   * @throws AppError INSUFFICIENT_PRIVILEGES, INVALID_INPUT for an unknown cursor
   */
  find(
    actor: MaybeActor,
    filter: OptionFilter,
    query: Omit<ListQuery<OptionSortField>, 'pageSize'> & { readonly pageSize: number | null },
  ): Slice<OptionEntry> {
    const found = matchingEntries(this.list(actor), filter, query.sort);
    return sliceOfList(found, { ...query, pageSize: query.pageSize ?? found.length }, ({ key }) => key);
  }

  /**
   * Saves one setting and applies it at once. An invalid value saves nothing. The value that it has leaves no audit row.
   * @throws AppError INVALID_INPUT (unknown key, invalid value, missing precondition), INSUFFICIENT_PRIVILEGES,
   * CONFIRMATION_NEEDED (settings of root: access, secrets and payments)
   */
  async set(actor: MaybeActor, name: string, text: string): Promise<OptionEntry> {
    const { admin, key } = this.assertMayWrite(actor, name);
    if (definitionOf(key).writer === 'root') requireConfirmed(admin);
    const value = parseOption(key, text);
    assertKeepsSecret(key, value);
    const changed = await this.deps.options.manager.transaction(async (manager) => {
      const before = await this.stored(manager, key);
      await this.assertReady(manager, key, value);
      const after = optionText(key, value);
      // A default that is saved is stored the first time, so that a later default does not replace it.
      if (after === before && (await manager.existsBy(Option, { key }))) return [];
      await this.store(manager, key, after, admin.id);
      return after === before ? [] : this.record(manager, admin, key, before, after);
    });
    await this.announce(key, ...changed);
    return this.entry(admin, key);
  }

  /**
   * Changes one setting depending on its stored value. Concurrent changes of the key run one after the other.
   * @param next the new value, or null to leave it; may write through the manager, in the same transaction
   * @returns whether the setting changed
   * @throws AppError INVALID_INPUT (invalid value), INSUFFICIENT_PRIVILEGES, and any error of `next`
   */
  async change<Key extends OptionKey>(
    actor: MaybeActor,
    key: Key,
    next: (before: OptionValues[Key], manager: EntityManager) => Promise<OptionValues[Key] | null>,
  ): Promise<boolean> {
    const { admin } = this.assertMayWrite(actor, key);
    const changed = await this.deps.options.manager.transaction(async (manager) => {
      const before = await this.stored(manager, key);
      const value = await next(parseOption(key, before), manager);
      if (value === null) return null;
      const after = optionText(key, parseOption(key, optionText(key, value)));
      if (after === before) return null;
      assertKeepsSecret(key, value);
      await this.store(manager, key, after, admin.id);
      return this.record(manager, admin, key, before, after);
    });
    if (changed) await this.announce(key, ...changed);
    return changed !== null;
  }

  /** @throws AppError INVALID_INPUT (unknown key), INSUFFICIENT_PRIVILEGES */
  assertMayWrite(actor: MaybeActor, key: string): { admin: Actor; key: OptionKey } {
    const admin = requirePermission(actor, ...optionPermissions);
    if (!isOptionKey(key)) throw new InvalidInputError('Unknown option', 'key');
    if (!mayWrite(admin, key)) throw new ForbiddenError();
    return { admin, key };
  }

  /** Resets the prompt ratios to the built-in values; other tables stay (docs/reference/rest/options.md#endpoints). */
  async resetModelRatio(actor: MaybeActor): Promise<OptionEntry> {
    const root = requireRole(actor, 'root');
    const key = 'ModelRatio';
    await this.deps.options.manager.transaction(async (manager) => {
      const before = await this.stored(manager, key);
      await manager.delete(Option, { key });
      await this.log(manager, root, `Option ${key} reset`, key, before, optionText(key, defaultOptionValues()[key]));
    });
    await this.announce(key);
    return this.entry(root, key);
  }

  /**
   * Stores a setting for a caller that has its own transaction and has checked permissions. Call `announce` after the
   * commit.
   */
  async store(manager: EntityManager, key: OptionKey, text: string, userId: number | null = null): Promise<void> {
    const value = definitionOf(key).secret && text !== '' ? this.deps.secrets.seal(text) : text;
    await manager.upsert(Option, { key, value, updatedAt: new Date(), updatedBy: userId }, ['key']);
  }

  /** Applies stored settings on this node and announces them to every other. */
  async announce(...keys: OptionKey[]): Promise<void> {
    try {
      await this.reload();
    } finally {
      // The settings are stored, so every node has to read them again, even if this one could not.
      await this.deps.changes.announce(...keys.map((id) => ({ kind: 'option' as const, id })));
    }
  }

  /**
   * Returns the stored text before this transaction. Concurrent changes of one key run one after the other, even if the
   * key has no row yet.
   */
  private async stored(manager: EntityManager, key: OptionKey): Promise<string> {
    await manager.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [advisoryLocks.optionChanges, key]);
    const row = await manager.findOneBy(Option, { key });
    return optionText(key, (row && this.read(row)) ?? defaultOptionValues()[key]);
  }

  /**
   * Checks the precondition against the stored settings: another node may have saved the needed setting just now.
   * @throws InvalidInputError when a switch is turned on while a setting that it needs is missing
   */
  private async assertReady(manager: EntityManager, key: OptionKey, value: unknown): Promise<void> {
    const precondition = preconditionOf(key, value);
    if (!precondition) return;
    for (const needed of precondition.needs) {
      if ((await this.stored(manager, needed)) === '') throw new InvalidInputError(precondition.message, key);
    }
  }

  /**
   * Records a change, and clears the secret that was entered for another address.
   * @returns the keys of other settings that it changed
   */
  private async record(
    manager: EntityManager,
    actor: Actor,
    key: OptionKey,
    before: string,
    after: string,
  ): Promise<OptionKey[]> {
    await this.log(manager, actor, `Option ${key} changed`, key, before, after);
    const secret = secretClearedBy(key, before, after);
    const held = secret === undefined ? '' : await this.stored(manager, secret);
    if (secret === undefined || held === '') return [];
    const row = await manager.findOneBy(Option, { key: secret });
    // Consoles save the settings of a form one by one, in any order.
    if (row?.updatedBy === actor.id && Date.now() - row.updatedAt.getTime() < sameFormMilliseconds) return [];
    await this.store(manager, secret, '', actor.id);
    await this.log(manager, actor, `Option ${secret} cleared: ${key} changed`, secret, held, '');
    return [secret];
  }

  private async log(
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

  private entry(actor: Actor, key: OptionKey): OptionEntry {
    return optionEntry(actor, key, this.values, this.lastChanges.get(key));
  }

  private reloadQuietly(): void {
    this.reload().catch((error: unknown) => this.deps.logger.warn({ err: error }, 'options could not be reloaded'));
  }

  /** Starts a read after this call. Concurrent callers share it. */
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
    this.values = next as unknown as OptionValues;
    this.lastChanges = new Map(
      rows.map(({ key, updatedAt, updatedBy }) => [key, { at: updatedAt, userId: updatedBy }]),
    );
    for (const listener of this.listeners) await listener();
  }

  /**
   * Reads a stored setting. Returns undefined for an unknown key, and for a value written by another version or
   * encrypted with another key: the built-in value applies until the setting is saved again.
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
