import { AppError } from '../../shared/errors.js';

const protocols: readonly string[] = ['http:', 'https:', 'socks5:', 'socks5h:'];

/**
 * Parses a proxy URL.
 * @throws AppError UPSTREAM_UNREACHABLE; saving a channel refuses an invalid URL, but an imported row may contain one
 */
export function toProxyAddress(proxy: string): URL {
  const url = URL.canParse(proxy) ? new URL(proxy) : null;
  if (url && protocols.includes(url.protocol)) return url;
  throw new AppError('UPSTREAM_UNREACHABLE', "The channel's proxy is not usable");
}

/** Returns the credentials of a proxy URL. Both are empty when the URL has none. */
export const proxyCredentials = (proxy: URL): { readonly username: string; readonly password: string } => ({
  username: decodeURIComponent(proxy.username),
  password: decodeURIComponent(proxy.password),
});

/** Returns the host without the brackets of an IPv6 address. */
export const bareHostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');
