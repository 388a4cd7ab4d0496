import { asFieldsList, type Fields } from '../../neutral/fields.js';

/**
 * Vectors as base64 of little-endian 32-bit floats.
 * @returns null when they are base64 already
 */
export const asBase64 = (answer: Fields): Record<string, unknown> | null =>
  withVectors(answer, (vector) => (isNumbers(vector) ? encodeVector(vector) : null));

/**
 * Vectors as lists of numbers.
 * @returns null when they are lists already
 */
export const asFloats = (answer: Fields): Record<string, unknown> | null =>
  withVectors(answer, (vector) => (typeof vector === 'string' ? decodeVector(vector) : null));

function withVectors(answer: Fields, change: (vector: unknown) => unknown): Record<string, unknown> | null {
  let changed = false;
  const data = asFieldsList(answer['data']).map((entry) => {
    const vector = change(entry['embedding']);
    if (vector === null) return entry;
    changed = true;
    return { ...entry, embedding: vector };
  });
  return changed ? { ...answer, data } : null;
}

const isNumbers = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'number');

function encodeVector(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((each, index) => bytes.writeFloatLE(each, index * 4));
  return bytes.toString('base64');
}

function decodeVector(text: string): number[] {
  const bytes = Buffer.from(text, 'base64');
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readFloatLE(index * 4));
}
