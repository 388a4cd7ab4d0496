import type { OpenApiDocument } from '../platform/http/openapi/document.js';
import { table } from './markdown-table.js';

const region = /(<!-- requests -->\n)([^]*?)(<!-- end -->)/g;
/** The first and the last cell of a row. */
const row = /^\| `([A-Z]+ [^`]+)` .*\| ([^|\n]*?) *\|$/gm;

/**
 * Fills the second column of the tables of requests that other programs send, between `<!-- requests -->` and `<!-- end -->`: what the
 * request does here, or 404. The first cell, a request, and the last one, a note, are kept.
 */
export const withRequestTables = (markdown: string, document: OpenApiDocument): string =>
  markdown.replace(region, (_, begin: string, old: string, end: string) => {
    const rows = [...old.matchAll(row)].map(([, request = '', note = '']) => [
      `\`${request}\``,
      summaryOf(request, document) ?? '404',
      note,
    ]);
    return `${begin}\n${table([['Request', 'Here', 'Note'], ...rows])}\n\n${end}`;
  });

/** Returns null for a request that no route serves. */
function summaryOf(request: string, { paths }: OpenApiDocument): string | null {
  const [method = '', url = ''] = request.split(' ');
  const wanted = plain(url);
  const [, methods] = Object.entries(paths).find(([path]) => plain(path) === wanted) ?? [];
  return methods?.[method.toLowerCase()]?.summary ?? null;
}

/** A path without its query, a slash at its end and the names of its parameters. */
const plain = (url: string): string =>
  url
    .replace(/\?.*$/, '')
    .replace(/\/$/, '')
    .replaceAll(/\{\w+\}/g, '{}');
