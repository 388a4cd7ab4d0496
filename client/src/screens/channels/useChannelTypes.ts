import { useQuery } from '@apollo/client/react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChannelProvider } from './channelForm.js';
import { ChannelTypesDocument, type ChannelRowFragment, type ChannelTypesQuery } from './channels.generated.js';

export type ChannelType = ChannelTypesQuery['channelTypes'][number];

/** The server's provider types: labels, default base URLs and models. They are fixed while the server runs. */
export function useChannelTypes() {
  const { t } = useTranslation();
  const list = useQuery(ChannelTypesDocument, { fetchPolicy: 'cache-first' }).data?.channelTypes;
  return useMemo(() => {
    const byProvider = new Map((list ?? []).map((type) => [type.provider, type]));
    return {
      list: list ?? [],
      find: (provider: ChannelProvider): ChannelType | undefined => (provider ? byProvider.get(provider) : undefined),
      label: ({ id, label }: ChannelRowFragment['type']): string => label || t('channels.unknownType', { id }),
    };
  }, [list, t]);
}
