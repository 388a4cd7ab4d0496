import { PriceDocumentError } from './card-collector.js';

const quote = 0x22;
const backslash = 0x5c;

/**
 * Refuses JSON in which an object has a name twice: `JSON.parse` keeps the last value, other programs the first, so the
 * prices that an operator reads may not be those that would apply. Expects valid JSON of bounded depth.
 * @throws PriceDocumentError naming the name
 */
export function assertUniqueNames(text: string): void {
  /** Names of the open objects; null for an array. */
  const open: Array<Set<string> | null> = [];
  let isName = false;
  for (let at = 0; at < text.length; at++) {
    switch (text.charAt(at)) {
      case '{':
        open.push(new Set());
        isName = true;
        break;
      case '[':
        open.push(null);
        isName = false;
        break;
      case '}':
      case ']':
        open.pop();
        isName = false;
        break;
      case ',':
        isName = open.at(-1) != null;
        break;
      case '"': {
        const end = endOfString(text, at);
        if (isName) note(open.at(-1), text.slice(at, end + 1));
        isName = false;
        at = end;
        break;
      }
    }
  }
}

function note(names: Set<string> | null | undefined, literal: string): void {
  const name = literal.includes('\\') ? (JSON.parse(literal) as string) : literal.slice(1, -1);
  if (names?.has(name)) throw new PriceDocumentError(`has the name ${shown(name)} twice`);
  names?.add(name);
}

/** @returns the position of the closing quote */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== quote) at += text.charCodeAt(at) === backslash ? 2 : 1;
  return at;
}

/** Returns a name of a document for a message: short, and without control characters. */
export const shown = (name: string): string => JSON.stringify(name.slice(0, 80).replace(/\p{C}/gu, ' '));
