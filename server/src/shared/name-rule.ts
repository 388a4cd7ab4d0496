import { z } from 'zod';

/** A name that a user gives to something: one line of text without control characters. */
export const nameRule = z
  .string()
  .trim()
  .min(1, 'name must not be empty')
  .max(64, 'name must have at most 64 characters')
  .refine((text) => !/\p{Cc}/u.test(text), 'name must not contain control characters');
