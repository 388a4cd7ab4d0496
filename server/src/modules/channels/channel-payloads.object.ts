import { Int } from 'type-graphql';
import { payloadObject } from '../../graphql/payload.js';
import { ChannelObject } from './channel.object.js';

const ofChannel = { channel: () => ChannelObject };
const ofCount = { count: () => Int };
const ofStart = { startedAt: () => Date };
/** The response of mutations of one channel. */
export interface ChannelPayload {
  channel: ChannelObject;
}

export const CopyChannelPayload = payloadObject('CopyChannelPayload', ofChannel);
export const CreateChannelPayload = payloadObject('CreateChannelPayload', { ...ofChannel, replayed: () => Boolean });
export const UpdateChannelPayload = payloadObject('UpdateChannelPayload', ofChannel);
export const EnableChannelPayload = payloadObject('EnableChannelPayload', ofChannel);
export const DisableChannelPayload = payloadObject('DisableChannelPayload', ofChannel);
export const ClearChannelRestsPayload = payloadObject('ClearChannelRestsPayload', ofChannel);
export const AddChannelKeysPayload = payloadObject('AddChannelKeysPayload', ofChannel);
export const RemoveChannelKeyPayload = payloadObject('RemoveChannelKeyPayload', ofChannel);
export const UpdateChannelBalancePayload = payloadObject('UpdateChannelBalancePayload', ofChannel);
export const DeleteChannelPayload = payloadObject('DeleteChannelPayload', { id: () => Int });
export const DeleteDisabledChannelsPayload = payloadObject('DeleteDisabledChannelsPayload', ofCount);
export const EnableChannelTagPayload = payloadObject('EnableChannelTagPayload', ofCount);
export const DisableChannelTagPayload = payloadObject('DisableChannelTagPayload', ofCount);
export const UpdateChannelTagPayload = payloadObject('UpdateChannelTagPayload', ofCount);
export const FixChannelsPayload = payloadObject('FixChannelsPayload', ofCount);
export const TestAllChannelsPayload = payloadObject('TestAllChannelsPayload', ofStart);
export const UpdateAllChannelBalancesPayload = payloadObject('UpdateAllChannelBalancesPayload', ofStart);
export const FetchUpstreamModelsPayload = payloadObject('FetchUpstreamModelsPayload', { models: () => [String] });
