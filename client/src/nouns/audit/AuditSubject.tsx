import type { LinkProps } from '@mui/material/Link';
import { useTranslation } from 'react-i18next';
import type { TFunction } from 'i18next';
import { MayLink } from '../../components/MayLink.js';
import { userAddress } from '../objects/addresses.js';
import type { AuditEntry } from './auditChanges.js';
import { subjectPage } from './auditLinks.js';
import { subjectTexts } from './auditTexts.js';

/** The changed object: its kind, its name if it has one, and its id. */
export const subjectText = ({ subject, subjectId, subjectName }: AuditEntry, t: TFunction): string =>
  [t(subjectTexts[subject]), subjectName, subjectName ? `(#${subjectId})` : subjectId].filter(Boolean).join(' ');

/** The changed object, as a link to its page. */
export function AuditSubject({ entry, ...look }: { readonly entry: AuditEntry } & Pick<LinkProps, 'className'>) {
  const { t } = useTranslation();
  const page = subjectPage(entry);
  const text = subjectText(entry, t);
  if (!page) return <span className={look.className}>{text}</span>;
  return (
    <MayLink {...page} {...look}>
      {text}
    </MayLink>
  );
}

/** The user who made the change, as a link to their page. */
export function AuditActor({
  entry: { actorId, actorName },
  withId = false,
  ...look
}: { readonly entry: AuditEntry; readonly withId?: boolean } & Pick<LinkProps, 'className'>) {
  // The server itself is no user.
  if (actorId === 0) return <span className={look.className}>{actorName}</span>;
  return (
    <MayLink permission="USERS_READ" to={userAddress(actorId)} {...look}>
      {withId ? `${actorName} (#${actorId})` : actorName}
    </MayLink>
  );
}
