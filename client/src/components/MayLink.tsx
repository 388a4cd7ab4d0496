import MuiLink, { type LinkProps } from '@mui/material/Link';
import { Link } from 'react-router-dom';
import { useMay, type Permission } from '../lib/permissions.js';

/** A link for users who hold the permission of its target. Others see the same text without a link. */
export function MayLink({
  permission,
  to,
  onClick,
  children,
  ...look
}: Pick<LinkProps, 'className' | 'sx' | 'onClick' | 'children'> & {
  readonly permission: Permission;
  readonly to: string;
}) {
  if (!useMay(permission)) return <span className={look.className}>{children}</span>;
  return (
    <MuiLink component={Link} to={to} color="inherit" underline="hover" onClick={onClick} {...look}>
      {children}
    </MuiLink>
  );
}
