import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { MysqlAddress } from './mysql.js';
import { SourceError } from './source.js';

/** The address of a source database. */
export type SourceAddress =
  | { readonly engine: 'sqlite'; readonly path: string }
  | ({ readonly engine: 'mysql' } & MysqlAddress)
  | { readonly engine: 'postgres'; readonly url: string };

/**
 * Reads an address as the old programs do (`SQL_DSN`): a Postgres URL, a Go DSN of MySQL such as
 * `user:password@tcp(host:3306)/name?charset=utf8mb4`, or a file. `mysql://` URLs are accepted too.
 * @throws SourceError
 */
export function parseAddress(text: string): SourceAddress {
  const given = text.trim();
  if (/^postgres(ql)?:\/\//.test(given)) {
    if (!URL.canParse(given)) throw invalid('Postgres');
    return { engine: 'postgres', url: given };
  }
  if (/^(clickhouse|tcp|https?):\/\//.test(given)) {
    throw new SourceError(
      'A log in ClickHouse cannot be moved: pass --logs none, or copy its table to Postgres first.',
    );
  }
  if (/^(mysql|mariadb):\/\//.test(given)) return fromUrl(given);
  const dsn = goDsn.exec(given);
  if (dsn?.groups) return fromGoDsn(dsn.groups);
  if (given === '') throw new SourceError('No source is given.');
  return { engine: 'sqlite', path: resolve(given.replace(/^file:(\/\/)?/, '').replace(/\?.*$/, '')) };
}

/**
 * Matches a Go DSN. The password may contain any character, including `@` and `/`; the last `@` before the protocol
 * ends it.
 */
const goDsn =
  /^(?:(?<user>[^:@]*)(?::(?<password>.*))?@)?(?<protocol>tcp|tcp4|tcp6|unix)?(?:\((?<address>[^)]*)\))?\/(?<database>[^/?]+)(?:\?(?<parameters>.*))?$/;

function fromGoDsn(groups: Record<string, string | undefined>): SourceAddress {
  const { user = '', password = '', protocol, address = '', database = '', parameters = '' } = groups;
  if (protocol === undefined && !groups['user']) throw new SourceError(`There is no file /${database}.`);
  const [, host = '', port = ''] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(address) ?? [];
  const tls = new URLSearchParams(parameters).get('tls');
  return {
    engine: 'mysql',
    host: host || '127.0.0.1',
    port: Number(port || 3306),
    socketPath: protocol === 'unix' ? address : null,
    user,
    password,
    database: decoded(database),
    tls: tls === 'skip-verify' ? 'unverified' : tls !== null && tls !== 'false' && tls !== 'preferred',
  };
}

function fromUrl(text: string): SourceAddress {
  if (!URL.canParse(text)) throw invalid('MySQL');
  const url = new URL(text);
  const database = decoded(url.pathname.slice(1));
  if (database === '') throw new SourceError('The address of the MySQL database lacks the name of the database.');
  return {
    engine: 'mysql',
    host: url.hostname || '127.0.0.1',
    port: Number(url.port || 3306),
    socketPath: url.searchParams.get('socketPath'),
    user: decoded(url.username),
    password: decoded(url.password),
    database,
    tls: url.searchParams.has('ssl') || url.searchParams.get('tls') === 'true',
  };
}

const invalid = (engine: string): SourceError =>
  new SourceError(
    `The address of the ${engine} database is not a valid URL. Characters such as # / ? and % in its password are written as %23 %2F %3F %25.`,
  );

/** Decodes percent escapes. The text is unchanged if a percent sign begins no escape. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the address without its password, for reports. */
export function nameOf(address: SourceAddress): string {
  if (address.engine === 'sqlite') return address.path;
  if (address.engine === 'mysql') {
    const { socketPath, host, port, database } = address;
    return `mysql://${socketPath ?? `${host}:${port}`}/${database}`;
  }
  const url = new URL(address.url);
  return `postgres://${url.host}${url.pathname}`;
}

/** Identifies a source: every run of the same source has the same fingerprint. */
export const fingerprintOf = (address: SourceAddress): string => digestOf(nameOf(address));

export const digestOf = (name: string): string => createHash('sha256').update(name).digest('hex').slice(0, 16);
