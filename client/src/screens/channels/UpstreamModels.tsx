import { useMutation } from '@apollo/client/react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '../../components/toast.js';
import { useAction } from '../../components/useAction.js';
import { useIsShown } from '../../lib/useIsShown.js';
import { FetchUpstreamModelsDocument, UpdateChannelDocument, type ChannelRowFragment } from './channels.generated.js';
import { ModelPicker } from './ModelPicker.js';
import { inWords } from './providerStatus.js';

/** Fetches the models of a channel's provider, and saves the chosen ones to the channel. */
export function UpstreamModels({
  channel,
  onClose,
}: {
  readonly channel: ChannelRowFragment;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const act = useAction();
  const [fetchModels] = useMutation(FetchUpstreamModelsDocument);
  const [update] = useMutation(UpdateChannelDocument);
  const [offered, setOffered] = useState<readonly string[] | null>(null);
  const asked = useRef(false);
  // Until the models arrive, the list is not covered, and another dialog may be opened.
  const isShown = useIsShown();

  useEffect(() => {
    if (asked.current) return;
    asked.current = true;
    fetchModels({ variables: { input: { id: channel.id } } })
      .then(({ data }) => setOffered(data?.fetchUpstreamModels.models ?? []))
      .catch((error: unknown) => {
        toast.failure(error, t, (reason) => t('channels.fetchFailed', { reason: inWords(reason, t) }));
        if (isShown.current) onClose();
      });
  }, [channel.id, fetchModels, isShown, onClose, t]);

  const apply = (models: readonly string[]) =>
    act(async () => {
      await update({ variables: { input: { id: channel.id, models: [...models] } } });
      if (isShown.current) onClose();
      return t('channels.saved', { name: channel.name });
    });
  if (!offered) return null;
  return (
    <ModelPicker offered={offered} chosen={channel.models} onApply={(models) => void apply(models)} onClose={onClose} />
  );
}
