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
import { messages } from './toast.js';

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
          onClick={() => closeSnackbar(id)}
          sx={{ width: 24, height: 24, m: '-2px 0' }}
        >
          <CloseOutlinedIcon />
        </IconButton>
      )}
    </Box>
  );
});

/**
 * The style that raises toasts above buttons at the bottom of the window. On phones, buttons of dialogs are there too.
 */
const raised = { marginBottom: '60px' };
const aboveBars = ({ breakpoints }: Theme) => ({
  'body:has([data-floating-bar]) .notistack-SnackbarContainer': raised,
  'body:has([data-floating-bar="tall"]) .notistack-SnackbarContainer': { marginBottom: '112px' },
  'body:has([data-corner]) .notistack-SnackbarContainer': raised,
  // The fields and buttons of a drawer, and the guide, are at the right, so toasts appear elsewhere.
  [breakpoints.up('sm')]: {
    'body:has(.MuiDrawer-modal, [data-corner]) .notistack-SnackbarContainer': {
      left: '20px',
      right: 'auto',
      alignItems: 'flex-start',
    },
  },
  [breakpoints.down('sm')]: { 'body:has(.MuiDialogActions-root) .notistack-SnackbarContainer': raised },
});

/**
 * Creates the element that contains the toasts. An open dialog hides its siblings from screen readers, except for
 * elements on which `aria-hidden` is not allowed. A slot is such an element, and has no box of its own.
 */
function createToastRoot(): HTMLElement {
  const root = document.createElement('slot');
  document.body.append(root);
  return root;
}

/**
 * Returns the milliseconds for which a message stays: errors 8 s, others 5 s, and longer if the text is long. A message
 * may appear while the page behind it changes, so the user may notice it late.
 */
export const readingTime = (text: string, failed: boolean): number =>
  Math.max(failed ? 8000 : 5000, 2000 + text.length * 80);

/**
 * Renders the toasts, at most three at a time. It is loaded separately, because a page is shown before any toast
 * appears.
 */
export function Toasts() {
  const mobile = useIsMobile();
  const [root] = useState(createToastRoot);
  useEffect(() => {
    const show = (): void => {
      const waiting = messages.get();
      if (waiting.length === 0) return;
      messages.set([]);
      for (const { text, failed } of waiting) {
        enqueueSnackbar(text, { variant: failed ? 'error' : 'success', autoHideDuration: readingTime(text, failed) });
      }
    };
    show();
    return messages.subscribe(show);
  }, []);
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
