import { useMutation, useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Card from '@mui/material/Card';
import Typography from '@mui/material/Typography';
import { useTranslation } from 'react-i18next';
import { ToneChip } from '../../../components/Tone.js';
import { useAction } from '../../../components/useAction.js';
import { dateTime, integer, listText, ratio } from '../../../lib/format.js';
import { PriceUpdatesDocument, UndoPricesDocument } from './priceSync.generated.js';

const shown = 5;

/** The last updates, each with an undo button. Renders nothing if there are none. */
export function PriceUpdates({
  isBlocked,
  onUndone,
}: {
  /** Whether prices have unsaved changes. */
  readonly isBlocked: boolean;
  readonly onUndone: () => void;
}) {
  const { t } = useTranslation();
  const act = useAction();
  const { data } = useQuery(PriceUpdatesDocument, { fetchPolicy: 'cache-and-network' });
  const [undoPrices, { loading }] = useMutation(UndoPricesDocument);
  const updates = data?.priceUpdates ?? [];
  if (updates.length === 0) return null;
  const undo = (updateId: number, count: number) =>
    act(
      async () => {
        await undoPrices({ variables: { input: { updateId } } });
        onUndone();
        return t('priceSync.undone');
      },
      { title: t('priceSync.undoTitle'), body: t('priceSync.undoBody', { count }), verb: t('priceSync.undo') },
    );
  return (
    <Card component="section" aria-label={t('priceSync.updates')}>
      <Typography variant="h2" sx={{ fontSize: 14, lineHeight: '20px', padding: '16px 16px 8px' }}>
        {t('priceSync.updates')}
      </Typography>
      {updates.slice(0, shown).map(({ id, createdAt, markup, models, undoneAt }) => (
        <Box
          key={id}
          className="num"
          sx={{
            display: 'flex',
            alignItems: 'center',
            gap: 2,
            mx: 2,
            minHeight: 44,
            borderTop: '1px solid',
            borderColor: 'divider',
          }}
        >
          <Box sx={{ flex: 1, minWidth: 0, fontSize: 13 }}>
            {dateTime(createdAt)} · {t('priceSync.models', { count: models.length, n: integer(models.length) })}
            {markup !== 1 && ` · × ${ratio(markup)}`}
            <Box
              sx={{
                fontSize: 12,
                color: 'text.secondary',
                overflow: 'hidden',
                textOverflow: 'ellipsis',
                whiteSpace: 'nowrap',
              }}
            >
              {listText(models.slice(0, 8))}
            </Box>
          </Box>
          {undoneAt ? (
            <ToneChip tone="grey">{t('priceSync.takenBack')}</ToneChip>
          ) : (
            <Button
              variant="outlined"
              loading={loading}
              disabled={isBlocked}
              onClick={() => void undo(id, models.length)}
            >
              {t('priceSync.undo')}
            </Button>
          )}
        </Box>
      ))}
    </Card>
  );
}
