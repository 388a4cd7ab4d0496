import { type ProviderRow, words } from '../../providers/provider.js';

export const rows: readonly ProviderRow[] = [
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
];
