import type { Clock } from '../../../shared/clock.js';
import { keyMarksOf } from '../key-mark.js';
import type { RoutedChannel } from '../routed-channel.js';
import { noEnd, type EndedCooldown, type Cooldown, type CooldownReason } from './cooldown.js';
import { cooldownRule, type CooldownRule } from './cooldown-rules.js';
import { ConsecutiveFailures } from './consecutive-failures.js';

/** How a key may be used: normally, only when no other key is left, or not at all. */
export type Standing = 'open' | 'last' | 'closed';

/** The one real call that tests whether a key works again. */
export interface Trial {
  /**
   * Claims the trial in the shared state, so that only one node makes this call.
   * @returns false while another node makes it
   */
  claim(): Promise<boolean>;
  /** Records that the provider served the call. The key gets calls again. May be called repeatedly. */
  passed(): void;
  /**
   * Records that the call said nothing about the key. The next call tests it. May be called repeatedly, also after
   * `passed`.
   */
  released(): void;
}

/** The link that shares the health of keys with other nodes. */
export interface HealthLink {
  /** Announces that a cooldown began, changed or ended. Never throws, and callers do not wait for it. */
  changed(now: Cooldown | EndedCooldown): void;
  claim(name: string): Promise<boolean>;
  giveBack(name: string): void;
}

export type CooldownId = Pick<Cooldown, 'channelId' | 'keyMark' | 'model'>;

interface Entry {
  cooldown: Cooldown;
  /** The end of the cooldown as other nodes know it. */
  announcedUntil: number;
  /** Unix milliseconds until which a trial is under way; 0 when none is. */
  tryingUntil: number;
}

const firstCooldown = 10_000;
const maxCooldown = 5 * 60_000;
/** Milliseconds. A key without quota is tried again after this time if the provider states no reset. */
const quotaCooldown = 60 * 60_000;
/** Milliseconds. An expired cooldown without a trial is forgotten after this time. */
const forgetAfter = 5 * 60_000;
/** Milliseconds for which a trial blocks the key if it does not end, or is made by another node. */
const trialTime = 60_000;
/** Milliseconds after which a caller may retry while a trial is under way. */
const trialWait = 1000;
/**
 * Milliseconds. Calls that fail together extend a cooldown by less than this, which is not worth a message to other
 * nodes.
 */
const worthAnnouncing = 1000;
/** Milliseconds for which an early end is remembered at most. */
const maxEnded = 24 * 60 * 60_000;

/**
 * Knows which keys are in a cooldown, for which models, and until when (docs/reference/relay/health.md). The state
 * belongs to this process; `HealthLink` shares it with other nodes. While no key is in a cooldown and none failed
 * lately, a call looks at two empty maps.
 */
export class Health {
  private readonly entries = new Map<string, Entry>();
  private readonly byChannel = new Map<number, Map<string, Entry>>();
  private readonly failures = new ConsecutiveFailures();
  /**
   * The keys of channels with cooldowns, by channel id. The list is replaced when a channel is edited or enabled again.
   */
  private readonly keysOf = new Map<number, readonly string[]>();
  /** Cooldowns that ended early. */
  private readonly endings = new Map<string, EndedCooldown>();
  private link: HealthLink = alone;
  private ended: (cooldown: Cooldown) => void = () => undefined;

  constructor(private readonly clock: Clock) {}

  /** Whether no key is in a cooldown or waits for a trial. Every call asks for it. */
  get quiet(): boolean {
    return this.entries.size === 0;
  }

  /** Whether a key failed lately without a cooldown. */
  get hasFailures(): boolean {
    return !this.failures.isEmpty;
  }

  /** All known cooldowns, including expired ones that wait for a trial. */
  get cooldowns(): Cooldown[] {
    return [...this.entries.values()].map(({ cooldown }) => cooldown);
  }

  /** @param listener called with each cooldown that ends on this node, unless it expires */
  onEnd(listener: (cooldown: Cooldown) => void): void {
    this.ended = listener;
  }

  share(link: HealthLink): void {
    this.link = link;
  }

  /** Whether a key may be used for a model. A cooldown of the model or of the whole key counts. */
  standing(channel: RoutedChannel, keyIndex: number, model: string): Standing {
    const known = this.byChannel.get(channel.id);
    if (!known) return 'open';
    const mark = markOf(channel, keyIndex);
    const ofModel = this.standingOf(known.get(nameOf(mark, model)));
    if (ofModel === 'closed') return ofModel;
    const ofKey = this.standingOf(known.get(nameOf(mark, '')));
    return ofKey === 'open' ? ofModel : ofKey;
  }

  /** Returns the best standing of the channel's keys. */
  ofChannel(channel: RoutedChannel, model: string): Standing {
    if (!this.byChannel.has(channel.id)) return 'open';
    let best: Standing = 'closed';
    for (let index = 0; index < channel.keys.length; index++) {
      const standing = this.standing(channel, index, model);
      if (standing === 'open') return standing;
      if (standing === 'last') best = standing;
    }
    return best;
  }

  /** Returns when the first key of the channel may be used. Unix milliseconds; `noEnd` when none will be. */
  readyAt(channel: RoutedChannel, model: string, keyIndex?: number): number {
    const known = this.byChannel.get(channel.id);
    if (!known) return 0;
    const indexes = keyIndex === undefined ? channel.keys.keys() : [keyIndex];
    let soonest = noEnd;
    for (const index of indexes) {
      const mark = markOf(channel, index);
      const own = [known.get(nameOf(mark, model)), known.get(nameOf(mark, ''))];
      soonest = Math.min(soonest, Math.max(...own.map((entry) => this.readyTime(entry))));
    }
    return soonest;
  }

  /**
   * Call before a request with this key.
   * @returns the trial, if a cooldown of the key has expired and this request tests the key; null for ordinary requests
   */
  begin(channel: RoutedChannel, keyIndex: number, model: string): Trial | null {
    const known = this.byChannel.get(channel.id);
    if (!known) return null;
    const mark = markOf(channel, keyIndex);
    const now = this.clock.now();
    const over = [known.get(nameOf(mark, model)), known.get(nameOf(mark, ''))].filter(
      (entry) => entry !== undefined && entry.cooldown.until <= now && entry.tryingUntil <= now,
    ) as Entry[];
    if (over.length === 0) return null;
    for (const entry of over) entry.tryingUntil = now + trialTime;
    return this.trialOf(over);
  }

  /**
   * Records that a request failed.
   * @param trial the trial that the request was; null for an ordinary request
   */
  failed(channel: RoutedChannel, keyIndex: number, model: string, error: unknown, trial: Trial | null): void {
    const now = this.clock.now();
    const rule = cooldownRule(error, now);
    if (!rule) return trial?.released();
    const id = { channelId: channel.id, keyMark: markOf(channel, keyIndex), model: rule.allModels ? '' : model };
    const known = this.entries.get(keyOf(id));
    this.keysOf.set(channel.id, channel.keys);
    if (rule.reason !== 'FAILING' || trial || known || this.failures.add(keyOf(id), now))
      this.coolDown(id, rule, known, now);
    trial?.released();
  }

  /** Records that the provider served an ordinary request, so that earlier failures are no longer consecutive. */
  served(channel: RoutedChannel, keyIndex: number, model: string): void {
    if (!this.hasFailures) return;
    this.failures.forget(keyOf({ channelId: channel.id, keyMark: markOf(channel, keyIndex), model }));
  }

  /** Records that a test with this key succeeded. */
  proved(channel: RoutedChannel, keyIndex: number, model: string): void {
    const keyMark = markOf(channel, keyIndex);
    for (const cooldown of this.of(channel.id)) {
      const concerns = cooldown.keyMark === keyMark && (cooldown.model === model || cooldown.model === '');
      if (concerns && cooldown.reason !== 'REFUSED') this.end(cooldown);
    }
  }

  /** Records that the provider refused the key. No node uses it until the keys change. */
  refused(channel: RoutedChannel, keyIndex: number): void {
    const id = { channelId: channel.id, keyMark: markOf(channel, keyIndex), model: '' };
    this.keysOf.set(channel.id, channel.keys);
    const now = this.clock.now();
    this.put({ ...id, reason: 'REFUSED', since: now, until: noEnd, times: 0 });
  }

  /**
   * Ends cooldowns, by an admin or because a test of the key succeeded.
   * @param only absent: the cooldowns of every key and model of the channel
   */
  clear(channelId: number, only: Partial<Pick<Cooldown, 'keyMark' | 'model'>> = {}): Cooldown[] {
    const ended = this.of(channelId).filter(
      ({ keyMark, model }) => keyMark === (only.keyMark ?? keyMark) && model === (only.model ?? model),
    );
    for (const cooldown of ended) this.end(cooldown);
    return ended;
  }

  /** Returns the cooldowns of a channel. */
  of(channelId: number): Cooldown[] {
    return [...(this.byChannel.get(channelId)?.values() ?? [])].map(({ cooldown }) => cooldown);
  }

  /** Returns the early ends of cooldowns of a channel. */
  endedOf(channelId: number): EndedCooldown[] {
    return [...this.endings.values()].filter((ending) => ending.channelId === channelId);
  }

  /** Ids of channels with cooldowns, or with early ends of cooldowns. */
  get channelIds(): ReadonlySet<number> {
    return new Set([...this.byChannel.keys(), ...[...this.endings.values()].map(({ channelId }) => channelId)]);
  }

  /**
   * Stores a cooldown that another node announced, or that this node had before its restart.
   * @returns whether the cooldown was unknown
   */
  learn(cooldown: Cooldown): boolean {
    const known = this.entries.get(keyOf(cooldown));
    const ending = this.endings.get(keyOf(cooldown));
    if (ending && cooldown.since <= ending.endedAt) return false;
    if (cooldown.until + forgetAfter < this.clock.now() || (known && known.cooldown.until >= cooldown.until))
      return false;
    this.set(cooldown);
    return true;
  }

  /**
   * Applies the end of a cooldown at another node.
   * @returns whether this node knew the cooldown
   */
  learnEnd(ending: EndedCooldown): boolean {
    const known = this.entries.get(keyOf(ending));
    // The cooldown began again after that end.
    if (known && known.cooldown.since > ending.endedAt) return false;
    this.endings.set(keyOf(ending), ending);
    return this.forget(ending);
  }

  private forget(id: CooldownId): boolean {
    const entry = this.entries.get(keyOf(id));
    if (entry) this.ended(entry.cooldown);
    const known = this.byChannel.get(id.channelId);
    known?.delete(nameOf(id.keyMark, id.model));
    if (known?.size === 0) this.byChannel.delete(id.channelId);
    return this.entries.delete(keyOf(id));
  }

  /** Ends the cooldowns of deleted channels, and of channels whose keys were edited or that were enabled again. */
  keepOnly(channels: ReadonlyMap<number, RoutedChannel>): void {
    for (const id of this.byChannel.keys()) {
      const keys = channels.get(id)?.keys;
      if (!keys || (this.keysOf.get(id) ?? keys) !== keys) for (const cooldown of this.of(id)) this.end(cooldown);
      if (keys) this.keysOf.set(id, keys);
      else this.keysOf.delete(id);
    }
  }

  /** Forgets cooldowns that expired long ago without a trial. */
  prune(): void {
    const now = this.clock.now();
    for (const { cooldown } of [...this.entries.values()])
      if (cooldown.until + forgetAfter < now) this.forget(cooldown);
    for (const [key, { until }] of this.endings) if (until < now) this.endings.delete(key);
    this.failures.prune(now);
  }

  private standingOf(entry: Entry | undefined): Standing {
    if (!entry || this.endOf(entry) <= this.clock.now()) return 'open';
    return entry.cooldown.reason === 'FAILING' ? 'last' : 'closed';
  }

  /** Returns when a key is ready. While its trial is under way, a key may be ready at any moment. */
  private readyTime(entry: Entry | undefined): number {
    if (!entry) return 0;
    const now = this.clock.now();
    if (entry.cooldown.until > now) return entry.cooldown.until;
    return entry.tryingUntil > now ? now + trialWait : 0;
  }

  private endOf({ cooldown, tryingUntil }: Entry): number {
    return Math.max(cooldown.until, tryingUntil);
  }

  private coolDown(id: CooldownId, rule: CooldownRule, known: Entry | undefined, now: number): void {
    const before = known?.cooldown;
    // A call began before the cooldown and failed like the call that caused it.
    const together = before !== undefined && before.until > now;
    const times = before ? before.times + (together ? 0 : 1) : 0;
    const same = together && before.reason === rule.reason;
    const wanted = rule.until ?? (same ? before.until : now + usualCooldown(rule.reason, times));
    const until = together ? Math.max(before.until, wanted) : wanted;
    const weaker = together && before.reason !== 'FAILING' && rule.reason === 'FAILING';
    this.put({
      ...id,
      reason: weaker ? before.reason : rule.reason,
      since: together ? before.since : now,
      until,
      times,
    });
  }

  private put(cooldown: Cooldown): void {
    const known = this.entries.get(keyOf(cooldown));
    const announced = known && known.cooldown.reason === cooldown.reason && known.announcedUntil;
    const entry = this.set(cooldown);
    if (announced !== undefined && announced !== false && Math.abs(cooldown.until - announced) < worthAnnouncing) {
      entry.announcedUntil = announced;
    } else {
      this.link.changed(cooldown);
    }
  }

  private set(cooldown: Cooldown): Entry {
    const entry: Entry = { cooldown, announcedUntil: cooldown.until, tryingUntil: 0 };
    this.entries.set(keyOf(cooldown), entry);
    this.endings.delete(keyOf(cooldown));
    const ofChannel = this.byChannel.get(cooldown.channelId);
    if (ofChannel) ofChannel.set(nameOf(cooldown.keyMark, cooldown.model), entry);
    else this.byChannel.set(cooldown.channelId, new Map([[nameOf(cooldown.keyMark, cooldown.model), entry]]));
    return entry;
  }

  private end(cooldown: Cooldown): void {
    if (!this.forget(cooldown)) return;
    const { channelId, keyMark, model } = cooldown;
    const now = this.clock.now();
    const until = Math.min(cooldown.until + forgetAfter, now + maxEnded);
    // The clock of the node at which it began may be ahead.
    const ending: EndedCooldown = { channelId, keyMark, model, endedAt: Math.max(now, cooldown.since), until };
    this.endings.set(keyOf(cooldown), ending);
    this.link.changed(ending);
  }

  private trialOf(entries: readonly Entry[]): Trial {
    const names = entries.map(({ cooldown }) => `${keyOf(cooldown)}/${cooldown.until}`);
    /** The entries that have not changed since the trial began. */
    const current = (): Entry[] => entries.filter((entry) => this.entries.get(keyOf(entry.cooldown)) === entry);
    return {
      claim: async () => {
        const claims = await Promise.all(names.map((name) => this.link.claim(name)));
        return claims.every(Boolean);
      },
      passed: () => {
        for (const { cooldown } of current()) this.end(cooldown);
      },
      released: () => {
        for (const entry of current()) entry.tryingUntil = 0;
        if (current().length > 0) for (const name of names) this.link.giveBack(name);
      },
    };
  }
}

const markOf = (channel: RoutedChannel, keyIndex: number): string => keyMarksOf(channel)[keyIndex] ?? '';
const nameOf = (keyMark: string, model: string): string => `${keyMark}/${model}`;
const keyOf = ({ channelId, keyMark, model }: CooldownId): string => `${channelId}/${keyMark}/${model}`;

const usualCooldown = (reason: CooldownReason, times: number): number =>
  reason === 'QUOTA_EXHAUSTED' ? quotaCooldown : Math.min(firstCooldown * 2 ** Math.min(times, 10), maxCooldown);

const alone: HealthLink = { changed: () => undefined, claim: async () => true, giveBack: () => undefined };
