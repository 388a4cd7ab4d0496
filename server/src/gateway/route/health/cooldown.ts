/**
 * Why a key is in a cooldown (docs/reference/relay/health.md#reasons). A key in a `FAILING` cooldown is used when no
 * other key is left. Keys in other cooldowns are never used.
 */
export const cooldownReasons = ['RATE_LIMITED', 'FAILING', 'QUOTA_EXHAUSTED', 'REFUSED'] as const;
export type CooldownReason = (typeof cooldownReasons)[number];

/** A period in which one key of a channel gets no calls, for one model or for all. */
export interface Cooldown {
  readonly channelId: number;
  /** Identifies the channel's key without its text; see `keyMarkOf`. */
  readonly keyMark: string;
  /** The model by its priced name; empty for all models. */
  readonly model: string;
  readonly reason: CooldownReason;
  /** Unix milliseconds of the beginning. */
  readonly since: number;
  /** Unix milliseconds of the end; `noEnd` for a key that its provider refused. */
  readonly until: number;
  /** Cooldowns before this one without a successful call in between. */
  readonly times: number;
}

/** A cooldown that ended before its time. Other nodes, or the shared state, may still have it. */
export interface EndedCooldown extends Pick<Cooldown, 'channelId' | 'keyMark' | 'model'> {
  /** Unix milliseconds of the early end. */
  readonly endedAt: number;
  /** Unix milliseconds until which a copy of the cooldown may still be announced. */
  readonly until: number;
}

/** 9999-12-31: the last date that every reader of dates accepts. */
export const noEnd = 253_402_214_400_000;

/**
 * Validates a stored or announced end of a cooldown.
 * @returns null for anything else
 */
export function toEndedCooldown(value: unknown): EndedCooldown | null {
  if (typeof value !== 'object' || value === null) return null;
  const { channelId, keyMark, model, endedAt, until } = value as Partial<Record<keyof EndedCooldown, unknown>>;
  if (typeof channelId !== 'number' || typeof keyMark !== 'string' || typeof model !== 'string') return null;
  return typeof endedAt === 'number' && typeof until === 'number'
    ? { channelId, keyMark, model, endedAt, until }
    : null;
}

/**
 * Validates a stored or announced cooldown.
 * @returns null for anything else
 */
export function toCooldown(value: unknown): Cooldown | null {
  if (typeof value !== 'object' || value === null) return null;
  const { channelId, keyMark, model, reason, since, until, times } = value as Partial<Record<keyof Cooldown, unknown>>;
  const known = cooldownReasons.find((one) => one === reason);
  if (!known || typeof channelId !== 'number' || typeof keyMark !== 'string' || typeof model !== 'string') return null;
  if (typeof since !== 'number' || typeof until !== 'number' || typeof times !== 'number') return null;
  return { channelId, keyMark, model, reason: known, since, until, times };
}
