import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import { useWatch, type UseFormReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useConfirm } from '../../components/ConfirmProvider.js';
import { TextInput } from '../../components/form/inputs.js';
import { endsWithVersion, knownBaseUrlsOf, needsBaseUrl, type ChannelValues } from './channelForm.js';
import { typedText } from './channelTexts.js';
import { useChannelTypes } from './useChannelTypes.js';

/** The base URL of a channel, with the URLs that its provider is known to have. */
export function BaseUrlField({
  form,
  locked,
}: {
  readonly form: UseFormReturn<ChannelValues>;
  /** Why the user may not change it. */
  readonly locked: string | undefined;
}) {
  const { t } = useTranslation();
  const confirm = useConfirm();
  const types = useChannelTypes();
  const { control, setValue, getValues } = form;
  const type = useWatch({ control, name: 'type' });
  const known = knownBaseUrlsOf(type);

  // The gateway adds `/v1` itself, so a base URL that ends with it would result in `/v1/v1`.
  const askAboutVersion = async () => {
    const url = getValues('baseUrl');
    if (locked !== undefined || type === 'CUSTOM' || !endsWithVersion(url)) return;
    const question = {
      title: t('channels.versionTitle'),
      body: t('channels.versionBody'),
      verb: t('channels.versionRemove'),
      no: t('channels.versionKeep'),
      isLikely: true,
    };
    if (await confirm(question))
      setValue('baseUrl', url.trim().replace(/\/v1\/*$/, ''), { shouldDirty: true, shouldValidate: true });
  };

  return (
    <>
      <Box
        onBlur={(event) => {
          if (event.target instanceof HTMLInputElement) void askAboutVersion();
        }}
      >
        <TextInput
          control={control}
          name="baseUrl"
          locked={locked}
          label={type === 'CUSTOM' ? t('channels.fullUrl') : t('fields.baseUrl')}
          placeholder={types.find(type)?.defaultBaseUrl || 'https://'}
          hint={
            type === 'CUSTOM'
              ? t('channels.fullUrlHint')
              : needsBaseUrl.has(type)
                ? t('channels.baseUrlNeededHint')
                : t('channels.baseUrlHint')
          }
          required={needsBaseUrl.has(type)}
          optional={!needsBaseUrl.has(type)}
          rules={{
            validate: (value) => {
              const url = typedText(value).trim();
              if (url === '') return !needsBaseUrl.has(type) || t('channels.baseUrlMissing');
              return /^https?:\/\/[^\s/]+/i.test(url) || t('channels.baseUrlInvalid');
            },
          }}
        />
      </Box>
      {known.length > 0 && locked === undefined && (
        <Box role="group" aria-label={t('channels.knownBaseUrls')} sx={{ fontSize: 12, color: 'text.secondary' }}>
          {t('channels.knownBaseUrls')}
          {known.map((url) => (
            <Link
              key={url}
              component="button"
              type="button"
              className="mono"
              onClick={() => setValue('baseUrl', url, { shouldDirty: true, shouldValidate: true })}
              sx={{ display: 'block', fontSize: 12, textAlign: 'left', wordBreak: 'break-all', py: '2px' }}
            >
              {url}
            </Link>
          ))}
        </Box>
      )}
    </>
  );
}
