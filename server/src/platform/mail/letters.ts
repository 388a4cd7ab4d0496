import { escapeHtml } from '../../shared/html.js';
import type { Mail } from './mailer.js';

type Letter = Omit<Mail, 'to'>;

/** Mail texts. All values are escaped. */
export const verificationLetter = (systemName: string, code: string): Letter => ({
  subject: `${systemName} e-mail verification`,
  html:
    `<p>Hello, you are verifying your e-mail address for ${escapeHtml(systemName)}.</p>` +
    `<p>Your code is <strong>${escapeHtml(code)}</strong>. It is valid for 10 minutes.</p>` +
    '<p>If you did not ask for it, you can ignore this mail.</p>',
});

export const resetLetter = (systemName: string, link: string): Letter => ({
  subject: `${systemName} password reset`,
  html:
    `<p>Hello, you asked to reset your password for ${escapeHtml(systemName)}.</p>` +
    `<p><a href="${escapeHtml(link)}">Reset the password</a></p><p>${escapeHtml(link)}</p>` +
    '<p>The link is valid for 10 minutes. If you did not ask for it, you can ignore this mail.</p>',
});

export const passwordChangedLetter = (systemName: string): Letter => ({
  subject: `${systemName} password changed`,
  html:
    `<p>Your password for ${escapeHtml(systemName)} was reset just now, and you were signed out everywhere.</p>` +
    '<p>If that was not you, ask the administrator for help.</p>',
});

export const passwordSetLetter = (systemName: string): Letter => ({
  subject: `${systemName} password changed`,
  html:
    `<p>Your password for ${escapeHtml(systemName)} was changed just now, and your other sessions were ended.</p>` +
    '<p>If that was not you, ask the administrator for help.</p>',
});

/** The mail goes to the former address, because the new one may be a stranger's. */
export const emailChangedLetter = (systemName: string): Letter => ({
  subject: `${systemName} e-mail address changed`,
  html:
    `<p>Your account at ${escapeHtml(systemName)} got another e-mail address just now. Mails go there from now on.</p>` +
    '<p>If that was not you, ask the administrator for help.</p>',
});

export const invitationLetter = (systemName: string, organisation: string, link: string): Letter => ({
  subject: `Invitation to ${organisation} at ${systemName}`,
  html:
    `<p>Hello, you are invited to the organisation ${escapeHtml(organisation)} at ${escapeHtml(systemName)}.</p>` +
    `<p><a href="${escapeHtml(link)}">Open the invitation</a></p><p>${escapeHtml(link)}</p>` +
    '<p>The link works once. If you do not know the organisation, you can ignore this mail.</p>',
});
