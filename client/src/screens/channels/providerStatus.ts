import type { TFunction } from 'i18next';

/**
 * In words, where the server only names the HTTP status of the provider: it sends that text to older clients as well.
 * @param reason as described for the user
 */
export function inWords(reason: string, t: TFunction): string {
  const status = /^status code: (\d{3})$/.exec(reason)?.[1];
  if (status === undefined) return reason;
  return t(status === '401' || status === '403' ? 'channels.providerRefused' : 'channels.providerStatus', { status });
}
