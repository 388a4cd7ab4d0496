import { keepEarlyQuestions } from '../lib/earlyQuestions.js';
import { gridStateOf } from '../lib/gridState.js';
import { fromStoredUser } from '../lib/session.wire.js';
import { readJson } from '../lib/storage.js';
import { channelStateOf, channelVariables } from '../screens/channels/channelFilter.js';
import { logVariables, noFilters } from '../screens/logs/logFilter.js';

/** From the role `adminRole` on (`lib/session.ts`, which has more than is needed here). */
const adminRole = 10;

type Questions = Readonly<Record<string, object>>;

/**
 * The questions of the list at this address, asked while the rest of the console is still on its way. Runs before
 * everything else, so it imports only what is small. The page names its file first.
 */
function askEarly(): void {
  const user = fromStoredUser(readJson('user'));
  if (!user) return;
  const moment = new Date();
  const questions = questionsOf(
    location.pathname,
    new URLSearchParams(location.search),
    user.role >= adminRole,
    moment,
  );
  const ask = ([operationName, variables]: [string, object]) => {
    const answer = fetch('/graphql', {
      method: 'POST',
      credentials: 'same-origin',
      headers: {
        accept: 'application/graphql-response+json,application/json;q=0.9',
        'content-type': 'application/json',
        'Veloera-User': String(user.id),
      },
      body: JSON.stringify({ operationName, variables, query: earlyQueries[operationName] }),
    });
    // Whoever takes it hears of it.
    answer.catch(() => undefined);
    return { operationName, variables, answer };
  };
  keepEarlyQuestions(Object.entries(questions).map(ask), moment);
}

/** By operation, the rows first; each screen asks the same. */
function questionsOf(path: string, params: URLSearchParams, isAdmin: boolean, now: Date): Questions {
  if (path === '/log') {
    const rows = logVariables(gridStateOf(params, noFilters), isAdmin, now);
    const { filter } = rows;
    return isAdmin
      ? { Logs: rows, LogStat: { filter }, LogGroups: {} }
      : { MyLogs: rows, MyLogStat: { filter }, LogMyGroups: {} };
  }
  if (path === '/channel' && isAdmin && params.get('tags') !== '1') {
    return { Channels: channelVariables(channelStateOf(params)), ChannelTypes: {}, ChannelChoices: {} };
  }
  return {};
}

askEarly();
