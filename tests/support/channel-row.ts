import type { ChannelRow } from '../../server/src/gateway/route/routed-channel.js';
import { listCost } from '../../server/src/shared/cost-rule.js';

/** An enabled OpenAI channel for `gpt-4o`, as routing reads it, with other fields where given. */
export const channelRow = (fields: Partial<ChannelRow> = {}): ChannelRow => ({
  id: 1,
  type: 1,
  name: 'c',
  status: 'enabled',
  keySealed: 'sk-a',
  baseUrl: '',
  openaiOrganization: '',
  other: '',
  createdAt: null,
  models: ['gpt-4o'],
  groups: ['default'],
  priority: 0,
  weight: 0,
  modelPrefix: '',
  modelMapping: {},
  statusCodeMapping: {},
  parameters: null,
  headers: null,
  setting: {},
  cost: listCost,
  autoDisable: true,
  limits: null,
  timeouts: null,
  ownerId: null,
  ...fields,
});
