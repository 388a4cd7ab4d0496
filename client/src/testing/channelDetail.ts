import {
  ChannelChoicesDocument,
  ChannelDocument,
  ChannelTypesDocument,
  type ChannelDetailFragment,
} from '../screens/channels/channels.generated.js';

/** A channel with everything that its form shows. */
export const channelDetail: ChannelDetailFragment & { __typename: 'Channel' } = {
  __typename: 'Channel',
  id: 24,
  type: { id: 1, provider: 'OPENAI', label: 'OpenAI' },
  name: 'OpenAI primary',
  status: 'ENABLED',
  statusReason: null,
  weight: 50,
  priority: 10,
  createdAt: '2025-06-02T10:11:00.000Z',
  lastTest: { at: '2025-06-02T10:11:00.000Z', milliseconds: 640, error: null },
  balance: null,
  models: ['gpt-4o', 'gpt-4o-mini'],
  groups: ['default', 'vip'],
  usedQuota: 0,
  tag: null,
  testModel: null,
  openaiOrganization: null,
  baseUrl: null,
  variant: null,
  modelMapping: [],
  statusCodeMapping: [],
  autoDisable: true,
  setting: { proxy: null, forceFormat: false, thinkingToContent: false, nonStreamOnly: false, more: null },
  parameters: null,
  headers: null,
  cost: { factor: 1, cards: {} },
  limits: null,
  timeouts: null,
  keys: [],
  modelPrefix: null,
  maxInputTokens: null,
  ownerId: null,
};

const openai = {
  __typename: 'ChannelType',
  id: 1,
  provider: 'OPENAI',
  label: 'OpenAI',
  defaultBaseUrl: 'https://api.openai.com',
  models: ['gpt-4o'],
};
/** The choices of the form. */
export const channelLists = [
  { request: { query: ChannelTypesDocument }, result: { data: { channelTypes: [openai] } }, maxUsageCount: 9 },
  {
    request: { query: ChannelChoicesDocument },
    result: { data: { groups: ['default', 'vip'], enabledModels: [] } },
    maxUsageCount: 9,
  },
];
export const storedChannel = {
  request: { query: ChannelDocument, variables: { id: 24 } },
  result: { data: { channel: channelDetail } },
  maxUsageCount: 9,
};
