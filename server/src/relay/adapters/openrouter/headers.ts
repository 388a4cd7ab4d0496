import type { Target } from '../../adapter.js';

/** OpenRouter attributes calls to a site by its URL and name; the name is reduced to characters allowed in headers. */
export function callerHeaders({ families: { site } }: Pick<Target, 'families'>): Record<string, string> {
  const name = site.name.replace(/[^\x20-\x7e]/g, '').trim() || 'Tollgate';
  const address = URL.canParse(site.address) ? new URL(site.address).href : null;
  return { ...(address === null ? {} : { 'http-referer': address }), 'x-title': name };
}
