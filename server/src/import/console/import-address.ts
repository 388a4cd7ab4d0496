import { nameOf, parseAddress, type SourceAddress } from '../source/address.js';
import { SourceError } from '../source/source.js';
import { InvalidInputError } from '../../shared/errors.js';

/** Parameters of Postgres URLs that name no file of the server. */
const harmless = new Set(['sslmode', 'application_name', 'options', 'client_encoding', 'connect_timeout']);

/**
 * Reads a typed connection. Private addresses are allowed: databases of old programs are on the same network. Files and
 * sockets of the server are not: what the server can read is not what root may read in the console.
 * @throws AppError INVALID_INPUT
 */
export function parseConnection(text: string, field: string): SourceAddress {
  const address = parsed(text, field);
  if (address.engine === 'sqlite')
    throw new InvalidInputError('Upload a file; a path on the server is not read', field);
  if (address.engine === 'mysql' && address.socketPath !== null) {
    throw new InvalidInputError('Give a host and a port; a socket on the server is not opened', field);
  }
  if (address.engine === 'postgres') checkPostgres(address.url, field);
  return address;
}

function parsed(text: string, field: string): SourceAddress {
  try {
    return parseAddress(text);
  } catch (error) {
    if (error instanceof SourceError) throw new InvalidInputError(error.message, field);
    throw error;
  }
}

function checkPostgres(url: string, field: string): void {
  if (!URL.canParse(url)) throw new InvalidInputError('The address of the Postgres database is not a valid URL', field);
  const { hostname, searchParams } = new URL(url);
  // Without a host, or with a host that is a folder, the driver opens a Unix socket.
  if (hostname === '' || decodeURIComponent(hostname).startsWith('/')) {
    throw new InvalidInputError('Give a host; a socket on the server is not opened', field);
  }
  const other = [...searchParams.keys()].find((name) => !harmless.has(name));
  if (other !== undefined) throw new InvalidInputError(`The parameter ${other} is not supported here`, field);
}

export const nameOfConnection = (text: string): string => nameOf(parseAddress(text));

/**
 * Reads `NAME=value` lines, as in an `.env` file.
 * @throws AppError INVALID_INPUT
 */
export function parseEnvironment(text: string): Record<string, string> {
  const lines = text.split('\n').map((line) => line.trim());
  return Object.fromEntries(
    lines
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const [, name, value = ''] = /^(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*)$/.exec(line) ?? [];
        if (name === undefined) throw new InvalidInputError('Write one NAME=value per line', 'environment');
        return [name, value.replace(/^(["'])(.*)\1$/, '$2')];
      }),
  );
}
