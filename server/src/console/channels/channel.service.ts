import { isDeepStrictEqual } from 'node:util';
import { In, type EntityManager, type Repository } from 'typeorm';
import type { Changes } from '../../platform/cache/changes.js';
import { readSlice } from '../../platform/db/keyset.js';
import { splitKeys } from '../../dialects/providers/channel-keys.js';
import { providerOf } from '../../dialects/makers/providers.js';
import { requireConfirmed, requirePermission, type Actor, type MaybeActor } from '../../shared/actor.js';
import type { UsageLog, AuditLog } from '../../shared/audit.js';
import { wholeSecond, type Clock } from '../../shared/clock.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import { NotFoundError } from '../../shared/errors.js';
import type { ListQuery, Slice, Total } from '../../shared/page.js';
import { sameSecret, type Secrets } from '../../shared/secrets.js';
import type { Idempotency, OnceRequest } from '../../platform/idempotency/idempotency.js';
import { LogType } from '../logs/index.js';
import { auditedFields, channelChange, formerKey } from './channel-audit.js';
import { assertMayRedirect } from './channel-redirect.js';
import { Channel } from './channel.entity.js';
import { assertOwner } from './channel-owner.js';
import { keysChanged } from './channel-keys.service.js';
import { checkForeignKeys, namesOverride } from './channel-override-keys.js';
import {
  checkRegion,
  checkWhole,
  joinKeys,
  parseFields,
  type ChannelFields,
  type ChannelInput,
} from './channel-input.js';
import {
  applyFilter,
  applySort,
  channelOrder,
  channelSortKeys,
  type ChannelFilter,
  type ChannelQuery,
  type ChannelSort,
  type ChannelSortField,
} from './channel-query.js';
import { settingFields } from './channel-setting.js';
import { newChannel, type NewChannel } from './new-channel.js';
import { openChannelKey, readableKey, readableKeys } from './open-channel-key.js';

export interface ChannelDeps {
  readonly channels: Repository<Channel>;
  readonly secrets: Secrets;
  readonly changes: Changes;
  readonly usageLog: UsageLog;
  readonly auditLog: AuditLog;
  readonly idempotency: Idempotency;
  readonly clock: Clock;
}

/** Checks a channel under the lock of the transaction that changes it. */
type VerifyChannel = (manager: EntityManager, channel: Readonly<Record<string, unknown>>) => Promise<void>;

/**
 * Reads and changes single channels. All methods are for admins; keys are encrypted and only returned by `revealKey`.
 */
export class ChannelService {
  constructor(private readonly deps: ChannelDeps) {}

  /**
   * Returns channels, highest priority first unless sorted.
   * @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin
   */
  async list(actor: MaybeActor, filter: ChannelFilter, query: ListQuery<ChannelSortField>): Promise<Slice<Channel>> {
    requirePermission(actor, 'channels.read');
    return readSlice<Channel, ChannelSortField>(await this.filtered(filter), query, channelSortKeys, channelOrder);
  }

  /**
   * Reads channels by id, for relations.
   * @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin
   */
  async readMany(actor: MaybeActor, ids: readonly number[]): Promise<Channel[]> {
    requirePermission(actor, 'channels.read');
    return this.deps.channels.findBy({ id: In([...ids]) });
  }

  /** Returns every matching channel, without pages. */
  async search(actor: MaybeActor, filter: ChannelFilter, sort: ChannelSort): Promise<Channel[]> {
    requirePermission(actor, 'channels.read');
    return applySort(await this.filtered(filter), sort).getMany();
  }

  /**
   * Returns all channels of the tags on this page of tags; the total counts tags. Channels without a tag are not
   * included.
   */
  async listTagged(
    actor: MaybeActor,
    query: ListQuery<ChannelSortField>,
  ): Promise<Pick<Slice<Channel>, 'items' | 'total'>> {
    requirePermission(actor, 'channels.read');
    const order = query.sort[0]?.field === 'id' ? 'max(channel.id)' : 'max(channel.priority)';
    const rows = await this.query()
      .select('channel.tag', 'tag')
      .where(`channel.tag <> ''`)
      .groupBy('channel.tag')
      .orderBy(order, 'DESC')
      .addOrderBy('channel.tag', 'ASC')
      .offset(query.page * query.pageSize)
      .limit(query.pageSize)
      .getRawMany<{ tag: string }>();
    const items = await this.ofTags(
      rows.map((row) => row.tag),
      query.sort,
    );
    const tags = this.query().select('count(DISTINCT channel.tag)::integer', 'count').where(`channel.tag <> ''`);
    const total = async (): Promise<Total> => {
      return { count: (await tags.getRawOne<{ count: number }>())?.count ?? 0, capped: false };
    };
    return { items, total };
  }

  /** Returns all channels of every tag with a matching channel. */
  async searchTagged(actor: MaybeActor, filter: ChannelFilter, sort: ChannelSort): Promise<Channel[]> {
    const found = await this.search(actor, filter, sort);
    return this.ofTags([...new Set(found.map((channel) => channel.tag).filter(Boolean))], sort);
  }

  /** @throws AppError NOT_FOUND */
  async get(actor: MaybeActor, id: number): Promise<Channel> {
    requirePermission(actor, 'channels.read');
    return this.find(this.deps.channels.manager, id);
  }

  /** Returns the keys as a list. Every read is logged. */
  async revealKeys(actor: MaybeActor, id: number): Promise<string[]> {
    const text = await this.revealKey(actor, id);
    const { type } = await this.find(this.deps.channels.manager, id);
    return splitKeys(text, providerOf(type).keyForm);
  }

  /**
   * Returns the keys in the form in which they are used, separated by commas. Every read is logged.
   * @throws AppError CONFIRMATION_NEEDED, CONFLICT
   */
  async revealKey(actor: MaybeActor, id: number): Promise<string> {
    const admin = requirePermission(actor, 'channels.secrets');
    requireConfirmed(admin);
    const row = await this.deps.channels.findOne({ select: { id: true, name: true, keySealed: true }, where: { id } });
    if (!row) throw new NotFoundError('Channel', id);
    await this.log(this.deps.channels.manager, admin, `Read the key of channel ${id} (${row.name})`, { channel: id });
    return openChannelKey(this.deps.secrets, row.keySealed);
  }

  /**
   * Creates a channel.
   * @param once an idempotency key, or a request with one: a retry with the same key returns the channel of the first
   * call
   * @throws AppError INVALID_INPUT, CONFLICT (same key, other input), NOT_FOUND (the first one was deleted)
   */
  async create(
    actor: MaybeActor,
    given: ChannelInput,
    once?: string | OnceRequest | null,
  ): Promise<{ channel: Channel; replayed: boolean }> {
    const admin = requirePermission(actor, 'channels.write');
    const made = newChannel(given);
    await this.assertNoForeignKey(made.row, made.keys);
    const request = typeof once === 'object' && once ? once : { operation: 'createChannel', key: once, input: given };
    const { result: id, replayed } = await this.deps.idempotency.once(admin, request, (manager) =>
      this.insert(manager, admin, made),
    );
    if (!replayed) await this.announce(id);
    return { channel: await this.find(this.deps.channels.manager, id), replayed };
  }

  /**
   * Creates one channel for each key, all or none.
   * @param idempotencyKey a retry with the same key creates none
   * @throws AppError INVALID_INPUT, CONFLICT (same key, other input)
   */
  async createEach(
    actor: MaybeActor,
    given: readonly ChannelInput[],
    idempotencyKey: string | null,
  ): Promise<{ replayed: boolean }> {
    const admin = requirePermission(actor, 'channels.write');
    const all = given.map(newChannel);
    const keys = all.map((made) => made.keys);
    for (const { row, keys: own } of all) checkForeignKeys(row, keys, [own]);
    const [first] = all;
    if (first) await this.assertNoForeignKey(first.row, keys.join(','));
    const request = { operation: 'createChannels', key: idempotencyKey, input: given };
    const { result: ids, replayed } = await this.deps.idempotency.once(admin, request, async (manager) => {
      const made: number[] = [];
      for (const channel of all) made.push(await this.insert(manager, admin, channel));
      return made;
    });
    if (!replayed) for (const id of ids) await this.announce(id);
    return { replayed };
  }

  /**
   * Changes the given fields; an empty key keeps the old one.
   * @param sealed the stored keys that the new ones are based on
   * @throws AppError INVALID_INPUT, NOT_FOUND; CONFLICT when the stored keys have changed
   */
  async update(actor: MaybeActor, id: number, given: ChannelInput, sealed?: string): Promise<Channel> {
    const admin = requirePermission(actor, 'channels.write');
    return this.change(admin, id, parseFields(omitUndefined(given)), async (manager) => {
      if (sealed && !(await manager.existsBy(Channel, { id, keySealed: sealed }))) throw keysChanged();
    });
  }

  /**
   * Sets fields to values that the channel had before, in their stored form. A channel that the server had disabled
   * becomes disabled.
   * @param verify checks the locked row
   * @throws AppError NOT_FOUND, INVALID_INPUT, and what `verify` throws
   */
  async restore(
    actor: MaybeActor,
    id: number,
    { setting, status, ...fields }: Partial<Omit<ChannelFields, 'key'>>,
    verify: VerifyChannel,
  ): Promise<Channel> {
    const admin = requirePermission(actor, 'channels.write');
    const given = omitUndefined({
      ...fields,
      status: status === 'autoDisabled' ? 'disabled' : status,
      setting: setting && settingFields(setting),
    });
    return this.change(admin, id, parseFields(given), verify);
  }

  private async change(
    admin: Actor,
    id: number,
    { key, ...fields }: Partial<ChannelFields>,
    verify: VerifyChannel,
  ): Promise<Channel> {
    const updated = await this.deps.channels.manager.transaction(async (manager) => {
      const channel = await manager.findOne(Channel, { where: { id }, lock: { mode: 'pessimistic_write' } });
      if (!channel) throw new NotFoundError('Channel', id);
      await verify(manager, { ...channel });
      assertMayRedirect(admin, channel, fields);
      checkWhole({ ...channel, ...fields });
      checkRegion(fields.type, fields.other ?? channel.other);
      if (fields.ownerId !== channel.ownerId) await assertOwner(manager, fields.ownerId);
      const keys = key === undefined ? '' : joinKeys(fields.type ?? channel.type, key);
      if (namesOverride(fields)) await this.assertNoForeignKey(fields, keys, id);
      const change = { ...fields, ...(keys === '' ? {} : { keySealed: this.deps.secrets.seal(keys) }) };
      const changed = (Object.keys(fields) as Array<keyof typeof fields>).filter(
        (name) => !isDeepStrictEqual(fields[name], channel[name]),
      );
      const names = [...changed, ...(keys === '' ? [] : ['key'])];
      if (names.length === 0) return channel;
      await manager.update(Channel, { id }, change);
      const saved = await this.find(manager, id);
      await this.log(manager, admin, `Changed channel ${id} (${saved.name}): ${names.join(', ')}`, { channel: id });
      const before = { ...auditedFields(channel), ...(keys === '' ? {} : { key: formerKey }) };
      const after = { ...auditedFields(saved), ...(keys === '' ? {} : { key: keys }) };
      await this.deps.auditLog.write(manager, admin, channelChange('update', id, before, after));
      return saved;
    });
    await this.announce(id);
    return updated;
  }

  /** @returns false when the channel does not exist */
  async delete(actor: MaybeActor, id: number): Promise<boolean> {
    const admin = requirePermission(actor, 'channels.write');
    const gone = await this.deps.channels.manager.transaction(async (manager) => {
      const channel = await manager.findOneBy(Channel, { id });
      if (!channel) return false;
      await manager.delete(Channel, { id });
      await this.log(manager, admin, `Deleted channel ${id} (${channel.name})`, { channel: id });
      await this.deps.auditLog.write(manager, admin, channelChange('delete', id, auditedFields(channel), null));
      return true;
    });
    if (gone) await this.announce(id);
    return gone;
  }

  /** @returns the new id */
  private async insert(manager: EntityManager, admin: Actor, { row, keys }: NewChannel): Promise<number> {
    await assertOwner(manager, row.ownerId);
    const { identifiers } = await manager.insert(Channel, {
      ...row,
      createdAt: wholeSecond(this.deps.clock.now()),
      keySealed: this.deps.secrets.seal(keys),
    });
    const channel = await this.find(manager, (identifiers[0] as { id: number }).id);
    await this.log(manager, admin, `Created channel ${channel.id} (${channel.name})`, { channel: channel.id });
    const made = { ...auditedFields(channel), key: keys };
    await this.deps.auditLog.write(manager, admin, channelChange('create', channel.id, null, made));
    return channel.id;
  }

  private query(): ChannelQuery {
    return this.deps.channels.createQueryBuilder('channel');
  }

  private async filtered(filter: ChannelFilter): Promise<ChannelQuery> {
    return applyFilter(this.query(), filter, filter.keyword ? await this.keyOwners(filter.keyword) : []);
  }

  /**
   * Finds the channels that have the keyword as a key. Each key is encrypted with its own nonce, so they are decrypted
   * one by one: for an admin's search, not for the hot path.
   */
  private async keyOwners(keyword: string): Promise<number[]> {
    const rows = await this.deps.channels.find({ select: { id: true, type: true, keySealed: true } });
    const holds = ({ type, keySealed }: Channel): boolean => {
      const key = readableKey(this.deps.secrets, keySealed);
      if (key === null) return false;
      return (
        sameSecret(key, keyword) || splitKeys(key, providerOf(type).keyForm).some((one) => sameSecret(one, keyword))
      );
    };
    return rows.filter(holds).map(({ id }) => id);
  }

  /**
   * Checks that an override does not send the key of one channel to the provider of another.
   * @param ownKeys as they will be stored; empty when unchanged
   * @throws InvalidInputError
   */
  private async assertNoForeignKey(fields: Partial<ChannelFields>, ownKeys: string, id?: number): Promise<void> {
    if (!namesOverride(fields)) return;
    const { channels, secrets } = this.deps;
    const rows = await channels.find({ select: { id: true, type: true, keySealed: true } });
    const own = rows.filter((row) => row.id === id && ownKeys === '').flatMap((row) => readableKeys(secrets, row));
    const foreign = rows.filter((row) => row.id !== id).flatMap((row) => readableKeys(secrets, row));
    checkForeignKeys(fields, foreign, [ownKeys, ...own]);
  }

  private async ofTags(tags: string[], sort: ChannelSort): Promise<Channel[]> {
    if (tags.length === 0) return [];
    return applySort(this.query().where('channel.tag = ANY (:tags)', { tags }), sort).getMany();
  }

  private async find(manager: EntityManager, id: number): Promise<Channel> {
    const channel = await manager.findOneBy(Channel, { id });
    if (!channel) throw new NotFoundError('Channel', id);
    return channel;
  }

  private log(
    manager: EntityManager,
    { id, username }: Actor,
    content: string,
    other: Record<string, unknown>,
  ): Promise<void> {
    return this.deps.usageLog.record(manager, { type: LogType.manage, userId: id, username, content, other });
  }

  private announce(id: number): Promise<void> {
    return this.deps.changes.announce({ kind: 'channel', id });
  }
}
