import { type ProviderRow, words } from '../../providers/provider.js';

export const rows: readonly ProviderRow[] = [
  {
    id: 36,
    name: 'suno',
    label: 'Suno API',
    defaultBaseUrl: '',
    models: words('suno_music suno_lyrics'),
    catalogueOwner: null,
  },
];
