import Box from '@mui/material/Box';
import MuiLink from '@mui/material/Link';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { useActing } from '../lib/acting.js';
import type { RowAction } from './ActionMenu.js';
import { PageMenu } from './PageMenu.js';

export interface PageHeadProps {
  readonly title: string;
  /** The list that the page belongs to. */
  readonly list?: { readonly label: string; readonly to: string };
  /** Beside the title: states. */
  readonly chips?: ReactNode;
  /** Identifies the object. It is shown below the title. */
  readonly meta?: ReactNode;
  /** How the figures are updated. */
  readonly live?: ReactNode;
  /** The picker of the range that the figures cover. */
  readonly range?: ReactNode;
  /** The main action of the page. */
  readonly primary?: ReactNode;
  /** Everything else that can be done here. */
  readonly menu?: readonly RowAction[];
}

/** The head of each list and object: title, one range, one main action, and a menu with the others. */
export function PageHead(props: PageHeadProps & { readonly hasViews?: boolean }) {
  const { title, list, chips, meta, live, range, primary, menu = [], hasViews = false } = props;
  // A list for which the user acts for an organisation is a part of the page of that organisation.
  const isPart = useActing() !== null;
  return (
    // The head keeps the height of one with a main action, because an empty list has none.
    <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1, minHeight: { xs: 40, sm: 32 } }}>
      {!isPart && <title>{title}</title>}
      <Box sx={{ flex: { xs: '1 1 110px', sm: '1 1 auto' }, minWidth: 0 }}>
        {list && (
          <MuiLink component={Link} to={list.to} underline="hover" color="textSecondary" sx={{ fontSize: 13 }}>
            {list.label}
          </MuiLink>
        )}
        <Box sx={{ display: 'flex', alignItems: 'center', flexWrap: 'wrap', gap: '4px 10px', minHeight: 32 }}>
          <Typography variant={isPart ? 'h2' : 'h1'} sx={{ minWidth: 0, overflowWrap: 'anywhere' }}>
            {title}
          </Typography>
          {chips}
        </Box>
        {meta && (
          <Box className="num" sx={{ fontSize: 13, color: 'text.secondary', overflowWrap: 'anywhere' }}>
            {meta}
          </Box>
        )}
      </Box>
      {live}
      {/* Together on the next line where they do not fit beside the title. */}
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1, minWidth: 0, maxWidth: '100%' }}>
        {range}
        <Box sx={{ display: 'flex', alignItems: 'center', gap: 1 }}>
          {primary}
          <PageMenu actions={menu} hasViews={hasViews} />
        </Box>
      </Box>
    </Box>
  );
}
