import type { ChatRequest } from '../../contract.js';
import type { Target } from '../../target.js';
import { asFields, asList, type Fields } from '../../neutral/fields.js';
import { splitList } from '../../../shared/comma-list.js';

export const betaHeader = 'anthropic-beta';

/** Returns the headers that an admin set for the model of a call (option `claude.model_headers_settings`). */
export const configuredHeaders = ({
  families,
  requestedModel,
  upstreamModel,
}: Pick<Target, 'families' | 'requestedModel' | 'upstreamModel'>): Readonly<Record<string, readonly string[]>> =>
  families.claudeHeaders[requestedModel] ?? families.claudeHeaders[upstreamModel] ?? {};

/** Returns the betas among the admin's headers. */
export const configuredBetas = (target: Pick<Target, 'families' | 'requestedModel' | 'upstreamModel'>): string[] =>
  Object.entries(configuredHeaders(target)).flatMap(([name, values]) =>
    name.toLowerCase() === betaHeader ? values.flatMap((value) => listed(value)) : [],
  );

/** Returns the entries of a header that is a list. */
export const listed = (value: string | undefined): string[] => splitList(value ?? '');

/** The form of a beta. Other text cannot be a part of a header. */
const isBeta = /^[\w.-]{1,100}$/;
const maxBetas = 50;

/**
 * Returns the client's headers with the betas that its body names. Clients that are fixed to a host of Claude name them
 * there, and Anthropic refuses the field.
 */
export function withBodyBetas({ body, headers = {} }: Pick<ChatRequest, 'body' | 'headers'>): Record<string, string> {
  const inBody = asList(body['anthropic_beta'])
    .slice(0, maxBetas)
    .filter((name) => typeof name === 'string' && isBeta.test(name));
  if (inBody.length === 0) return headers;
  return { ...headers, [betaHeader]: [...new Set([...listed(headers[betaHeader]), ...inBody])].join(',') };
}

/** Returns the betas without which Anthropic refuses a field of the body. */
export const betasFor = (body: Fields): string[] =>
  asFields(body['thinking'])?.['block_binding'] === undefined ? [] : ['thinking-binding-controls-2026-08-01'];
