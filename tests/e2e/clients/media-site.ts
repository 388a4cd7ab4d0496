import pg from 'pg';
import { googleCertificate, startGoogle } from '../../agents/vertex.js';
import { spawnServer } from '../../support/server.js';
import { unexplained } from '../../support/charged-rows.js';
import { mediaPrices, mediaScript, type MediaCell, type MediaScript } from '../../support/upstream/media.js';
import { startUpstream } from '../../support/upstream/upstream.js';
import { buildServer } from '../boot-support.js';
import { modelOf } from './media-calls.js';

/** A server with one channel for each cell, all of which lead to one scripted upstream. */
export interface MediaSite {
  readonly url: string;
  readonly key: string;
  /** Makes the upstream the provider of some cells of one channel type. */
  open(...cells: [MediaCell, ...MediaCell[]]): MediaScript;
  /** The charges for calls of some cells, oldest first, once there are so many. */
  charges(cells: readonly MediaCell[], count: number): Promise<number[]>;
  /** Reservations that are left, inconsistent charges. */
  faults(): Promise<unknown[]>;
  stop(): Promise<void>;
}

export async function startMediaSite(cells: readonly MediaCell[]): Promise<MediaSite> {
  buildServer();
  const upstream = await startUpstream();
  const google = await startGoogle(upstream.url);
  const server = await spawnServer({ environment: { NODE_EXTRA_CA_CERTS: googleCertificate } });
  const database = new pg.Client({ connectionString: server.database.url });
  await database.connect();
  const { api } = server;
  const root = await api.setUp();
  const cards = cells.map((cell) => [
    modelOf(cell),
    { prices: { [cell.wire.sold]: mediaPrices[cell.wire.sold].price } },
  ]);
  const value = JSON.stringify(Object.fromEntries(cards));
  await api.data(root, 'PUT', '/api/option/', { key: 'PriceCards', value });
  for (const cell of cells) {
    const { type, provider, wire } = cell;
    const model = modelOf(cell);
    await api.data(root, 'POST', '/api/channel/', {
      name: model,
      type,
      models: model,
      group: 'default',
      key: provider.key ?? 'sk-upstream-secret',
      base_url: upstream.url + (provider.isWholeUrl ? wire.path : ''),
      other: provider.other ?? '',
      model_mapping: JSON.stringify({ [model]: wire.model }),
      ...(provider.atGoogle && { ...google.channel, base_url: '' }),
    });
  }
  const { key } = await api.createToken(root);
  return {
    url: server.url,
    key,
    open(...opened) {
      const script = mediaScript(opened);
      upstream.reset();
      upstream.script({}, script.reply);
      return script;
    },
    async charges(charged, count) {
      const until = Date.now() + 5000;
      for (;;) {
        const { rows } = await database.query<{ quota: string }>(
          'SELECT quota FROM logs WHERE type = 2 AND model_name = ANY($1) ORDER BY id',
          [charged.map(modelOf)],
        );
        if (rows.length >= count || Date.now() > until) return rows.map(({ quota }) => Number(quota));
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    async faults() {
      const { rows: reservations } = await database.query('SELECT * FROM reservations');
      const charges = await unexplained(async (sql, values) => (await database.query<object>(sql, values)).rows);
      return [...(reservations as unknown[]), ...charges];
    },
    async stop() {
      await database.end();
      await server.stop();
      await google.stop();
      await upstream.stop();
    },
  };
}
