import type { Adapter } from '../../adapter.js';
import { baseOf, jsonHeaders } from '../openai-compatible/own-dialect.js';
import { appKindOf, pathOf } from './app-kind.js';
import { DifyStreamReader, readDify } from './dify-read.js';
import { writeDify } from './dify-write.js';

/** Type 37 (docs/reference/providers/own-protocols.md#dify): one key per app, whose author chose the model. */
export const dify: Adapter = {
  conversation: {
    codec(target) {
      const kind = appKindOf(target);
      return {
        dialect: 'own',
        write: writeDify(kind),
        read: readDify,
        openReader: () => new DifyStreamReader(kind !== 'workflow'),
      };
    },
    toUpstreamRequest: (body, { stream }, target) => ({
      method: 'POST',
      url: baseOf(target).replace(/\/v1$/, '') + pathOf[appKindOf(target)],
      headers: { ...jsonHeaders(stream), authorization: `Bearer ${target.key}` },
      body: JSON.stringify(body),
    }),
  },
};
