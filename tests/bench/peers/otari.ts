import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { models } from '../load.js';
import { freePort, installPython, launch, ready, run, type Peer } from './peer.js';

/** The last version with the gateway on PyPI. The gateway is now called otari and is not published there. */
const version = '1.14.0';

const masterKey = 'sk-benchmark';

/**
 * The gateway's own command refuses a second worker, and its pool of 15 connections stops the server: a call keeps its
 * connection while it waits for the provider, and the 16th one blocks the event loop.
 */
const server = `
from functools import partial
from any_llm.gateway.core import database
from any_llm.gateway.core.config import load_config
from any_llm.gateway.main import create_app

database.create_engine = partial(database.create_engine, pool_size=1000)
app = create_app(load_config("config.yaml"))
`;

export const otari: Peer = {
  name: `otari (any-llm gateway ${version})`,
  // With Postgres, a call locks the row of its user until the provider has responded, and the next call of the user
  // waits for the row in the event loop, so that both wait forever.
  leavesOut:
    'limits of rates, reservation. Keys, budgets, prices, charge and log of every call in SQLite, with a larger pool',
  async start(place) {
    const { folder, upstream, cores } = place;
    const programs = await installPython(folder, `any-llm-sdk[gateway,openai]==${version}`);
    const config = {
      master_key: masterKey,
      bootstrap_api_key: false,
      providers: { openai: { api_key: 'sk-upstream', api_base: `${upstream}/v1` } },
    };
    // JSON is valid YAML.
    await writeFile(join(folder, 'config.yaml'), JSON.stringify(config));
    await writeFile(join(folder, 'server.py'), server);
    // Creates the tables, which the workers would do at the same time.
    await run(join(programs, 'python'), ['-c', 'import server'], { cwd: folder });
    const port = await freePort();
    const program = [join(programs, 'uvicorn'), 'server:app', '--host', '127.0.0.1', '--port', String(port)];
    const child = launch(place, [...program, '--workers', String(cores), '--log-level', 'error']);
    const running = await ready('otari', child, { port, key: '', modelPrefix: 'openai:' }, '/health');
    return { ...running, key: await setUp(running.url) };
  },
};

/** Makes a user with a budget and a key, and sets the prices of the model. */
async function setUp(url: string): Promise<string> {
  const post = async (path: string, body: object): Promise<Record<string, string>> => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${masterKey}` };
    const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Record<string, string>;
  };
  const { budget_id } = await post('/v1/budgets', { max_budget: 1_000_000 });
  await post('/v1/users', { user_id: 'bench', budget_id });
  await post('/v1/pricing', {
    model_key: `openai:${models.openai}`,
    input_price_per_million: 2.5,
    output_price_per_million: 10,
  });
  const { key = '' } = await post('/v1/keys', { key_name: 'bench', user_id: 'bench' });
  return key;
}
