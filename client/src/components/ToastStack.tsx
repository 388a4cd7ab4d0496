import Box from '@mui/material/Box';
import GlobalStyles from '@mui/material/GlobalStyles';
import IconButton from '@mui/material/IconButton';
import type { Theme } from '@mui/material/styles';
import CheckCircleOutlinedIcon from '@mui/icons-material/CheckCircleOutlined';
import CloseOutlinedIcon from '@mui/icons-material/CloseOutlined';
import ErrorOutlinedIcon from '@mui/icons-material/ErrorOutlineOutlined';
import { closeSnackbar, enqueueSnackbar, SnackbarProvider, type CustomContentProps } from 'notistack';
import { forwardRef, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useIsMobile } from '../lib/useMediaFlags.js';
import type { Message } from './toast.js';

const Toast = forwardRef<HTMLDivElement, CustomContentProps>(function Toast({ id, message, variant }, ref) {
  const { t } = useTranslation();
  const failed = variant === 'error';
  return (
    <Box
      ref={ref}
      role={failed ? 'alert' : 'status'}
      sx={({ vars }) => ({
        display: 'flex',
        alignItems: 'flex-start',
        gap: 1,
        width: { xs: '100%', sm: 'auto' },
        minWidth: 240,
        maxWidth: 440,
        padding: '9px 8px 9px 12px',
        borderRadius: '8px',
        border: `1px solid ${vars.palette.surface.line}`,
        backgroundColor: vars.palette.background.paper,
        boxShadow: '0 8px 28px rgba(8, 16, 18, 0.18)',
        fontSize: 13,
        '& > svg': { mt: '1px', color: failed ? vars.palette.error.main : vars.palette.success.main, flexShrink: 0 },
      })}
    >
      {failed ? <ErrorOutlinedIcon /> : <CheckCircleOutlinedIcon />}
      <Box sx={{ flex: 1, minWidth: 0, overflowWrap: 'anywhere', pr: 0.5 }}>{message}</Box>
      {failed && (
        <IconButton
          aria-label={t('actions.close')}
          onClick={() => {
            closeSnackbar(id);
          }}
          sx={{ width: 24, height: 24, m: '-2px 0' }}
        >
          <CloseOutlinedIcon />
        </IconButton>
      )}
    </Box>
  );
});

/**
 * Where toasts stand. An open dialog hides everything beside it from screen readers, also what is said politely: this
 * element takes the mark off again.
 */
function createToastRoot(): HTMLElement {
  const root = document.createElement('div');
  document.body.append(root);
  new MutationObserver(() => {
    if (root.hasAttribute('aria-hidden')) root.removeAttribute('aria-hidden');
  }).observe(root, { attributes: true, attributeFilter: ['aria-hidden'] });
  return root;
}

/** Above buttons at the bottom of the window, so that they can be pressed while a toast is there; a dialog has its there on phones. */
const raised = { marginBottom: '60px' };
const aboveBars = ({ breakpoints }: Theme) => ({
  'body:has([data-floating-bar]) .notistack-SnackbarContainer': raised,
  'body:has([data-floating-bar="tall"]) .notistack-SnackbarContainer': { marginBottom: '112px' },
  [breakpoints.down('sm')]: { 'body:has(.MuiDialogActions-root) .notistack-SnackbarContainer': raised },
});

const shownFor = { success: 3000, error: 8000 } as const;

/** At most three at a time. `take` hands over what waits, once. */
export function ToastStack({
  waiting,
  take,
}: {
  readonly waiting: readonly Message[];
  readonly take: () => readonly Message[];
}) {
  const [root] = useState(createToastRoot);
  const mobile = useIsMobile();
  useEffect(() => {
    for (const { text, failed } of take()) {
      const variant = failed ? 'error' : 'success';
      enqueueSnackbar(text, { variant, autoHideDuration: shownFor[variant] });
    }
  }, [waiting, take]);
  return (
    <>
      <GlobalStyles styles={aboveBars} />
      <SnackbarProvider
        maxSnack={3}
        preventDuplicate
        domRoot={root}
        disableWindowBlurListener
        Components={{ success: Toast, error: Toast, default: Toast }}
        anchorOrigin={{ vertical: 'bottom', horizontal: mobile ? 'center' : 'right' }}
      />
    </>
  );
}
