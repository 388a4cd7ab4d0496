import type { Clock } from '../../../shared/clock.js';
import { keyMarksOf } from '../key-mark.js';
import type { RoutedChannel } from '../routed-channel.js';
import { noEnd, type Cooldown, type CooldownReason } from './cooldown.js';
import { cooldownRule, type CooldownRule } from './cooldown-rules.js';
import { ConsecutiveFailures } from './consecutive-failures.js';
import { type CooldownId, type Entry, keyOf, KnownCooldowns, nameOf } from './known-cooldowns.js';

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

const firstCooldown = 10_000;
const maxCooldown = 5 * 60_000;
/** Milliseconds. A key without quota is tried again after this time if the provider states no reset. */
const quotaCooldown = 60 * 60_000;
/** Milliseconds for which a trial blocks the key if it does not end, or is made by another node. */
const trialTime = 60_000;
/** Milliseconds after which a caller may retry while a trial is under way. */
const trialWait = 1000;
/**
 * Knows which keys are in a cooldown, for which models, and until when (docs/reference/relay/health.md). The state
 * belongs to this process; `HealthLink` shares it with other nodes. While no key is in a cooldown and none failed
 * lately, a call only reads two flags.
 */
export class Health {
  /** Whether no key is in a cooldown or waits for a trial. */
  quiet = true;
  /** Whether a key failed lately without a cooldown. */
  hasFailures = false;
  readonly known: KnownCooldowns;
  private readonly failures = new ConsecutiveFailures((isEmpty) => (this.hasFailures = !isEmpty));
  /**
   * The keys of channels with cooldowns, by channel id. The list is replaced when a channel is edited or enabled again.
   */
  private readonly keysOf = new Map<number, readonly string[]>();

  constructor(private readonly clock: Clock) {
    this.known = new KnownCooldowns(clock, (isEmpty) => (this.quiet = isEmpty));
  }

  /** All known cooldowns, including expired ones that wait for a trial. */
  get cooldowns(): Cooldown[] {
    return this.known.all;
  }

  /** Returns the cooldowns of a channel. */
  of(channelId: number): Cooldown[] {
    return this.known.of(channelId);
  }

  /** Whether a key may be used for a model. A cooldown of the model or of the whole key counts. */
  standing(channel: RoutedChannel, keyIndex: number, model: string): Standing {
    const known = this.known.ofKeys(channel.id);
    if (!known) return 'open';
    const mark = markOf(channel, keyIndex);
    const ofModel = this.standingOf(known.get(nameOf(mark, model)));
    if (ofModel === 'closed') return ofModel;
    const ofKey = this.standingOf(known.get(nameOf(mark, '')));
    return ofKey === 'open' ? ofModel : ofKey;
  }

  /** Returns the best standing of the channel's keys. */
  ofChannel(channel: RoutedChannel, model: string): Standing {
    if (!this.known.ofKeys(channel.id)) return 'open';
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
    const known = this.known.ofKeys(channel.id);
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
    const known = this.known.ofKeys(channel.id);
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
    const known = this.known.find(id);
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
      if (concerns && cooldown.reason !== 'REFUSED') this.known.end(cooldown);
    }
  }

  /** Records that the provider refused the key. No node uses it until the keys change. */
  refused(channel: RoutedChannel, keyIndex: number): void {
    const id = { channelId: channel.id, keyMark: markOf(channel, keyIndex), model: '' };
    this.keysOf.set(channel.id, channel.keys);
    const now = this.clock.now();
    this.known.put({ ...id, reason: 'REFUSED', since: now, until: noEnd, times: 0 });
  }

  /**
   * Ends cooldowns, by an admin or because a test of the key succeeded.
   * @param only absent: the cooldowns of every key and model of the channel
   */
  clear(channelId: number, only: Partial<Pick<Cooldown, 'keyMark' | 'model'>> = {}): Cooldown[] {
    const ended = this.of(channelId).filter(
      ({ keyMark, model }) => keyMark === (only.keyMark ?? keyMark) && model === (only.model ?? model),
    );
    for (const cooldown of ended) this.known.end(cooldown);
    return ended;
  }

  /** Ends the cooldowns of deleted channels, and of channels whose keys were edited or that were enabled again. */
  keepOnly(channels: ReadonlyMap<number, RoutedChannel>): void {
    for (const id of this.known.channels) {
      const keys = channels.get(id)?.keys;
      if (!keys || (this.keysOf.get(id) ?? keys) !== keys) for (const cooldown of this.of(id)) this.known.end(cooldown);
      if (keys) this.keysOf.set(id, keys);
      else this.keysOf.delete(id);
    }
  }

  /** Forgets cooldowns that expired long ago without a trial. */
  prune(): void {
    this.known.prune();
    this.failures.prune(this.clock.now());
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
    this.known.put({
      ...id,
      reason: weaker ? before.reason : rule.reason,
      since: together ? before.since : now,
      until,
      times,
    });
  }

  private trialOf(entries: readonly Entry[]): Trial {
    const names = entries.map(({ cooldown }) => `${keyOf(cooldown)}/${cooldown.until}`);
    /** The entries that have not changed since the trial began. */
    const current = (): Entry[] => entries.filter((entry) => this.known.find(entry.cooldown) === entry);
    return {
      claim: async () => {
        const claims = await Promise.all(names.map((name) => this.known.link.claim(name)));
        return claims.every(Boolean);
      },
      passed: () => {
        for (const { cooldown } of current()) this.known.end(cooldown);
      },
      released: () => {
        for (const entry of current()) entry.tryingUntil = 0;
        if (current().length > 0) for (const name of names) this.known.link.giveBack(name);
      },
    };
  }
}

const markOf = (channel: RoutedChannel, keyIndex: number): string => keyMarksOf(channel)[keyIndex] ?? '';
const usualCooldown = (reason: CooldownReason, times: number): number =>
  reason === 'QUOTA_EXHAUSTED' ? quotaCooldown : Math.min(firstCooldown * 2 ** Math.min(times, 10), maxCooldown);
