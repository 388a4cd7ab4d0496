import { withContent, withParts, type Part } from './message.js';
import type { NeutralRequest } from './request.js';

/** Media downloaded from a URL. */
export interface FetchedMedia {
  /** The media type, without parameters. */
  readonly mediaType: string;
  /** The bytes as base64. */
  readonly data: string;
}

/**
 * Returns the URLs of images and files that a provider does not fetch itself, without duplicates. The relay fetches
 * them with its outbound guard (`platform/outbound/`) and embeds them with `withMedia`. A codec that still finds a URL
 * refuses the call, naming the field.
 * @param fetches whether the provider itself fetches a URL
 */
export function remoteMedia(request: NeutralRequest, fetches: (url: string) => boolean): string[] {
  const found = new Set<string>();
  const look = (parts: readonly Part[]): void => {
    for (const part of parts) {
      if (part.kind === 'toolResult') look(part.content);
      else if (
        (part.kind === 'image' || part.kind === 'file') &&
        part.source.kind === 'url' &&
        !fetches(part.source.url)
      ) {
        found.add(part.source.url);
      }
    }
  };
  for (const message of request.messages) look(message.parts);
  return [...found];
}

/** Returns the request with downloaded media in place of their URLs. */
export function withMedia(request: NeutralRequest, fetched: ReadonlyMap<string, FetchedMedia>): NeutralRequest {
  if (fetched.size === 0) return request;
  const put = (part: Part): Part => {
    if (part.kind === 'toolResult') return withContent(part, put);
    if ((part.kind !== 'image' && part.kind !== 'file') || part.source.kind !== 'url') return part;
    const media = fetched.get(part.source.url);
    return media ? { ...part, source: { kind: 'base64', ...media } } : part;
  };
  return { ...request, messages: request.messages.map((message) => withParts(message, put)) };
}
