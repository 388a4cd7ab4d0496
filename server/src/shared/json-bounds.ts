import { AppError } from './errors.js';

export interface JsonBounds {
  /** Arrays and objects inside each other. */
  readonly maxDepth: number;
  /** Elements of arrays and members of objects, all added up. */
  readonly maxValues: number;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * Counts depth and values of a JSON text before it is parsed: `[[],[],…]` grows fiftyfold in memory, and a parser cannot
 * be stopped half-way. One pass over the bytes without allocating; text inside strings is skipped by the runtime's own
 * search. Does not check that the text is JSON.
 * @throws AppError INVALID_INPUT when the text is nested too deeply or has too many values
 */
export function assertJsonBounds(bytes: Buffer, { maxDepth, maxValues }: JsonBounds): void {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case quote:
        at = endOfString(bytes, at);
        break;
      case openBracket:
      case openBrace:
        if (++depth > maxDepth) throw tooComplex(`is nested more than ${maxDepth} levels deep`);
        values++;
        break;
      case closeBracket:
      case closeBrace:
        depth--;
        break;
      case comma:
        values++;
        break;
    }
    if (values > maxValues) throw tooComplex(`has more than ${maxValues} values`);
  }
}

/** @returns the place of the closing quote; the end of the text when there is none */
function endOfString(bytes: Buffer, start: number): number {
  let at = start;
  for (;;) {
    at = bytes.indexOf(quote, at + 1);
    if (at === -1) return bytes.length;
    let slashes = 0;
    while (bytes[at - 1 - slashes] === backslash) slashes++;
    if (slashes % 2 === 0) return at;
  }
}

const tooComplex = (how: string): AppError => new AppError('INVALID_INPUT', `The JSON body ${how}`);
