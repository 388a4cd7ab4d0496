import pg from 'pg';
import { queries } from '../contract/question-page.js';
import { rootPassword } from '../support/api.js';
import { spawnServer } from '../support/server.js';
import { benchSecret } from './logs-http.js';

/**
 * `DATABASE_URL=…/bench_logs_30000000 npm run bench -- questions`: every numbered question of docs/graphql.md, asked
 * over HTTP with an access token on a database that `BENCH_KEEP=1 npm run bench -- logs 30000000` has left. Prints
 * median, 95th percentile in milliseconds and the size of the answer, and ends with 1 if a question misses the goal.
 * `BENCH_ONLY='^(13|29)'` asks only questions whose heading matches.
 */
const [goal, warmUps, runs] = [300, 3, 40];
/** Milliseconds after which a question is not asked again. */
const patience = 12_000;
const url = process.env.DATABASE_URL;
if (!url) {
  console.error('usage: DATABASE_URL=postgres://…/bench_logs_<rows> npm run bench -- questions');
  process.exit(2);
}
const day = 86_400_000;
const only = new RegExp(process.env.BENCH_ONLY ?? '');
const numbered = queries.filter(([heading]) => /^\d+\. /.test(heading) && only.test(heading));

const client = new pg.Client({ connectionString: url });
await client.connect();
const { rows: facts } = await client.query<{ rows: number; last: number; customer: string }>(
  `SELECT (SELECT count(*)::float8 FROM logs) AS rows, (SELECT max(created_at)::float8 FROM logs) AS last,
     (SELECT username FROM users WHERE id =
       (SELECT user_id FROM usage_by_all GROUP BY 1 ORDER BY sum(calls) DESC LIMIT 1)) AS customer`,
);
await client.end();
const [{ rows, last, customer } = { rows: 0, last: 0, customer: '' }] = facts;
console.log(`${rows} rows of the log, the last ${((Date.now() / 1000 - last) / 3600).toFixed(1)} hours ago`);

const server = await spawnServer({
  database: { url, drop: async () => undefined },
  environment: {
    ENCRYPTION_KEY: benchSecret,
    GRAPHQL_COST_PER_MINUTE: '1000000',
    NODE_OPTIONS: '--max-semi-space-size=32',
  },
});
let missed = 0;
try {
  const { api } = server;
  const root = await api.setUp().catch(() => api.signIn('root', rootPassword));
  const created = await api.graphql(
    root,
    `mutation { createAccessToken(input: { name: "bench ${Date.now()}", scopes: [USAGE_READ, ADMIN_READ, LOGS_READ, ACCOUNT_READ] }) { secret } }`,
  );
  const { secret } = created.data?.['createAccessToken'] as { secret: string };
  const ask = async (query: string): Promise<string> => {
    const variables = {
      customer,
      organisation: customer,
      from: new Date(Date.now() - (query.includes('MINUTE_5') ? 3 / 24 : 30) * day),
      anHourAgo: new Date(Date.now() - day / 24),
      ninetyDaysAgo: new Date(Date.now() - 90 * day),
      filter: { username: customer, types: ['CONSUME', 'ERROR'] },
    };
    const declared = Object.entries(variables).filter(([name]) => query.includes(`$${name}:`));
    const answer = await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables: Object.fromEntries(declared) }),
    });
    return answer.text();
  };
  console.log('| Question | median ms | p95 ms | bytes |\n|---|---|---|---|');
  for (const [heading, query] of numbered) {
    let text = '';
    const times: number[] = [];
    const begin = performance.now();
    for (let run = -warmUps; run < runs && performance.now() - begin < patience; run++) {
      const began = performance.now();
      text = await ask(query);
      if (text.startsWith('{"errors"')) break;
      if (run >= 0) times.push(performance.now() - began);
    }
    times.sort((left, right) => left - right);
    const [median, p95] = [times[Math.floor(times.length / 2)], times[Math.floor(times.length * 0.95)]];
    const isMissed = p95 === undefined || p95 > goal;
    if (isMissed) missed++;
    const figures = median === undefined ? `${text.slice(0, 200)} |` : `${median.toFixed(1)} | ${p95?.toFixed(1)}`;
    console.log(`| ${heading} | ${figures} | ${text.length} |${isMissed ? ' missed' : ''}`);
  }
} finally {
  await server.stop();
}
console.log(`${numbered.length} questions, ${missed} above ${goal} ms`);
process.exitCode = missed > 0 ? 1 : 0;
