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
