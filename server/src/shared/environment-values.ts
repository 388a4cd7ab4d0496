import { z } from 'zod';
import { maxInt32 } from './limits.js';

/** `true`, `false`, `1` or `0`. */
export const flag = (fallback: boolean) =>
  z
    .enum(['true', 'false', '1', '0'], { error: 'must be true or false' })
    .transform((text) => text === 'true' || text === '1')
    .default(fallback);

/** A whole number between two limits. */
export const whole = (fallback: number, low = 0, high = maxInt32) =>
  z.coerce
    .number({ error: 'must be a whole number' })
    .int('must be a whole number')
    .min(low, `must be at least ${low}`)
    .max(high, `must be at most ${high}`)
    .default(fallback);

/** Texts between commas. */
export const list = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  )
  .default([]);

/** An address without its trailing slash. */
export const httpAddress = z
  .string()
  .regex(/^https?:\/\/[^\s/]+/, 'must be an http:// or https:// address')
  .transform((text) => text.replace(/\/+$/, ''));
