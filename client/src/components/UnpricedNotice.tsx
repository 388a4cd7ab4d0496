import { skipToken, useQuery } from '@apollo/client/react';
import MuiLink from '@mui/material/Link';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { may } from '../lib/permissions.js';
import { useSession } from '../lib/session.js';
import { Notice } from './Notice.js';
import { UnpricedModelsDocument } from './unpriced.generated.js';

/** Names shown before "and 12 more". */
const shownNames = 5;

/**
 * The models without a price, which no user can call. For admins.
 * @param among null: those of enabled channels
 * @returns none while loading
 */
export function useUnpricedModels(among: readonly string[] | null): readonly string[] {
  const sorted = useMemo(() => among && [...among].sort(), [among]);
  const { data, previousData } = useQuery(
    UnpricedModelsDocument,
    sorted?.length === 0 ? skipToken : { variables: { among: sorted }, fetchPolicy: 'network-only' },
  );
  const names = (data ?? previousData)?.unpricedModels ?? [];
  return sorted ? names.filter((name) => sorted.includes(name)) : names;
}

/** Names the models without a price, with the way to set one. Nothing where all have one. */
export function UnpricedNotice({
  among = null,
  newTab = false,
}: {
  readonly among?: readonly string[] | null;
  /** Keeps the form that the notice is in. */
  readonly newTab?: boolean;
}) {
  const { t } = useTranslation();
  const models = useUnpricedModels(among);
  const user = useSession();
  // Its link leads to the settings.
  if (models.length === 0 || (user && !may(user, 'OPTIONS'))) return null;
  const names = models.slice(0, shownNames).join(', ');
  const more = models.length - shownNames;
  return (
    <Notice tone="amber">
      {t('unpriced.text', { count: models.length })} {names}
      {more > 0 && ` ${t('unpriced.more', { count: more })}`}.{' '}
      <MuiLink
        component={Link}
        to="/setting?tab=operation&section=prices&view=unset"
        {...(newTab ? { target: '_blank' } : {})}
      >
        {t('unpriced.set')}
      </MuiLink>
    </Notice>
  );
}
