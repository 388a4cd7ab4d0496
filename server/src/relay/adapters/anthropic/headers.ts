import type { Target } from '../../adapter.js';

const defaultVersion = '2023-06-01';
const betaHeader = 'anthropic-beta';

/**
 * Credentials and API version (docs/reference/providers/anthropic.md#request-to-anthropic). Headers that an admin set
 * for a model replace these; only beta lists of client and admin are combined.
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
  // An empty list removes a header.
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));
}

const configured = ({ families, requestedModel, upstreamModel }: Target): Readonly<Record<string, readonly string[]>> =>
  families.claudeHeaders[requestedModel] ?? families.claudeHeaders[upstreamModel] ?? {};

const listed = (value: string | undefined): string[] =>
  (value ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);
