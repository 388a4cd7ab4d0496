import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Person, Site } from './site.js';

/** The questions of docs/graphql.md. A dashboard asks them with nothing but an access token. */
export const page = readFileSync(join(import.meta.dirname, '../../docs/graphql.md'), 'utf8');

/** Every query of the page, with its heading. */
export const queries = page
  .split(/^#{2,3} /m)
  .flatMap((section) =>
    [...section.matchAll(/```graphql\n([\s\S]*?)```/g)].map(
      (match) => [section.split('\n')[0] ?? '', match[1] ?? ''] as const,
    ),
  );

/** Questions that are tested in `graphql-questions-lists.test.ts`. */
export const listQuestions = [10, 17, 19, 45, 46];
/** Questions that are tested in `graphql-dashboards.test.ts`. */
export const dashboardQuestions = Array.from({ length: 23 }, (_, n) => 21 + n);
/** Questions that are tested in `organisations.test.ts`. */
export const organisationQuestions = [44];

/** The query of a question. */
function queryOf(number: number): string {
  const found = queries.find(([heading]) => heading.startsWith(`${number}. `));
  if (!found) throw new Error(`docs/graphql.md has no query for question ${number}`);
  return found[1];
}

/** Creates an access token that can only read. */
export async function readingToken(site: Site, person: Person, ...more: string[]): Promise<string> {
  const input = `{ name: "dashboard", scopes: [${['USAGE_READ', 'ADMIN_READ', 'LOGS_READ', ...more].join(', ')}] }`;
  const { data, text } = await site.graphql(person, `mutation { createAccessToken(input: ${input}) { secret } }`);
  if (!data?.['createAccessToken']) throw new Error(text);
  return (data['createAccessToken'] as { secret: string }).secret;
}

/** Asks a question of the page, which must have no errors. */
export async function askQuestion(
  site: Site,
  token: string,
  number: number,
  variables: Record<string, unknown> = {},
): Promise<Record<string, never>> {
  const answer = await fetch(`${site.server.url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: queryOf(number), variables }),
  });
  const { data, errors } = (await answer.json()) as { data?: Record<string, never>; errors?: unknown };
  expect(errors).toBeUndefined();
  if (!data) throw new Error(`question ${number} has no data`);
  return data;
}
