import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { z } from 'zod';
import { splitList } from './comma-list.js';
import { maxInt32 } from './limits.js';

/** `true`, `false`, `1` or `0`. */
export const flag = (fallback: boolean) =>
  z
    .enum(['true', 'false', '1', '0'], { error: 'must be true or false' })
    .transform((text) => text === 'true' || text === '1')
    .default(fallback);

/** A whole number between two limits. */
export const whole = (fallback: number, low = 0, high = maxInt32) =>
  z.coerce
    .number({ error: 'must be a whole number' })
    .int('must be a whole number')
    .min(low, `must be at least ${low}`)
    .max(high, `must be at most ${high}`)
    .default(fallback);

/** Texts between commas. */
export const list = z.string().transform(splitList).default([]);

/** An address without its trailing slash. */
export const httpAddress = z
  .string()
  .regex(/^https?:\/\/[^\s/]+/, 'must be an http:// or https:// address')
  .transform((text) => text.replace(/\/+$/, ''));

/** The URL of a database. Its password often has characters with a meaning in URLs. */
export const serverAddress = (scheme: RegExp, wrongScheme: string) =>
  z.string().regex(scheme, { error: wrongScheme, abort: true }).refine(isReadable, {
    error: 'cannot be read: write characters such as @ : / ? # % in the password as %40 %3A %2F %3F %23 %25',
    abort: true,
  });

function isReadable(text: string): boolean {
  try {
    const { username, password, pathname } = new URL(onHost(text));
    for (const part of [username, password, pathname]) decodeURIComponent(part);
    return !pathname.includes('@');
  } catch {
    return false;
  }
}

/** The address of Postgres. Files that it names for TLS must be there: the driver reads them at every connection. */
export const postgresAddress = serverAddress(/^postgres(ql)?:\/\//, 'must be a postgres:// URL').superRefine(
  (text, context) => {
    const { searchParams } = new URL(onHost(text));
    for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
      const path = searchParams.get(name);
      const code = path ? readErrorOf(path) : undefined;
      if (code)
        context.addIssue({ code: 'custom', message: `${name} names the file ${path}, which cannot be read (${code})` });
    }
  },
);

function readErrorOf(path: string): string | undefined {
  try {
    readFileSync(path);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'error';
  }
}

/** Adds a host to an address. Postgres on a socket has a user and no host, which URLs do not permit. */
const onHost = (text: string): string => text.replace('@/', '@host/');

/** An address, or `address/bits`. */
function isRange(entry: string): boolean {
  const [address = '', bits, ...rest] = entry.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** Names of address ranges that proxy lists accept. */
const proxyNames: readonly string[] = ['loopback', 'linklocal', 'uniquelocal'];

/** Addresses, ranges, and names of ranges. */
export const proxies = list.refine(
  (entries) => entries.every((entry) => isRange(entry) || proxyNames.includes(entry)),
  'must list addresses or ranges such as 10.0.0.0/8',
);

/** Host names without a port, addresses and ranges. */
export const hostsAndRanges = list.refine(
  (entries) => entries.every((entry) => isRange(entry) || /^[\w-]+(\.[\w-]+)*$/.test(entry)),
  'must list host names without a port, addresses or ranges such as 10.0.0.0/8',
);

/** `host`, `host:port` or `[v6]:port`. */
export const redisHosts = list.refine(
  (entries) => entries.every((entry) => !/[\s/]/.test(entry) && URL.canParse(`redis://${entry}`)),
  'must list hosts and ports such as redis-1:6379',
);
