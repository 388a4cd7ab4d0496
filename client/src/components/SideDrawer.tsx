import Box from '@mui/material/Box';
import Card from '@mui/material/Card';
import Drawer from '@mui/material/Drawer';
import IconButton from '@mui/material/IconButton';
import Typography from '@mui/material/Typography';
import CloseOutlinedIcon from '@mui/icons-material/CloseOutlined';
import { createContext, use, useId, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

/** Whether drawers are a part of the page, as the settings of an object are on its page. */
export const InPage = createContext(false);

/** A panel from the right: editors 640 px, details 520, small forms 480. Full width on narrow screens. */
export function SideDrawer({
  open,
  width,
  title,
  meta,
  onClose,
  headerActions,
  footer,
  readOnly = false,
  children,
}: {
  readonly open: boolean;
  readonly width: 480 | 520 | 640;
  readonly title: ReactNode;
  /** One line below the title. */
  readonly meta?: ReactNode;
  readonly onClose: () => void;
  readonly headerActions?: ReactNode;
  readonly footer?: ReactNode;
  /** Whether nothing inside takes the focus, so that the element itself takes it and keys scroll it. */
  readonly readOnly?: boolean;
  readonly children: ReactNode;
}) {
  const { t } = useTranslation();
  const titleId = useId();
  const line = { borderColor: 'divider', borderStyle: 'solid', borderWidth: 0 } as const;
  if (use(InPage)) {
    return (
      <Card component="section" aria-label={typeof title === 'string' ? title : undefined} sx={{ overflow: 'visible' }}>
        <Box sx={{ padding: { xs: '20px 16px', sm: '20px 24px' }, maxWidth: 800 }}>{children}</Box>
        {footer && (
          <Box
            data-floating-bar
            sx={{
              ...line,
              borderTopWidth: 1,
              position: 'sticky',
              bottom: 0,
              zIndex: 2,
              backgroundColor: 'background.paper',
              borderRadius: '0 0 8px 8px',
              display: 'flex',
              alignItems: 'center',
              gap: 1,
              padding: { xs: '10px 16px', sm: '12px 24px' },
            }}
          >
            {footer}
          </Box>
        )}
      </Card>
    );
  }
  return (
    <Drawer
      anchor="right"
      open={open}
      onClose={onClose}
      slotProps={{
        paper: {
          role: 'dialog',
          'aria-modal': true,
          'aria-labelledby': titleId,
          sx: { width: { xs: '100%', sm: width }, maxWidth: '100%', borderLeftWidth: { xs: 0, sm: 1 } },
        },
      }}
    >
      <Box
        sx={{
          ...line,
          borderBottomWidth: 1,
          display: 'flex',
          alignItems: 'center',
          gap: 1,
          padding: { xs: '14px 12px 14px 16px', sm: '14px 20px 14px 24px' },
          minHeight: 71,
        }}
      >
        <Box sx={{ flex: 1, minWidth: 0 }}>
          <Typography id={titleId} variant="h2" sx={{ overflowWrap: 'anywhere' }}>
            {title}
          </Typography>
          {meta !== undefined && (
            <Box
              className="num"
              sx={{
                fontSize: 12,
                lineHeight: '18px',
                minHeight: 18,
                color: 'text.secondary',
                overflow: 'hidden',
                textOverflow: 'ellipsis',
                whiteSpace: 'nowrap',
              }}
            >
              {meta}
            </Box>
          )}
        </Box>
        {headerActions}
        <IconButton aria-label={t('actions.close')} onClick={onClose}>
          <CloseOutlinedIcon />
        </IconButton>
      </Box>
      <Box
        {...(readOnly ? { tabIndex: 0, role: 'region', 'aria-labelledby': titleId } : {})}
        sx={{ flex: 1, overflowY: 'auto', padding: { xs: '20px 16px', sm: '20px 24px' } }}
      >
        {children}
      </Box>
      {footer && (
        <Box
          data-floating-bar
          sx={{
            ...line,
            borderTopWidth: 1,
            display: 'flex',
            alignItems: 'center',
            gap: 1,
            padding: { xs: '10px 16px', sm: '12px 24px' },
          }}
        >
          {footer}
        </Box>
      )}
    </Drawer>
  );
}

/**
 * A section of a drawer: a heading and one line of help, below a divider unless it is the first. On the page of an object
 * a rare section is folded.
 */
export function DrawerSection({
  title,
  explanation,
  rare = false,
  children,
}: {
  readonly title: string;
  readonly explanation?: string;
  readonly rare?: boolean;
  readonly children: ReactNode;
}) {
  const folds = use(InPage) && rare;
  const heading = (
    <Typography variant="h3" {...(folds ? { sx: { display: 'inline' } } : {})}>
      {title}
    </Typography>
  );
  const help = explanation && (
    <Typography variant="caption" component="p" color="textSecondary" sx={{ mt: '2px' }}>
      {explanation}
    </Typography>
  );
  return (
    <Box
      component={folds ? 'details' : 'section'}
      sx={({ vars }) => ({
        // A folded section is a block: a flex container would show its content.
        ...(folds ? { '& > * + *': { mt: 2 } } : { display: 'flex', flexDirection: 'column', gap: 2 }),
        ':is(section, details) + &': { mt: 3, pt: 2.5, borderTop: `1px solid ${vars.palette.surface.line}` },
      })}
    >
      {folds ? (
        <Box component="summary" sx={{ cursor: 'pointer', minHeight: 24, borderRadius: '4px' }}>
          {heading}
        </Box>
      ) : (
        <Box>
          {heading}
          {help}
        </Box>
      )}
      {folds && help}
      {children}
    </Box>
  );
}

/** Short fields side by side; stacked on narrow screens. */
export function FieldRow({ children, columns = 2 }: { readonly children: ReactNode; readonly columns?: 2 | 3 }) {
  const wide = columns === 2 ? '1fr 1fr' : '1fr 1fr 2fr';
  return (
    <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: { xs: '1fr', sm: wide }, alignItems: 'start' }}>
      {children}
    </Box>
  );
}

/** Name-value pairs. Rows without a value are left out. */
export function NameValues({ rows }: { readonly rows: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <Box
      component="dl"
      sx={{
        m: 0,
        display: 'grid',
        gridTemplateColumns: 'minmax(112px, 32%) 1fr',
        rowGap: '6px',
        columnGap: 1,
        fontSize: 13,
      }}
    >
      {rows.map(([name, value], index) =>
        value === null || value === undefined || value === false || value === '' ? null : (
          // A quantity has two lines if only a part of it is above a threshold.
          <Box key={`${name} ${index}`} sx={{ display: 'contents' }}>
            <Box component="dt" sx={{ color: 'text.secondary' }}>
              {name}
            </Box>
            <Box component="dd" className="num" sx={{ m: 0, minWidth: 0, overflowWrap: 'anywhere' }}>
              {value}
            </Box>
          </Box>
        ),
      )}
    </Box>
  );
}
