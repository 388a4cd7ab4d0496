import { sendCsv } from '../../platform/http/csv.js';
import { listOf, pages } from '../../platform/http/openapi/operation.js';
import { wirePage } from '../../platform/http/paging.js';
import { routesFor } from '../../platform/http/route.js';
import type { StatementService } from './statement.service.js';
import { paperHtml, paperPolicy } from './statement-html.js';
import { paperLanguage } from './statement-texts.js';
import { RestAnswer } from '../../platform/http/rest.js';
import {
  allQuery,
  languageQuery,
  listedShape,
  ownQuery,
  previewQuery,
  printQuery,
  profileBody,
  profileShape,
  statementShape,
  toFilter,
  toListed,
  toProfile,
  toProfileInput,
  toWire,
} from './statement.wire.js';

const route = routesFor<StatementService>({ isScoped: true });

/** Undefined: the caller's own. */
const accountOf = (query: object): number | undefined =>
  'account_id' in query && typeof query.account_id === 'number' ? query.account_id || undefined : undefined;

/** `/api/statement` (docs/reference/rest/tokens-and-wallet.md#statements). */
export const statementRoutes = [
  route('GET /api/statement', {
    summary: 'Closed statements of all accounts, newest first',
    caller: { may: 'payments' },
    query: { ...pages, ...allQuery },
    data: listOf(listedShape),
    example: { query: { p: 1, month: '2026-10' } },
    handle: (statements, { actor, query, request }) =>
      wirePage(request, query, { paged: true }, toListed, (page) => statements.list(actor, toFilter(query), page)),
  }),
  route('GET /api/statement/self', {
    summary: 'Own closed statements, newest first',
    caller: 'user',
    query: { ...pages, ...ownQuery },
    data: listOf(listedShape),
    example: { query: { p: 1 } },
    handle: (statements, { actor, query, request }) =>
      wirePage(request, query, { paged: true }, toListed, (page) => statements.listOwn(actor, toFilter(query), page)),
  }),
  route('GET /api/statement/preview', {
    summary: 'What the statement of the current month would say now',
    caller: 'user',
    query: previewQuery,
    data: statementShape,
    errors: ['NOT_FOUND'],
    example: {},
    handle: async (statements, { actor, query }) => toWire(await statements.preview(actor, accountOf(query))),
  }),
  route('GET /api/statement/export', {
    summary: 'Statements of all accounts as CSV, a line for each',
    description: 'Oldest first, with times in UTC. Admins confirm with their second factor.',
    caller: { may: 'payments' },
    query: allQuery,
    media: 'text/csv',
    errors: ['CONFIRMATION_NEEDED'],
    example: { query: { month: '2026-10' } },
    handle: (statements, { actor, query, reply }) =>
      sendCsv(reply, 'statements', statements.export(actor, toFilter(query))),
  }),
  route('GET /api/statement/profile', {
    summary: 'What an account wants to read on its statements',
    caller: 'user',
    query: previewQuery,
    data: profileShape,
    example: {},
    handle: async (statements, { actor, query }) => toProfile(await statements.profile(actor, accountOf(query))),
  }),
  route('PUT /api/statement/profile', {
    summary: 'Change the own billing details for statements that are closed from now on',
    description: 'Absent fields stay.',
    caller: 'user',
    body: profileBody,
    data: profileShape,
    example: { body: { name: 'Example Ltd', tax_id: 'GB123456789' } },
    handle: async (statements, { actor, body }) =>
      toProfile(await statements.updateProfile(actor, toProfileInput(body))),
  }),
  route('GET /api/statement/:id', {
    summary: 'A closed statement',
    description: 'One of another account is not found, unless the caller may see payments.',
    caller: 'user',
    data: statementShape,
    errors: ['NOT_FOUND'],
    example: { path: { id: 1 } },
    handle: async (statements, { actor, id }) => toWire(await statements.get(actor, id)),
  }),
  route('GET /api/statement/:id/csv', {
    summary: 'The lines of a statement as CSV',
    description: 'The amounts of all lines before the last add up to the closing balance.',
    caller: 'user',
    media: 'text/csv',
    errors: ['NOT_FOUND'],
    example: { path: { id: 1 } },
    handle: async (statements, { actor, id, reply }) =>
      sendCsv(reply, `statement-${id}`, await statements.csv(actor, id)),
  }),
  ...(['preview', ':id'] as const).flatMap((which) => [
    route(`GET /api/statement/${which}/print`, {
      summary: which === 'preview' ? 'The preview as a page for printing' : 'A statement as a page for printing',
      // A browser opens the page as a link, which sends the cookie and no header. Another site cannot read or frame it.
      caller: 'visitor',
      role: 'common',
      query: which === 'preview' ? { ...printQuery, ...previewQuery } : printQuery,
      media: 'text/html',
      errors: ['NOT_FOUND'],
      example: which === 'preview' ? {} : { path: { id: 1 }, query: { language: 'fr' } },
      handle: async (statements, { actor, id, query, reply }) => {
        const language = paperLanguage(query.language);
        const paper = await statements.paper(actor, which === 'preview' ? null : id, language, accountOf(query));
        void reply.header('content-type', 'text/html; charset=utf-8').header('content-security-policy', paperPolicy);
        return new RestAnswer(paperHtml(paper));
      },
    }),
    route(`GET /api/statement/${which}/pdf`, {
      summary: which === 'preview' ? 'The preview as PDF' : 'A statement as PDF',
      description: 'At most 300 lines of usage; the rest is one line.',
      caller: 'user',
      query: which === 'preview' ? { ...languageQuery, ...previewQuery } : languageQuery,
      media: 'application/pdf',
      errors: ['NOT_FOUND'],
      example: which === 'preview' ? {} : { path: { id: 1 }, query: { language: 'ja' } },
      handle: async (statements, { actor, id, query, reply }) => {
        const language = paperLanguage(query.language);
        const file = await statements.pdf(actor, which === 'preview' ? null : id, language, accountOf(query));
        const name = which === 'preview' ? 'preview' : id;
        void reply
          .header('content-type', 'application/pdf')
          .header('content-disposition', `attachment; filename="statement-${name}.pdf"`);
        return new RestAnswer(file);
      },
    }),
  ]),
];
