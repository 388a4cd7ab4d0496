import type { RoutedChannel } from '../../../gateway/route/routed-channel.js';
import type { TaskTarget } from '../task-target.js';
import { arkVideos } from './ark-videos.js';
import { cogvideo } from './cogvideo.js';
import { jimeng } from './jimeng.js';
import { kling } from './kling.js';
import { minimaxVideos } from './minimax-videos.js';
import { openAIVideos } from './openai-videos.js';
import { veo } from './veo.js';
import { vertexVeo } from './vertex-veo.js';
import { vidu } from './vidu.js';
import type { VideoDialect } from './video-dialect.js';
import { wan } from './wan.js';
import { xaiVideos } from './xai-videos.js';

const dialects = {
  openai: openAIVideos,
  veo,
  'vertex-veo': vertexVeo,
  xai: xaiVideos,
  ark: arkVideos,
  wan,
  cogvideo,
  kling,
  minimax: minimaxVideos,
  vidu,
  jimeng,
} as const;

/** @returns null for a provider without videos */
export const videosOf = ({ provider }: Pick<RoutedChannel, 'provider'>): VideoDialect | null =>
  provider.videos && dialects[provider.videos];

/** Returns the target with the provider's own base URL if the channel has none. */
export const withAddress = (target: TaskTarget): TaskTarget =>
  target.baseUrl === '' ? { ...target, baseUrl: target.channel.provider.defaultBaseUrl } : target;
