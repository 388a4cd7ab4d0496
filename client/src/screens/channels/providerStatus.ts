import type { TFunction } from 'i18next';

/**
 * Describes a failure in words if the server only names the HTTP status of the provider, because older clients get the
 * server's text as well.
 * @param reason as described for the user
 */
export function inWords(reason: string, t: TFunction): string {
  const status = /(?:^|[(（])status code: (\d{3})(?:$|[)）])/.exec(reason)?.[1];
  if (status === undefined) return reason;
  return t(status === '401' || status === '403' ? 'channels.providerRefused' : 'channels.providerStatus', { status });
}
