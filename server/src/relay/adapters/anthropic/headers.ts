import type { Target } from '../../adapter.js';

const defaultVersion = '2023-06-01';
const betaHeader = 'anthropic-beta';

/**
 * Who calls and by which version (docs/reference/providers/anthropic.md#request-to-anthropic). What an admin set for a
 * model replaces what stands here; only betas of the client and of the admin come together.
 * @param client headers of a client of the same dialect
 */
export function anthropicHeaders(
  target: Target,
  stream: boolean,
  client: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: stream ? 'text/event-stream' : 'application/json',
    'x-api-key': target.key,
    'anthropic-version': client['anthropic-version'] || defaultVersion,
  };
  const betas = listed(client[betaHeader]);
  for (const [name, values] of Object.entries(configured(target))) {
    const lower = name.toLowerCase();
    if (lower === betaHeader) betas.push(...values.flatMap((value) => listed(value)));
    else headers[lower] = values.join(', ');
  }
  if (betas.length > 0) headers[betaHeader] = [...new Set(betas)].join(',');
  // An empty list takes a header away.
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));
}

const configured = ({ families, requestedModel, upstreamModel }: Target): Readonly<Record<string, readonly string[]>> =>
  families.claudeHeaders[requestedModel] ?? families.claudeHeaders[upstreamModel] ?? {};

const listed = (value: string | undefined): string[] =>
  (value ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);
