import { useQuery } from '@apollo/client/react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { ChannelTypesDocument, type ChannelTypesQuery } from './channels.generated.js';

export type ChannelType = ChannelTypesQuery['channelTypes'][number];

/** The server's provider types: numbers, labels, default base URLs and models. They are fixed while the server runs. */
export function useChannelTypes() {
  const { t } = useTranslation();
  const list = useQuery(ChannelTypesDocument, { fetchPolicy: 'cache-first' }).data?.channelTypes;
  return useMemo(() => {
    const byId = new Map((list ?? []).map((type) => [type.id, type]));
    return {
      list: list ?? [],
      find: (id: number): ChannelType | undefined => byId.get(id),
      label: (id: number): string => byId.get(id)?.label ?? t('channels.unknownType', { id }),
    };
  }, [list, t]);
}
