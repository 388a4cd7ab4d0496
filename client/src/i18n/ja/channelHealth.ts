export const channelHealth = {
  failureRate: '失敗率',
  failedAttempts: '失敗した試行',
  rescued: '救済',
  served: 'p50 / p95',
  calls: '処理した呼び出し',
  lastError: '最後のエラー',
  cardTimes: 'p50 {{half}}、p95 {{most}}',
  cardAttempts: '失敗{{failed}}件、救済{{rescued}}件',
  emptyText: '最初の呼び出しの後、チャネルがここに表示されます。',
  trouble: '失敗しているチャネル（直近1時間）',
  all: 'チャネルの稼働状況',
  noTrouble_other: '呼び出しのある{{count}}件のチャネルに失敗した試行はありません。',
};
