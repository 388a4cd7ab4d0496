import { useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import InfoOutlinedIcon from '@mui/icons-material/InfoOutlined';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { LoadFailure } from '../../components/LoadFailure.js';
import { EmptyState } from '../../components/EmptyState.js';
import { Footer } from '../../components/Footer.js';
import { Framed } from '../../components/Framed.js';
import { RichText } from '../../components/RichText.js';
import { Hidden } from '../../components/Text.js';
import { frameAddress } from '../../lib/frameAddress.js';
import { useMay } from '../../lib/permissions.js';
import { AboutDocument } from './about.generated.js';

/** The site's About text. When it is empty, admins see where to set it. */
export function AboutScreen() {
  const { t } = useTranslation();
  const admin = useMay('OPTIONS');
  const { data, error, refetch } = useQuery(AboutDocument);
  const text = data?.about ?? '';
  const frame = frameAddress(text);
  return (
    <>
      <title>{t('shell.about')}</title>
      <Hidden>
        <h1>{t('shell.about')}</h1>
      </Hidden>
      {frame ? (
        <Framed src={frame} title={t('shell.about')} />
      ) : (
        <Box sx={{ minHeight: 'calc(100dvh - 48px)', display: 'flex', flexDirection: 'column' }}>
          <Box
            sx={{
              flex: 1,
              width: '100%',
              maxWidth: 752,
              mx: 'auto',
              padding: { xs: '24px 16px', sm: '48px 16px' },
              fontSize: 14,
              lineHeight: '21px',
            }}
          >
            {error && !data ? (
              <LoadFailure title={t('about.failed')} error={error} onRetry={() => void refetch()} />
            ) : data && text.trim() === '' ? (
              <EmptyState
                icon={<InfoOutlinedIcon />}
                title={t('about.empty')}
                text={admin ? t('about.emptyAdmin') : ''}
                action={
                  admin && (
                    <Button variant="outlined" component={Link} to="/setting?tab=other">
                      {t('about.write')}
                    </Button>
                  )
                }
              />
            ) : (
              data && <RichText text={text} />
            )}
          </Box>
          <Footer />
        </Box>
      )}
    </>
  );
}
