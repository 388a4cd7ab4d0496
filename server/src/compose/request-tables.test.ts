import { openApiDocument } from '../platform/http/openapi/document.js';
import { apiSections } from './api-sections.js';
import { withRequestTables } from './request-tables.js';

const document = openApiDocument(apiSections, { version: '', server: '' });
const filled = (rows: string): string =>
  withRequestTables(`before\n\n<!-- requests -->\n\n${rows}\n\n<!-- end -->\n\nafter\n`, document);

it('names what each request does here, or 404, and keeps requests, notes and the text around', () => {
  const rows = [
    '| `GET /api/token/?p=0` | Nonsense | An array |',
    '| `POST /api/token/{number}/key` | |',
    '| `GET /api/vendors/` | Models have no makers |',
    '| `DELETE /api/status` | old | |',
  ];
  const result = filled(rows.join('\n'));
  expect(result).toMatch(/^before\n\n<!-- requests -->\n\n\| Request +\| Here +\| Note +\|\n/);
  expect(result.endsWith('\n\n<!-- end -->\n\nafter\n')).toBe(true);
  const cells = [...result.matchAll(/^\| `(.+?)` +\| (.+?) +\| (.*?) *\|$/gm)].map(([, ...found]) => found);
  expect(cells).toEqual([
    ['GET /api/token/?p=0', document.paths['/api/token']?.['get']?.summary, 'An array'],
    ['POST /api/token/{number}/key', document.paths['/api/token/{id}/key']?.['post']?.summary, ''],
    ['GET /api/vendors/', '404', 'Models have no makers'],
    ['DELETE /api/status', '404', ''],
  ]);
  expect(withRequestTables(result, document)).toBe(result);
});
