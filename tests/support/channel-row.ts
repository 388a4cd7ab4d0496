import type { ChannelRow } from '../../server/src/gateway/route/routed-channel.js';
import { listCost } from '../../server/src/shared/cost-rule.js';

/** An enabled OpenAI channel for `gpt-4o`, as routing reads it, with other fields where given. */
export const channelRow = (fields: Partial<ChannelRow> = {}): ChannelRow => ({
  id: 1,
  type: 1,
  name: 'c',
  status: 'enabled',
  key_sealed: 'sk-a',
  base_url: '',
  openai_organization: '',
  other: '',
  created_at: null,
  models: ['gpt-4o'],
  groups: ['default'],
  priority: 0,
  weight: 0,
  model_prefix: '',
  model_mapping: {},
  status_code_mapping: {},
  parameters: null,
  headers: null,
  setting: {},
  cost: listCost,
  auto_disable: true,
  limits: null,
  timeouts: null,
  owner_id: null,
  ...fields,
});
