import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Card from '@mui/material/Card';
import Typography from '@mui/material/Typography';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { useProviders } from '../../nouns/sign-in/offeredProviders.js';
import { Footer } from '../../components/Footer.js';
import { Framed } from '../../components/Framed.js';
import { LazyRichText } from '../../components/LazyRichText.js';
import { frameAddress } from '../../lib/frameAddress.js';
import { useHomeTexts } from './useHomeTexts.js';
import { NoticeDialog } from './NoticeDialog.js';
import { CodeBlock } from '../../components/CodeBlock.js';
import { CopyButton } from '../../components/CopyButton.js';
import { NameValues } from '../../components/SideDrawer.js';
import { ToneChip } from '../../components/Tone.js';
import { dateTime } from '../../lib/format.js';
import { useSession } from '../../lib/session.js';
import { useBaseAddress, useStatus } from '../../lib/status.js';

/** The admin's home page, or the default one. Each notice is shown once. */
export function HomeScreen() {
  const { systemName } = useStatus();
  const texts = useHomeTexts();
  const content = texts?.content ?? '';
  const frame = frameAddress(content);
  return (
    <>
      <title>{systemName}</title>
      {texts && <NoticeDialog text={texts.notice} />}
      {frame ? (
        <Framed src={frame} title={systemName} />
      ) : (
        <Box sx={{ minHeight: 'calc(100dvh - 48px)', display: 'flex', flexDirection: 'column' }}>
          <Box sx={{ flex: 1 }}>
            {content !== '' ? (
              <Box
                sx={{
                  maxWidth: 992,
                  mx: 'auto',
                  padding: { xs: '24px 16px', sm: '48px 16px' },
                  fontSize: 14,
                  lineHeight: '21px',
                }}
              >
                <LazyRichText text={content} />
              </Box>
            ) : (
              // Render nothing until the content is known, to avoid a flash of the default page.
              texts && <Welcome />
            )}
          </Box>
          <Footer />
        </Box>
      )}
    </>
  );
}

/** The default home page: what the site is, its base URL, and links to sign in. */
function Welcome() {
  const { t } = useTranslation();
  const { systemName, version, startTime, passwordLoginEnabled, enableStatusPage } = useStatus();
  const providers = useProviders();
  const ways = [
    ...(passwordLoginEnabled ? [t('fields.password')] : []),
    ...providers.map((id) => t(`oauth.providers.${id}`)),
  ];
  const address = useBaseAddress();
  const user = useSession();
  return (
    <Box sx={{ maxWidth: 640, mx: 'auto', padding: { xs: '40px 16px', sm: '96px 24px' } }}>
      <Typography variant="h1" sx={{ fontSize: 28, lineHeight: '36px' }}>
        {systemName}
      </Typography>
      <Typography variant="body1" color="textSecondary" sx={{ mt: 1, maxWidth: 480 }}>
        {t('home.sentence')}
      </Typography>
      <Card sx={{ mt: 4, padding: 2 }}>
        <Box sx={{ fontSize: 12.5, fontWeight: 500, mb: '6px' }}>{t('fields.baseUrl')}</Box>
        <Box
          sx={({ vars }) => ({
            display: 'flex',
            alignItems: 'center',
            gap: 1,
            padding: '5px 6px 5px 12px',
            borderRadius: '6px',
            border: `1px solid ${vars.palette.surface.line}`,
            backgroundColor: vars.palette.surface.sunken,
          })}
        >
          <Box className="mono" sx={{ flex: 1, minWidth: 0, overflowWrap: 'anywhere' }}>{`${address}/v1`}</Box>
          <CopyButton value={`${address}/v1`} label={t('fields.copyBaseUrl')} />
        </Box>
        <Box sx={{ mt: 2 }}>
          <CodeBlock scroll copyLabel={t('fields.copyExample')} text={clientExample(address)} />
        </Box>
      </Card>
      <Box sx={{ mt: 3, display: 'flex', gap: 1 }}>
        <Button variant="contained" size="large" component={Link} to={user ? '/console' : '/login'}>
          {user ? t('home.openConsole') : t('home.getStarted')}
        </Button>
        <Button variant="outlined" size="large" component={Link} to="/pricing">
          {t('shell.pricing')}
        </Button>
        {enableStatusPage && (
          <Button variant="outlined" size="large" component={Link} to="/status">
            {t('shell.statusPage')}
          </Button>
        )}
      </Box>
      <Box sx={{ mt: 5, maxWidth: 400 }}>
        <NameValues
          rows={[
            [t('home.version'), version],
            [t('home.startTime'), startTime > 0 ? dateTime(startTime * 1000) : null],
            [
              t('home.signIn'),
              ways.length > 0 && (
                <Box component="span" sx={{ display: 'inline-flex', flexWrap: 'wrap', gap: '4px' }}>
                  {ways.map((way) => (
                    <ToneChip key={way} tone="outline">
                      {way}
                    </ToneChip>
                  ))}
                </Box>
              ),
            ],
          ]}
        />
      </Box>
    </Box>
  );
}

const clientExample = (address: string): string =>
  `import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: '${address}/v1',
  apiKey: 'sk-…',
});`;
