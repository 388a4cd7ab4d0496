import type { IncomingHttpHeaders } from 'node:http';
import { splitList } from '../../shared/comma-list.js';

const keyMark = 'openai-insecure-api-key.';
const betaProtocol = 'openai-beta.realtime-v1';
const betaHeader = 'openai-beta';

/**
 * Adds the key of a browser to the headers. Browsers cannot set headers on a WebSocket, so they offer the key as a
 * subprotocol (docs/reference/relay/access.md#where-a-key-may-stand).
 */
export function withProtocolKey(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const item = listed(headers).find((protocol) => protocol.startsWith(keyMark));
  return item === undefined ? headers : { ...headers, authorization: `Bearer ${item.slice(keyMark.length)}` };
}

/**
 * Selects the subprotocols that are forwarded to the provider: the dialect and its version, never anything that
 * identifies the client.
 */
export function offeredProtocols(headers: IncomingHttpHeaders): {
  readonly protocols: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
} {
  const offered = listed(headers);
  const beta = offered.includes(betaProtocol) ? 'realtime=v1' : headers[betaHeader];
  return {
    protocols: offered.includes('realtime') ? ['realtime'] : [],
    headers: typeof beta === 'string' && beta !== '' ? { [betaHeader]: beta } : {},
  };
}

const listed = (headers: IncomingHttpHeaders): string[] => splitList(headers['sec-websocket-protocol'] ?? '');
