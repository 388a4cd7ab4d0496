import type { Target } from '../../target.js';
import { asList } from '../../neutral/fields.js';
import { betaHeader, betasFor, configuredBetas, listed } from './claude-headers.js';

type Json = Readonly<Record<string, unknown>>;

/* Betas that hosts of Claude accept in the body, as of November 2026. They refuse a call that names another one. */

const everywhere = [
  'compact-2026-01-12',
  'computer-use-2025-01-24',
  'computer-use-2025-11-24',
  'context-1m-2025-08-07',
  'context-management-2025-06-27',
  'dangerous-tool-use-2026-09-03',
  'mid-conversation-tool-changes-2026-07-01',
  'thinking-binding-controls-2026-08-01',
  'thinking-display-updates-2026-08-18',
  'tool-search-tool-2025-10-19',
] as const;

export const bedrockBetas: ReadonlySet<string> = new Set([
  ...everywhere,
  'effort-2025-11-24',
  'fine-grained-tool-streaming-2025-05-14',
  'mid-conversation-output-config-2026-07-01',
]);

export const vertexBetas: ReadonlySet<string> = new Set([
  ...everywhere,
  'interleaved-thinking-2025-05-14',
  'per-turn-control-2026-07-01',
  'web-search-2025-03-05',
]);

/** Betas with another name at Anthropic → the name that hosts use. */
const renamed: ReadonlyMap<string, string> = new Map([['advanced-tool-use-2025-11-20', 'tool-search-tool-2025-10-19']]);

/**
 * Returns the betas of a call: those of its body, of its header, and those that an admin set for its model.
 * @param known the betas that the host accepts; others of the header and the admin are left out
 */
export function betasOf(
  body: Json,
  headers: Readonly<Record<string, string>> | undefined,
  known: ReadonlySet<string>,
  target: Target,
): string[] {
  const asked = [...betasFor(body), ...listed(headers?.[betaHeader]), ...configuredBetas(target)];
  const named = asked.map((name) => renamed.get(name) ?? name);
  const inBody = asList(body['anthropic_beta']).filter((name) => typeof name === 'string');
  return [...new Set([...inBody, ...named.filter((name) => known.has(name))])];
}

/**
 * Moves betas into the body, where hosts read them; Anthropic reads them from a header.
 * @param known the betas that the host accepts
 */
export function withBetas(
  body: Json,
  headers: Readonly<Record<string, string>> | undefined,
  known: ReadonlySet<string>,
  target: Target,
): Json {
  const betas = betasOf(body, headers, known, target);
  return betas.length > 0 ? { ...body, anthropic_beta: betas } : body;
}
