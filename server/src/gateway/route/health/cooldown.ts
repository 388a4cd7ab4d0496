/**
 * Why a key cools down (docs/reference/relay/health.md#reasons). `FAILING` cooldowns give way: the key is used when no other is
 * left. The others never do.
 */
export const cooldownReasons = ['RATE_LIMITED', 'FAILING', 'QUOTA_EXHAUSTED', 'REFUSED'] as const;
export type CooldownReason = (typeof cooldownReasons)[number];

/** One key of a channel that gets no calls for a time, for one model or for all. */
export interface Cooldown {
  readonly channelId: number;
  /** Tells the channel's keys apart without their texts, see `keyMarkOf`. */
  readonly keyMark: string;
  /** As it is priced; empty: all models. */
  readonly model: string;
  readonly reason: CooldownReason;
  /** Unix milliseconds. */
  readonly since: number;
  /** Unix milliseconds; `noEnd` for a key that its provider refused. */
  readonly until: number;
  /** Rests before this one without a successful call in between. */
  readonly times: number;
}

/** A cooldown that ended before its time. Other nodes, or the shared state, may still have it. */
export interface EndedCooldown extends Pick<Cooldown, 'channelId' | 'keyMark' | 'model'> {
  /** Unix milliseconds. */
  readonly endedAt: number;
  /** Until then a copy of the cooldown would be taken over. Unix milliseconds. */
  readonly until: number;
}

/** 9999-12-31: the last moment that every reader of dates accepts. */
export const noEnd = 253_402_214_400_000;

/** The shape of stored and announced ends. @returns null for anything else */
export function toEndedCooldown(value: unknown): EndedCooldown | null {
  if (typeof value !== 'object' || value === null) return null;
  const { channelId, keyMark, model, endedAt, until } = value as Partial<Record<keyof EndedCooldown, unknown>>;
  if (typeof channelId !== 'number' || typeof keyMark !== 'string' || typeof model !== 'string') return null;
  return typeof endedAt === 'number' && typeof until === 'number'
    ? { channelId, keyMark, model, endedAt, until }
    : null;
}

/** The shape of stored and announced cooldowns. @returns null for anything else */
export function toCooldown(value: unknown): Cooldown | null {
  if (typeof value !== 'object' || value === null) return null;
  const { channelId, keyMark, model, reason, since, until, times } = value as Partial<Record<keyof Cooldown, unknown>>;
  const known = cooldownReasons.find((one) => one === reason);
  if (!known || typeof channelId !== 'number' || typeof keyMark !== 'string' || typeof model !== 'string') return null;
  if (typeof since !== 'number' || typeof until !== 'number' || typeof times !== 'number') return null;
  return { channelId, keyMark, model, reason: known, since, until, times };
}
