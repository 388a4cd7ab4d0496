import type { Target } from '../../adapter.js';

/** OpenRouter lists calls by the site they come from: its address, and a name in the characters a header may hold. */
export function callerHeaders({ families: { site } }: Pick<Target, 'families'>): Record<string, string> {
  const name = site.name.replace(/[^\x20-\x7e]/g, '').trim() || 'Tollgate';
  const address = URL.canParse(site.address) ? new URL(site.address).href : null;
  return { ...(address === null ? {} : { 'http-referer': address }), 'x-title': name };
}
