import { words, type ProviderRow } from './provider.js';

/** Platforms that run tasks and serve no calls (`services/tasks/`). They have no adapter. */
export const taskPlatforms: readonly ProviderRow[] = [
  {
    id: 2,
    name: 'midjourney',
    label: 'Midjourney Proxy',
    defaultBaseUrl: 'https://oa.api2d.net',
    models: words(`
      mj_imagine mj_variation mj_reroll mj_blend mj_upscale mj_describe mj_upload`),
  },
  {
    id: 5,
    name: 'midjourney',
    enumName: 'MIDJOURNEY_PLUS',
    label: 'Midjourney Proxy Plus',
    defaultBaseUrl: 'https://api.openai-sb.com',
    models: words(`
      swap_face mj_imagine mj_variation mj_reroll mj_blend mj_upscale mj_describe mj_zoom mj_shorten mj_modal
      mj_inpaint mj_custom_zoom mj_high_variation mj_low_variation mj_pan mj_upload`),
  },
  {
    id: 36,
    name: 'suno',
    label: 'Suno API',
    defaultBaseUrl: '',
    models: words('suno_music suno_lyrics'),
    catalogueOwner: null,
  },
  {
    id: 50,
    name: 'kling',
    label: 'Kling',
    defaultBaseUrl: 'https://api.klingai.com',
    videos: 'kling',
    models: words('kling-v1-6 kling-v2-master kling-v2-1-master kling-v2-5-turbo kling-v2-6 kling-v3'),
    discovery: null,
  },
  {
    id: 51,
    name: 'jimeng',
    label: 'Jimeng',
    defaultBaseUrl: 'https://visual.volcengineapi.com',
    videos: 'jimeng',
    models: words('jimeng_v30 jimeng_v30_1080p jimeng_v30_pro'),
    discovery: null,
  },
  {
    id: 52,
    name: 'vidu',
    label: 'Vidu',
    defaultBaseUrl: 'https://api.vidu.cn',
    videos: 'vidu',
    models: words('viduq3-pro viduq3-turbo viduq2 viduq2-pro viduq2-turbo viduq1'),
    discovery: null,
  },
];
