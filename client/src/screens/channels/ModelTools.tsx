import { useMutation } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '../../components/toast.js';
import { useKeptFocus } from '../../lib/useKeptFocus.js';
import { keyless, noKey, splitKeys, type ChannelValues, type SectionProps } from './channelForm.js';
import { FetchUpstreamModelsDocument } from './channels.generated.js';
import { ModelPicker } from './ModelPicker.js';
import { inWords } from './providerStatus.js';

/** Fields that say whose models there are. */
const sourceFields = ['type', 'baseUrl', 'keys'] as const satisfies readonly (keyof ChannelValues)[];

/** The links below the model field: fill in the type's models, fetch the provider's, or clear. */
export function ModelTools({
  form,
  channelId,
  related,
}: SectionProps & { readonly channelId: number | null; readonly related: readonly string[] }) {
  const { t } = useTranslation();
  const [fetchModels, { loading }] = useMutation(FetchUpstreamModelsDocument);
  const fetchButton = useKeptFocus(loading);
  const [offered, setOffered] = useState<readonly string[] | null>(null);
  const { getValues, setValue, setError, clearErrors } = form;
  const { dirtyFields } = form.formState;
  const replace = (models: readonly string[]) =>
    setValue('models', [...new Set(models)], { shouldDirty: true, shouldTouch: true, shouldValidate: true });

  const fetchFromUpstream = async () => {
    clearErrors('keys');
    const source = getValues(sourceFields);
    const [type, baseUrl, keys] = source;
    const key = splitKeys(type, keys)[0] ?? (keyless.has(type) ? noKey : undefined);
    // The stored key is sent only to the stored address, which differs from the shown one if that was edited.
    const isStored = channelId !== null && !dirtyFields.type && !dirtyFields.baseUrl && !dirtyFields.keys;
    if (!isStored && key === undefined) {
      const message = channelId === null ? t('channels.keyForModels') : t('channels.keyForNewAddress');
      setError('keys', { message }, { shouldFocus: true });
      return;
    }
    const input = isStored ? { id: channelId } : { type: type || null, baseUrl: baseUrl.trim(), key: key ?? '' };
    try {
      const { data } = await fetchModels({ variables: { input } });
      // Models of another provider or account do not belong to this channel.
      if (String(getValues(sourceFields)) === String(source)) setOffered(data?.fetchUpstreamModels.models ?? []);
    } catch (error) {
      toast.failure(error, t, (reason) => t('channels.fetchFailed', { reason: inWords(reason, t) }));
    }
  };

  const link = { minHeight: 24, minWidth: 0, padding: '0 2px', fontSize: 12 } as const;
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: '10px', mt: '4px' }}>
      {related.length > 0 && (
        <Button sx={link} onClick={() => replace([...getValues('models'), ...related])}>
          {t('channels.fillRelated')}
        </Button>
      )}
      <Button ref={fetchButton} sx={link} loading={loading} onClick={() => void fetchFromUpstream()}>
        {t('channels.fetchModels')}
      </Button>
      <Button sx={link} onClick={() => setOffered(related)}>
        {t('channels.openPicker')}
      </Button>
      <Button sx={link} color="error" onClick={() => replace([])}>
        {t('channels.clearModels')}
      </Button>
      {offered && (
        <ModelPicker
          offered={offered}
          chosen={getValues('models')}
          onApply={(models) => {
            replace(models);
            setOffered(null);
          }}
          onClose={() => setOffered(null)}
        />
      )}
    </Box>
  );
}
