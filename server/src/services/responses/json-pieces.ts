import { setImmediate as turn } from 'node:timers/promises';
import { asFields } from '../../dialects/neutral/fields.js';

/** Characters after which writing yields to other work. */
const charactersPerTurn = 1024 * 1024;

/**
 * Returns a lower bound of the length of a value's JSON text without writing it: the characters of names and texts, and
 * one for every other value.
 */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + sizeOf(item) + 1, 2);
  const fields = asFields(value);
  if (!fields) return 1;
  let size = 2;
  for (const name in fields) size += name.length + 4 + sizeOf(fields[name]);
  return size;
}

/**
 * Writes the JSON text of a body whose `input` is a list. Writing yields to the event loop between items, because a
 * conversation may have 64 MB.
 */
export async function toJsonBytes({ input, ...rest }: Readonly<Record<string, unknown>>): Promise<Buffer> {
  if (!Array.isArray(input)) return Buffer.from(JSON.stringify({ ...rest, input }));
  const head = JSON.stringify(rest).slice(0, -1);
  const pieces = [Buffer.from(`${head}${head === '{' ? '' : ','}"input":[`)];
  let waiting: string[] = [];
  let size = 0;
  for (const [index, item] of (input as unknown[]).entries()) {
    const text = JSON.stringify(item);
    waiting.push(index === 0 ? text : `,${text}`);
    size += text.length;
    if (size < charactersPerTurn) continue;
    pieces.push(Buffer.from(waiting.join('')));
    waiting = [];
    size = 0;
    await turn();
  }
  pieces.push(Buffer.from(`${waiting.join('')}]}`));
  return Buffer.concat(pieces);
}
