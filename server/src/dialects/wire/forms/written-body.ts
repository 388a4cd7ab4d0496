import { writeJson } from '../../../shared/exact-json.js';
import { writeRepeated } from '../../../shared/repeated-json.js';
import type { Fields } from '../../neutral/fields.js';
import { turnNames } from './known-turns.js';

/** Shorter conversations are written faster as a whole. */
const manyTurns = 16;

/**
 * Writes a body for a provider like `writeJson`. Agents send their whole conversation with each turn, so the texts of a
 * long conversation were written with the turn before.
 */
export function writeBody(body: Fields): Buffer {
  const isLong = turnNames.some((name) => Array.isArray(body[name]) && body[name].length >= manyTurns);
  return isLong ? writeRepeated(body) : Buffer.from(writeJson(body));
}
