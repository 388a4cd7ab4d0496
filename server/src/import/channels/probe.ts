import type { UpstreamRequest } from '../../dialects/contract.js';
import type { GuardedFetch } from '../../platform/outbound/guarded-fetch.js';

const timeoutMs = 20_000;
const shownCharacters = 200;

/**
 * Sends a test call.
 * @returns the status of the response, followed by the beginning of the error if there is one
 */
export async function probe(http: GuardedFetch, { method, url, headers, body }: UpstreamRequest): Promise<string> {
  try {
    const sent = body === null ? {} : { body };
    const response = await http.fetch({ url, policy: 'admin', method, headers, timeoutMs, ...sent });
    const text = response.body.toString('utf8');
    return response.status < 300 ? String(response.status) : `${response.status} ${text.slice(0, shownCharacters)}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
