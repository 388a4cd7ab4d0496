import { openApiDocument } from '../platform/http/openapi/document.js';
import { apiSections } from './api-sections.js';
import { withTables } from './rest-tables.js';

const document = openApiDocument(apiSections, { version: '', server: '' });
const filled = (name: string): string =>
  withTables(`before\n\n<!-- openapi: ${name} -->\nold\n<!-- end -->\n\nafter\n`, document);

it('lists the fields of a shape, and keeps the text around', () => {
  expect(filled('Option')).toBe(`before

<!-- openapi: Option -->

| Key     | Type | Meaning                                         |
| ------- | ---- | ----------------------------------------------- |
| \`key\`   | text | Name                                            |
| \`value\` | text | Value as text: \`true\`, a number, a list or JSON |

<!-- end -->

after
`);
});

it('lists the fields of a body, and the requests of a section', () => {
  expect(filled('POST /api/user/pay')).toMatch(/^\| `amount` +\| int +\|/m);
  expect(filled('Users')).toMatch(
    /^\| `GET \/api\/user\/search` +\| admin \| `\?p`, `\?page_size`, `\?keyword`, `\?group`, `\?external_id` +\| Search/m,
  );
});

it('changes nothing when it runs again', () => {
  expect(withTables(filled('Token'), document)).toBe(filled('Token'));
});

it('refuses a name that the document does not have', () => {
  expect(() => filled('Tokens')).toThrow('has no shape, request or section Tokens');
});
