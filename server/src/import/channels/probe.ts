import type { UpstreamRequest } from '../../dialects/contract.js';

const waitMilliseconds = 20_000;
const shownCharacters = 200;

/** Sends a test call. @returns the status of the response, with the beginning of an error */
export async function probe({ method, url, headers, body }: UpstreamRequest): Promise<string> {
  try {
    const response = await fetch(url, {
      method,
      headers,
      body: typeof body === 'string' || body === null ? body : new Uint8Array(body),
      signal: AbortSignal.timeout(waitMilliseconds),
    });
    const text = await response.text();
    return response.ok ? String(response.status) : `${response.status} ${text.slice(0, shownCharacters)}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
