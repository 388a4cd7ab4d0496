import type { KeyForm } from './provider.js';

/**
 * The keys of a channel: between commas or on lines of their own, trimmed, without blanks and duplicates; one JSON
 * document stays whole. @returns [] when there is none
 */
export function splitKeys(key: string, form: KeyForm): string[] {
  const parts = (form === 'document' ? [key] : key.split(/[,\r\n]/)).map((part) => part.trim());
  return [...new Set(parts.filter(Boolean))];
}
