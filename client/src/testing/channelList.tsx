import { ChannelListScreen } from '../screens/channels/ChannelListScreen.js';
import {
  ChannelChoicesDocument,
  ChannelLossesDocument,
  ChannelsByTagDocument,
  ChannelsDocument,
  ChannelTestRunDocument,
  ChannelTypesDocument,
  type ChannelRowFragment,
} from '../screens/channels/channels.generated.js';
import { UnpricedModelsDocument } from '../nouns/prices/unpriced.generated.js';
import { answers } from './lists.js';
import { renderScreen } from './renderScreen.js';

export const channelRow = (id: number, more: Partial<ChannelRowFragment> = {}) => ({
  __typename: 'Channel',
  id,
  type: { __typename: 'ChannelType', id: 1, provider: 'OPENAI', label: 'OpenAI' },
  name: `Channel ${String(id)}`,
  status: 'ENABLED',
  statusReason: null,
  weight: 10,
  priority: 0,
  createdAt: '2025-06-02T10:11:00.000Z',
  lastTest: null,
  balance: null,
  models: ['gpt-4o'],
  groups: ['default'],
  usedQuota: 500_000,
  tag: null,
  testModel: null,
  keys: [],
  ...more,
});
export const tested = (milliseconds: number) => ({
  lastTest: { __typename: 'ChannelTest' as const, at: '2025-06-02T10:11:00.000Z', milliseconds, error: null },
});
export const tagged = [
  channelRow(1, { tag: 'us', ...tested(600), priority: 5 }),
  channelRow(2, { tag: 'us', ...tested(1400), status: 'DISABLED' }),
];
export const alone = channelRow(3);

export const reading = [
  [
    ChannelTypesDocument,
    {
      channelTypes: [
        { __typename: 'ChannelType', id: 1, provider: 'OPENAI', label: 'OpenAI', defaultBaseUrl: null, models: [] },
      ],
    },
  ],
  [ChannelChoicesDocument, { groups: ['default'], enabledModels: ['gpt-4o'], channelTags: ['us'] }],
  [ChannelsDocument, { channels: { __typename: 'ChannelPage', totalCount: 3, items: [...tagged, alone] } }],
  [
    ChannelsByTagDocument,
    {
      channelsByTag: {
        __typename: 'TaggedChannelsPage',
        totalCount: 2,
        items: [
          { __typename: 'TaggedChannels', tag: 'us', channels: tagged },
          { __typename: 'TaggedChannels', tag: null, channels: [alone] },
        ],
      },
    },
  ],
  [UnpricedModelsDocument, { unpricedModels: [] }],
  [ChannelLossesDocument, { salesBelowCost: [] }],
  [ChannelTestRunDocument, { channelTestRun: null }],
].map(([query, data]) => ({ request: { query, variables: () => true }, result: { data }, maxUsageCount: 99 }));

/** A mutation that must be called with exactly these variables. */
export const writing = (query: object, variables: object, data: object) => ({
  request: { query, variables },
  result: jest.fn(() => ({ data })),
});

/** The list with three channels, two of them tagged. */
export const openChannels = (path: string, ...mocks: object[]) =>
  renderScreen({
    path,
    routes: [{ path: '/channel', element: <ChannelListScreen /> }],
    mocks: [...reading, ...mocks] as never,
  });

/** The list alone, with these channels in it. */
export const openChannelsWith = (...items: readonly object[]) =>
  renderScreen({
    path: '/channel',
    routes: [{ path: '/channel', element: <ChannelListScreen /> }],
    mocks: [
      ...reading.slice(0, 2),
      answers(ChannelsDocument, { channels: { __typename: 'ChannelPage', totalCount: items.length, items } }),
    ] as never,
  });
