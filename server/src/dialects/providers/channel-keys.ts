import type { KeyForm } from './provider.js';

/**
 * The keys of a channel: separated by commas or line breaks, trimmed, without empty ones and duplicates; a JSON
 * document is one key.
 * @returns [] when there is none
 */
export function splitKeys(key: string, form: KeyForm): string[] {
  const parts = (form === 'document' ? [key] : key.split(/[,\r\n]/)).map((part) => part.trim());
  return [...new Set(parts.filter(Boolean))];
}

/** Characters. The ending of a shorter key is not shown, because four characters would reveal too much of it. */
const minForEnding = 16;

/** Returns the last four characters of a key; empty for short keys and documents. */
export const keyEnding = (key: string): string =>
  key.length < minForEnding || key.startsWith('{') ? '' : key.slice(-4);
