import { z } from 'zod';
import {
  int,
  listOf,
  named,
  pages,
  parameter,
  quota,
  seconds,
  text,
  type ApiSection,
} from '../../http/openapi/operation.js';
import { batchTagBody, createBody, discoverBody, idsBody, tagBody, tagEditBody, updateBody } from './channel.wire.js';

const channelShape = named('Channel', 'A connection to a provider.', {
  id: int('Id'),
  type: int('Number of the provider'),
  key: text('One key, or several separated by lines. Empty in lists'),
  openai_organization: text('Organization at OpenAI, or empty'),
  test_model: text('Model of tests; empty for the first one'),
  status: int('1 enabled, 2 disabled by an admin, 3 disabled automatically'),
  name: text('Name'),
  weight: int('Share of the calls of its tier'),
  created_time: seconds('Created'),
  test_time: seconds('Last test'),
  response_time: int('Duration of the last test, in milliseconds'),
  base_url: text("Address; empty for the provider's"),
  other: text('API version, region, plugin or id, by provider'),
  balance: z.number().describe('Balance that the provider reported, in its currency'),
  balance_updated_time: seconds('Balance read'),
  models: text('Model names, separated by commas'),
  group: text('Groups, separated by commas'),
  used_quota: quota('Charged for calls of this channel'),
  model_mapping: text('JSON text: model that a client asks for → model of the provider'),
  status_code_mapping: text('JSON text: status of the provider → status for clients'),
  priority: int('Tier: the highest is used first'),
  auto_ban: int('1: may be disabled automatically'),
  other_info: text('JSON text with the reason of an automatic change'),
  tag: text('Tag, or empty'),
  setting: text('JSON text of the settings of this channel'),
  param_override: text('JSON text of changes to request bodies'),
  header_override: text('JSON text of changes to request headers'),
  limits: text('JSON text of limits'),
  timeouts: text('JSON text of timeouts'),
  model_prefix: text('Models are offered with this prefix'),
  max_input_tokens: int('Stored for clients'),
  expired_time: int('Always 0'),
});

const model = named('Model', 'A model as OpenAI lists it.', {
  id: text('Name'),
  object: z.literal('model'),
  created: int('A constant'),
  owned_by: text('Provider in whose built-in list the model is'),
  permission: z.array(z.record(z.string(), z.unknown())),
  root: text('Name'),
  parent: z.null(),
});

const ordering = {
  id_sort: parameter.choice('Sort by id instead of priority'),
  tag_mode: parameter.choice('A page counts tags and has all channels of these tags'),
};
const found = { errors: ['NOT_FOUND'] as const };
const count = (what: string): z.ZodInt => int(`Number of channels ${what}`);
const noMessage = (data: z.ZodType): z.ZodType => z.object({ success: z.literal(true), data });

/** Administration of channels. */
export const channelSection: ApiSection = {
  name: 'Channels',
  description: 'Connections to providers. Changes reach all servers of a site within a second.',
  operations: {
    'GET /api/channel': {
      summary: 'Channels, highest priority first',
      role: 'admin',
      query: { ...pages, ...ordering },
      data: listOf(channelShape),
      example: { query: { p: 0, page_size: 20 } },
    },
    'GET /api/channel/search': {
      summary: 'Search channels',
      role: 'admin',
      query: {
        keyword: parameter.words('An id, a part of the name, or a whole key'),
        group: parameter.words('The exact group'),
        model: parameter.words('A part of the model list'),
        ...ordering,
      },
      data: listOf(channelShape),
      example: { query: { keyword: 'primary' } },
    },
    'GET /api/channel/:id': {
      summary: 'One channel with its keys',
      description: 'The audit log records that keys were shown.',
      role: 'admin',
      data: channelShape,
      errors: ['NOT_FOUND', 'CONFIRMATION_NEEDED'],
      example: { path: { id: 1 } },
    },
    'POST /api/channel': {
      summary: 'Create a channel',
      description:
        'Clients of new-api wrap the channel: `{ "mode": "batch", "channel": {} }` creates one for each key.',
      role: 'admin',
      once: true,
      body: createBody,
      bodyOf: channelShape,
      example: {
        body: { type: 1, name: 'primary', key: 'sk-upstream', models: 'gpt-4o,gpt-4o-mini', group: 'default' },
      },
    },
    'PUT /api/channel': {
      summary: 'Change a channel',
      description: 'Absent fields stay. An empty key keeps the stored one.',
      role: 'admin',
      body: updateBody,
      data: channelShape,
      ...found,
      example: { body: { id: 1, priority: 10 } },
    },
    'DELETE /api/channel/:id': { summary: 'Remove a channel', role: 'admin', ...found, example: { path: { id: 1 } } },
    'DELETE /api/channel/disabled': {
      summary: 'Remove all disabled channels',
      role: 'admin',
      data: count('removed'),
      example: {},
    },
    'DELETE /api/channel/:id/rests': {
      summary: 'Let resting keys of a channel serve again',
      role: 'admin',
      data: int('Number of rests that ended'),
      ...found,
      example: { path: { id: 1 } },
    },
    'POST /api/channel/batch': {
      summary: 'Remove several channels',
      role: 'admin',
      body: idsBody,
      data: count('removed'),
      example: { body: { ids: [999_999] } },
    },
    'POST /api/channel/batch/tag': {
      summary: 'Set the tag of several channels',
      role: 'admin',
      body: batchTagBody,
      data: count('changed'),
      example: { body: { ids: [1], tag: 'europe' } },
    },
    'POST /api/channel/tag/enabled': {
      summary: 'Enable the channels of a tag',
      role: 'admin',
      body: tagBody,
      example: { body: { tag: 'europe' } },
    },
    'POST /api/channel/tag/disabled': {
      summary: 'Disable the channels of a tag',
      role: 'admin',
      body: tagBody,
      example: { body: { tag: 'asia' } },
    },
    'PUT /api/channel/tag': {
      summary: 'Change all channels of a tag',
      description: 'Absent and null mean no change. An empty `new_tag` removes the tag.',
      role: 'admin',
      body: tagEditBody,
      bodyOf: channelShape,
      example: { body: { tag: 'europe', priority: 5 } },
    },
    'POST /api/channel/fix': {
      summary: 'Repair the model and group lists',
      role: 'admin',
      data: count('repaired'),
      example: {},
    },
    'GET /api/channel/models': {
      summary: 'Built-in models',
      role: 'admin',
      response: noMessage(z.array(model)),
      example: {},
    },
    'GET /api/channel/models_enabled': {
      summary: 'Models of enabled channels',
      role: 'admin',
      response: noMessage(z.array(z.string())),
      example: {},
    },
    'GET /api/channel/fetch_models/:id': {
      summary: "Ask a channel's provider for its models",
      role: 'admin',
      data: z.array(z.string()),
      errors: ['NOT_FOUND', 'UPSTREAM_ERROR', 'UPSTREAM_UNREACHABLE', 'UPSTREAM_TIMEOUT', 'UPSTREAM_INVALID_RESPONSE'],
      example: { path: { id: 999_999 }, fails: 'NOT_FOUND' },
    },
    'POST /api/channel/fetch_models': {
      summary: 'Ask a provider for its models',
      role: 'admin',
      body: discoverBody,
      bodyOf: channelShape,
      response: noMessage(z.array(z.string())),
      errors: ['UPSTREAM_ERROR', 'UPSTREAM_UNREACHABLE', 'UPSTREAM_TIMEOUT', 'UPSTREAM_INVALID_RESPONSE'],
      example: { body: { type: 1, base_url: 'http://127.0.0.1:9', key: 'sk-none' }, fails: 'UPSTREAM_UNREACHABLE' },
    },
    'GET /api/channel/test/:id': {
      summary: 'Send a small real call through a channel',
      role: 'admin',
      query: { model: parameter.words('Model; absent: the test model of the channel') },
      response: z.object({
        success: z.boolean().describe('The provider answered'),
        message: z.string().describe('Why the test failed, or empty'),
        time: z.number().describe('Duration in seconds'),
      }),
      example: { path: { id: 999_999 } },
    },
    'GET /api/channel/test': {
      summary: 'Test all channels in the background',
      role: 'admin',
      errors: ['CONFLICT'],
      example: {},
    },
    'GET /api/channel/update_balance/:id': {
      summary: "Read a channel's balance from its provider",
      role: 'admin',
      response: z.object({ success: z.literal(true), message: z.string(), balance: z.number() }),
      errors: ['NOT_FOUND', 'NOT_IMPLEMENTED', 'UPSTREAM_ERROR', 'UPSTREAM_UNREACHABLE', 'UPSTREAM_TIMEOUT'],
      example: { path: { id: 999_999 }, fails: 'NOT_FOUND' },
    },
    'GET /api/channel/update_balance': {
      summary: 'Read the balances of all channels in the background',
      role: 'admin',
      errors: ['CONFLICT'],
      example: {},
    },
  },
};
