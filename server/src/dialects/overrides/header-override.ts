import type { IncomingHttpHeaders } from 'node:http';
import type { UpstreamRequest } from '../contract.js';
import type { HeaderOperation } from '../../shared/channel-override.js';
import { isFor } from './body-override.js';
import { headerValues } from '../../shared/comma-list.js';

/** The values that header operations may use. */
export interface HeaderValues {
  readonly channel: { readonly headers: readonly HeaderOperation[] };
  /** The key chosen for this attempt. */
  readonly key: string;
  readonly upstreamModel: string;
  readonly requestedModel: string;
  /** The client's headers. Absent if the server calls a provider by itself. */
  readonly clientHeaders?: IncomingHttpHeaders | undefined;
}

/** Returns a request with the channel's `header_override`, or the same request if the channel has none. */
export function withHeaderOverride<Request extends Pick<UpstreamRequest, 'headers'>>(
  request: Request,
  call: HeaderValues,
): Request {
  if (call.channel.headers.length === 0) return request;
  return { ...request, headers: overriddenHeaders(request.headers, call) };
}

/** Applies the channel's operations to the headers of a request. The names are in lower case. */
export function overriddenHeaders(given: Readonly<Record<string, string>>, call: HeaderValues): Record<string, string> {
  const headers = new Map(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]));
  for (const operation of call.channel.headers) {
    if (!isFor(operation, call)) continue;
    switch (operation.mode) {
      case 'delete':
        headers.delete(operation.name);
        break;
      case 'rename': {
        const value = headers.get(operation.from);
        if (value === undefined) break;
        headers.delete(operation.from);
        headers.set(operation.to, value);
        break;
      }
      default: {
        const before = headers.get(operation.name);
        const value = filledIn(operation.value, call);
        if (value === null || (operation.mode === 'set' && operation.keep && before !== undefined)) break;
        headers.set(operation.name, operation.mode === 'append' ? listed(before, value) : value);
      }
    }
  }
  return Object.fromEntries(headers);
}

/** A list of values keeps each value once. */
function listed(before: string | undefined, value: string): string {
  if (before === undefined || before.trim() === '') return value;
  const there = headerValues(before);
  return there.includes(value.trim()) ? before : `${before},${value}`;
}

/** @returns null when the client sent no such header, or when a key cannot be part of a header */
function filledIn(text: string, { key, clientHeaders = {} }: HeaderValues): string | null {
  let isComplete = true;
  const value = text.replace(/\{(?:api_key|client_header:([^{}]*))\}/g, (_all, name?: string) => {
    const found = name === undefined ? key : clientHeaders[name.toLowerCase()];
    isComplete &&= found !== undefined;
    return Array.isArray(found) ? found.join(',') : (found ?? '');
  });
  return isComplete && /^[\t\x20-\x7e\x80-\xff]*$/.test(value) ? value : null;
}
