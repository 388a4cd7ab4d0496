import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { asFields, type Fields } from '../../../shared/json.js';
import { SourceError, type Page, type SourceDatabase, type SourceRow } from '../source.js';
import { channelsOf, deploymentOf } from './deployments.js';
import { newestCalls } from './log.js';
import { readPeople, type People } from './people.js';
import { pricesOf } from './prices.js';
import { Notes, type LiteLlmSource, type Reading } from './reading.js';
import { modelsOf, Served } from './served.js';

/**
 * Reads the models of a `config.yaml` as channels and prices, and the users, keys and budgets of the proxy's database, in the
 * tables and columns of new-api, and teams in tables of their own.
 * @throws SourceError for a file that is no such configuration
 */
export async function openLiteLlm(given: LiteLlmSource): Promise<SourceDatabase> {
  const source = { ...given, findings: new Notes() };
  const config = await readConfig(source.path);
  const models = modelsOf(config);
  if (models.length === 0) throw new SourceError(`${source.path} has no model_list: it is no config.yaml of LiteLLM.`);
  for (const key of sections) {
    for (const name of Object.keys(asFields(config[key]) ?? {})) {
      if (name !== 'model_group_alias')
        source.findings.add(changesPrices.has(name) ? 'price-keys' : 'setting-unmapped', key, name);
    }
  }
  const deployments = models.map((model, index) => deploymentOf(model, index, source));
  const people = source.keys ? await readPeople(source.keys, new Served(models), source) : noPeople;
  return memory(
    new Map<string, SourceRow[]>([
      ['users', people.users],
      ['tokens', people.tokens],
      ['team_members', people.members],
      ['team_projects', people.projects],
      ['team_budgets', people.budgets],
      ['channels', channelsOf(deployments)],
      ['options', await pricesOf(models, source.findings)],
    ]),
    source,
  );
}

async function readConfig(path: string): Promise<Fields> {
  try {
    // LiteLLM reads YAML 1.1, whose `<<` merges an anchor into a map.
    const config = asFields(parse(await readFile(path, 'utf8'), { merge: true }));
    if (config) return config;
  } catch (error) {
    throw new SourceError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  throw new SourceError(`${path} is no config.yaml of LiteLLM.`);
}

const noPeople: People = { users: [], tokens: [], members: [], projects: [], budgets: [] };

/** Sections of the file, beside its models, whose settings are named. */
const sections = [
  ...['general_settings', 'router_settings', 'litellm_settings', 'mcp_servers', 'guardrails', 'environment_variables'],
];

/** Settings that change what all calls cost. */
const changesPrices = new Set(['cost_margin_config', 'cost_discount_config']);

/**
 * Offers rows in memory through the interface of a source database. It has no table `logs`, because rows of the log are compared only; its
 * newest calls can be read.
 */
function memory(tables: ReadonlyMap<string, SourceRow[]>, { keys, findings }: Reading): SourceDatabase {
  const rowsOf = (table: string): SourceRow[] => tables.get(table) ?? [];
  const columns = new Map(
    [...tables].map(([table]) => [table, new Set(table === 'options' ? ['key', 'value'] : ['id'])]),
  );
  return {
    engine: 'config',
    notes: [...findings.list, ...(keys?.notes ?? [])],
    columns,
    page: async (table, { after, limit }: Page) =>
      rowsOf(table)
        .filter((row) => Number(row['id']) > after)
        .slice(0, limit),
    newest: async (table, { limit }) => (table === 'logs' && keys ? newestCalls(keys, limit) : []),
    all: async (table) => rowsOf(table),
    one: async (table) => ({ n: rowsOf(table).length }),
    close: async () => keys?.close(),
  };
}
