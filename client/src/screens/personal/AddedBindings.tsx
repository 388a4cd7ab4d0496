import { useMutation, useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useTranslation } from 'react-i18next';
import { useAction } from '../../components/useAction.js';
import { ToneChip } from '../../components/Tone.js';
import { useLeaveForAdded, useAddedProviders } from '../../nouns/sign-in/addedProviders.js';
import { BoundSignInProvidersDocument, UnbindSignInProviderDocument } from './addedBindings.generated.js';

/** Identities at providers that the operator added: the bound ones, and those that can be bound. */
export function AddedBindings() {
  const { t } = useTranslation();
  const act = useAction();
  const offered = useAddedProviders();
  const leave = useLeaveForAdded();
  const { data, refetch } = useQuery(BoundSignInProvidersDocument, { fetchPolicy: 'cache-and-network' });
  const [unbind] = useMutation(UnbindSignInProviderDocument);
  const bound = data?.boundSignInProviders ?? [];
  const isBound = (slug: string): boolean => bound.some((one) => one.slug === slug);
  const shown = [...bound, ...offered.filter(({ slug }) => !isBound(slug))];
  const remove = (slug: string, name: string) =>
    act(
      async () => {
        await unbind({ variables: { slug } });
        await refetch();
        return t('personal.unboundFrom', { name });
      },
      {
        title: t('personal.unbindTitle', { name }),
        body: t('personal.unbindBody'),
        verb: t('personal.unbind'),
        destructive: true,
      },
    );
  return shown.map(({ slug, name }) => (
    <Box
      key={slug}
      sx={{
        display: 'flex',
        alignItems: 'center',
        gap: { xs: 1, sm: 2 },
        minHeight: 44,
        borderTop: '1px solid',
        borderColor: 'divider',
      }}
    >
      <Box sx={{ flex: 1, minWidth: 0, fontWeight: 500, overflowWrap: 'anywhere' }}>{name}</Box>
      {isBound(slug) && <ToneChip tone="green">{t('personal.bound')}</ToneChip>}
      {isBound(slug) ? (
        <Button
          variant="outlined"
          aria-label={t('personal.unbindOf', { name })}
          onClick={() => void remove(slug, name)}
        >
          {t('personal.unbind')}
        </Button>
      ) : (
        <Button variant="outlined" aria-label={t('personal.bindOf', { name })} onClick={() => void leave(slug)}>
          {t('oauth.bind')}
        </Button>
      )}
    </Box>
  ));
}
